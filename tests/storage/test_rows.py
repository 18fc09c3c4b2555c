"""Rows to examples: real sets against the prepared truth, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.data import data_path, prepared

from heldout.domain.dataset import DataFile, DatasetSpec, Fields, JoinedField, Lookup, SplitRule
from heldout.domain.example import Example
from heldout.domain.proposal import propose_fields
from heldout.errors import DataError
from heldout.storage.readers import Row, read_rows
from heldout.storage.rows import RowMapper, read_lookup

CSV, JSONL = DataFile("f.csv", split="s"), DataFile("f.jsonl", split="s")
OWN = Fields()
DIGEST = "sha256:" + "0" * 64


def mapped(items: dict[str, DataFile], fields: Fields, lookups: dict[str, Any] | None = None) -> list[Example]:
    """Examples of real files, named by their place in the test data."""
    mapper = RowMapper(DatasetSpec("d", tuple(items.values()), fields), lookups)
    examples: list[Example] = []
    for name, item in items.items():
        with data_path(name).open("rb") as stream:
            examples += [mapper.example(row, item, name) for row in read_rows(stream, item, name)]
    return examples


def pairs(examples: list[Example]) -> list[tuple[str, Any]]:
    return sorted((example.split, example.input) for example in examples)


def truth(name: str, split: str | None = None) -> list[tuple[str, Any]]:
    return sorted((split or row["split"], row["input"]) for row in prepared(name))


def one(value: Any, fields: Fields = OWN, item: DataFile = JSONL, **row: Any) -> Example:
    spec = DatasetSpec("d", (item,), fields)
    return RowMapper(spec).example(Row(value, 7, **row), item)


def refused(value: Any, fields: Fields = OWN, item: DataFile = JSONL, **row: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        one(value, fields, item, **row)
    assert (caught.value.file, caught.value.line) == (item.path, 7)
    return caught.value


def test_banking77() -> None:
    items = {f"banking77/{split}.csv": DataFile(f"{split}.csv", split=split) for split in ("train", "test")}
    examples = mapped(items, Fields(input="text", metadata={"label": "category"}))
    assert pairs(examples) == truth("banking77")
    assert examples[0].metadata == {"label": "card_arrival"}


def test_clinc150_joins_the_domain_from_a_second_file() -> None:
    table = read_lookup(data_path("clinc150/domains.json").read_bytes(), "domains.json")
    fields = Fields(input="0", metadata={"label": "1", "domain": Lookup("domains.json", "1", groups=True)})
    examples = mapped(
        {"clinc150/data_full.json": DataFile("data_full.json", records="{split}")}, fields, {"domains.json": table}
    )
    found = sorted(
        (e.split, e.input, e.metadata["label"], e.metadata["domain"]) for e in examples if e.metadata["domain"]
    )
    expected = [(r["split"], r["input"], r["metadata"]["label"], r["metadata"]["domain"]) for r in prepared("clinc150")]
    assert found == sorted(row for row in expected if row[3])
    assert pairs(examples) == truth("clinc150")


def test_mbpp_splits_by_ranges() -> None:
    ranges = {"prompt": (1, 10), "test": (11, 510), "validation": (511, 600), "train": (601, 974)}
    item = DataFile("mbpp.jsonl", split=SplitRule("task_id", ranges=ranges))
    examples = mapped({"mbpp/mbpp.jsonl": item}, Fields(input="text", key="task_id", expected="code"))
    assert sorted((e.split, e.key, e.input) for e in examples) == sorted(
        (row["split"], row["id"], row["input"]) for row in prepared("mbpp")
    )


def test_mgsm_and_gsm8k() -> None:
    languages = sorted({row["split"] for row in prepared("mgsm")})
    columns = ("question", "answer")
    items = {
        f"mgsm/mgsm_{code}.tsv": DataFile(f"mgsm_{code}.tsv", split=code, header=False, columns=columns)
        for code in languages
    }
    assert pairs(mapped(items, Fields(input="question"))) == truth("mgsm")
    items = {f"gsm8k/{split}.jsonl": DataFile(f"{split}.jsonl", split=split) for split in ("train", "test")}
    assert pairs(mapped(items, Fields(input="question", expected="answer"))) == truth("gsm8k")


def test_snips_joins_chunks() -> None:
    folder = "snips2017"
    items = {}
    for path in sorted(data_path(f"{folder}/LICENSE").parent.glob("*/*.json*")):
        name = path.name.removesuffix(".gz")
        split, intent = name.split("_")[0], path.parent.name
        encoding = "latin-1" if name == "train_PlayMusic_full.json" else "utf-8"
        items[f"{folder}/{intent}/{name}"] = DataFile(name, split=split, records=intent, encoding=encoding)
    assert len(items) == 14
    examples = mapped(items, Fields(input=JoinedField("data.*.text")))
    assert pairs(examples) == sorted((row["split"].split("/")[0], row["input"]) for row in prepared("snips2017"))


def test_humaneval_and_its_proposal() -> None:
    name = "humaneval/HumanEval.jsonl"
    with data_path(name).open("rb") as stream:
        values = [row.value for row in read_rows(stream, DataFile("HumanEval.jsonl"), name)]
    proposal = propose_fields(values)
    assert (proposal.input, proposal.expected, proposal.key) == ("prompt", "canonical_solution", "task_id")
    examples = mapped({name: DataFile("HumanEval.jsonl", split="test")}, proposal.fields())
    assert pairs(examples) == truth("humaneval", "test")
    assert examples[0].key == "HumanEval/0"


def test_own_shape_needs_no_fields() -> None:
    value = {
        "key": 7,
        "input": {"q": 1.0},
        "expected": False,
        "metadata": {"a": None},
        "tags": ["x", "y"],
        "split": "dev",
        "source_kind": "human",
        "review_status": "",
        "synthetic": True,
        "source_id": "a",
        "other": 1,
    }
    assert one(value, item=DataFile("f.jsonl")) == Example(
        split="dev",
        input={"q": 1.0},
        key="7",
        expected=False,
        metadata={"a": None},
        tags=("x", "y"),
        source_kind="human",
        synthetic=True,
        source_id="a",
        line=7,
    )
    assert one({"payload": DIGEST}).has_input is False
    assert one("a line", item=DataFile("f.txt", split="s")).input == "a line"
    assert one({"input": "x"}, item=DataFile("f.json"), split="train").split == "train"
    assert one({"input": "x", "synthetic": "False", "tags": "a,b"}, item=CSV).tags == ("a,b",)


@pytest.mark.parametrize(
    ("value", "fields", "item", "slug", "field"),
    [
        ({"text": "x"}, Fields(), JSONL, "missing-input", "input"),
        ({"text": "x"}, Fields(input="txt"), CSV, "missing-column", "txt"),
        ({"a.b": "x"}, Fields(input="a.b"), JSONL, "missing-input", "a.b"),
        ({"input": None}, Fields(), JSONL, "missing-input", "input"),
        ([["x"]], Fields(), JSONL, "missing-input", "input"),
        ({"input": "x"}, Fields(expected="label"), JSONL, "missing-column", "label"),
        ({"input": "x"}, Fields(key="id"), JSONL, "missing-column", "id"),
        ({"input": "x"}, Fields(metadata={"m": "lang"}), CSV, "missing-column", "lang"),
        ({"input": "x", "key": ""}, Fields(), JSONL, "bad-key", "key"),
        ({"input": "x", "key": True}, Fields(), JSONL, "bad-key", "key"),
        ({"input": "x", "key": 1.0}, Fields(), JSONL, "bad-key", "key"),
        ({"input": "x", "tags": ["a", 1]}, Fields(), JSONL, "bad-tags", "tags"),
        ({"input": "x", "metadata": "m"}, Fields(), CSV, "bad-type", "metadata"),
        ({"input": "x", "synthetic": "maybe"}, Fields(), CSV, "bad-type", "synthetic"),
        ({"input": "x", "payload": "abc"}, Fields(), JSONL, "bad-payload", "payload"),
        ({"input": "x"}, Fields(), DataFile("f.jsonl"), "no-split", None),
        ({"input": "x", "split": ""}, Fields(), DataFile("f.jsonl"), "bad-split", "split"),
        (
            {"input": "x", "n": "7"},
            Fields(),
            DataFile("f.csv", SplitRule("n", ranges={"a": (1, 6.5)})),
            "bad-split",
            "n",
        ),
        ({"input": "x", "n": "x"}, Fields(), DataFile("f.csv", SplitRule("n", ranges={"a": (1, 6)})), "bad-split", "n"),
        ({"c": ["x"]}, Fields(input=JoinedField("c.*.t")), JSONL, "missing-input", "c.*.t"),
        ({"c": "x"}, Fields(input=JoinedField("c.*")), JSONL, "bad-type", "c.*"),
    ],
)
def test_refusals(value: Any, fields: Fields, item: DataFile, slug: str, field: str | None) -> None:
    error = refused(value, fields, item)
    assert (error.slug, error.field) == (slug, field)


SECRET = "held-out answer"
"""Short: what is long was never shown."""
_WHOLE = Fields(input="q", expected="a", key="id", split="part", tags="tags", synthetic="made", review_status="review")


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (SECRET, _WHOLE),
        ({SECRET * 4: "x"}, _WHOLE),
        ({"q": "x", "id": [SECRET], "part": "test"}, _WHOLE),
        ({"q": "x", "id": {SECRET: 1}, "part": "test"}, _WHOLE),
        ({"q": "x", "id": "1", "part": [SECRET]}, _WHOLE),
        ({"q": "x", "id": "1", "part": "test", "tags": [1, SECRET, 41.5]}, _WHOLE),
        ({"q": "x", "id": "1", "part": "test", "made": SECRET}, _WHOLE),
        ({"q": "x", "id": "1", "part": "test", "review": [SECRET]}, _WHOLE),
        ({"input": "x", "metadata": SECRET}, OWN),
        ({"input": "x", "payload": SECRET}, OWN),
        ({"input": {"turns": SECRET}}, Fields(input=JoinedField("input.turns.*.text", " "))),
        ({"input": {"turns": [{"text": [SECRET]}]}}, Fields(input=JoinedField("input.turns.*.text", " "))),
        ({"input": {"turns": [{"text": 41.5}]}}, Fields(input=JoinedField("input.turns.*.text", " "))),
    ],
    ids=str,
)
def test_what_stands_in_a_row_is_in_no_message(value: Any, fields: Fields) -> None:
    """A message reaches hooks, the logs of CI and defect reports, and the row may be held out."""
    item = DataFile("f.jsonl") if fields is _WHOLE else JSONL
    error = refused(value, fields, item)
    assert SECRET not in f"{error} {error.hint}"
    assert "41.5" not in f"{error} {error.hint}"


def test_hints_name_the_likely_column() -> None:
    assert refused({"text": "x"}, Fields(input="txt"), CSV).hint == "Did you mean 'text'?"
    hint = refused({"a.b": "x"}, Fields(input="a.b")).hint
    assert "a\\.b" in str(hint)


def test_rules_rename_and_compare_exactly() -> None:
    item = DataFile("f.csv", split=SplitRule("part", values={"val": "validation"}))
    assert [one({"input": "x", "part": part}, item=item).split for part in ("val", "test")] == ["validation", "test"]
    big = DataFile("f.csv", split=SplitRule("n", ranges={"a": (0, 2**53), "b": (2**53 + 1, 2**54)}))
    assert [one({"input": "x", "n": str(2**53 + add)}, item=big).split for add in (0, 1)] == ["a", "b"]
    assert one({"input": "x"}, Fields(metadata={"m": "lang"})).metadata == {}


def test_lookup_files() -> None:
    lookup = Lookup("l.json", "label", groups=True)
    spec = DatasetSpec("d", (JSONL,), Fields(metadata={"domain": lookup}))
    mapper = RowMapper(spec, {"l.json": {"bank": ["pin"]}})
    assert mapper.example(Row({"input": "x", "label": "oos"}, 1), JSONL).metadata == {"domain": None}
    with pytest.raises(DataError) as caught:
        RowMapper(spec, {"l.json": {"a": ["x"], "b": ["x"]}})
    assert caught.value.slug == "ambiguous-lookup"
    with pytest.raises(DataError):
        read_lookup(b"[]", "l.json")


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([{"text": "hello there my friend", "category": "a"}], ("text", "category", None)),
        (
            [{"question": "q", "answer": "a", "id": 1}, {"question": "r", "answer": "b", "id": 2}],
            ("question", "answer", "id"),
        ),
        (
            [{"question": "q", "answer": "a", "id": 1}, {"question": "r", "answer": "b", "id": 1}],
            ("question", "answer", None),
        ),
        ([{"prompt": "p", "input": "i", "output": "o"}], (None, "output", None)),
        ([{"body": "a body of some length, surely", "n": "1"}], ("body", None, None)),
        ([["a first text of some length", "oos"]], ("0", None, None)),
        ([{"text": "x", "label": "a", "answer": "b"}], ("text", None, None)),
        ([{"a.b": "a first text of some length"}], ("a\\.b", None, None)),
        ([], (None, None, None)),
    ],
)
def test_proposals(rows: list[Any], found: tuple[str | None, ...]) -> None:
    proposal = propose_fields(rows)
    assert (proposal.input, proposal.expected, proposal.key) == found
    assert proposal.reasons


def test_no_path_of_a_file_is_needed(tmp_path: Path) -> None:
    assert propose_fields([{"text": "a", "split": "test"}]).fields() == Fields(input="text")
