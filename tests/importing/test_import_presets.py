"""Every preset over an export of its tool (tests/data/exports/README.md says how each came about)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.console import ROOT

from heldout.storage.importing.mapping_file import find_mapping, presets

EXPORTS = ROOT / "tests" / "data" / "exports"
PARCEL, BILL, LATER = "Where is my parcel?", "Wo ist meine Rechnung?", "Can I pay later?"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def imported(folder: Path, name: str, *options: str) -> list[dict[str, Any]]:
    done = heldout(folder, "import", str(EXPORTS / name), *options, "-o", "out.jsonl", "--json")
    assert done.code == 0, done.err
    rows = lines(folder / "out.jsonl")
    assert (done.json["format"], done.json["examples"]) == ("heldout/import@1", len(rows))  # held to its schema
    return rows


def imported_run(folder: Path, name: str, *options: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    done = heldout(folder, "results", "import", str(EXPORTS / name), *options, "-o", "run.jsonl", "--json")
    assert done.code == 0, done.err
    header, *rows = lines(folder / "run.jsonl")
    told = done.json
    cases = {(row.get("split"), row["key"]) for row in rows}
    assert (told["format"], told["cases"]) == ("heldout/run-import@1", len(cases))
    return header, rows


EXAMPLES: list[tuple[str, str, Sequence[str], list[tuple[str, Any, Any, Any]]]] = [
    (
        "inspect.json",
        "inspect",
        [],
        [("3", "a list", ["shipping", "x"], "de"), ("q-1", PARCEL, "shipping", "en"), ("q-2", BILL, "billing", "de")],
    ),
    (
        "inspect.eval",
        "inspect",
        [],
        [("3", "a list", ["shipping", "x"], "de"), ("q-1", PARCEL, "shipping", "en"), ("q-2", BILL, "billing", "de")],
    ),
    (
        "lm-eval.jsonl",
        "lm-eval",
        ["--set", "input=doc.question", "--set", "metadata.lang=doc.metadata.lang"],
        [("q-1", PARCEL, "shipping", "en"), ("q-2", BILL, "billing", "de"), ("q-3", LATER, "billing", "en")],
    ),
    (
        "promptfoo.json",
        "promptfoo",
        [],
        [("0", {"question": PARCEL}, PARCEL, "en"), ("1", {"question": BILL}, "billing", "de")],
    ),
    (
        "promptfoo.jsonl",
        "promptfoo",
        [],
        [("0", {"question": PARCEL}, PARCEL, "en"), ("1", {"question": BILL}, "billing", "de")],
    ),
    (
        "langfuse-items.json",
        "langfuse",
        [],
        [
            ("item-1", {"question": PARCEL}, "shipping", "en"),
            ("item-2", {"question": BILL}, "billing", "de"),
            ("item-3", {"question": LATER}, "billing", "en"),
        ],
    ),
    (
        "braintrust-dataset.json",
        "braintrust",
        [],
        [("row-1", PARCEL, "shipping", "en"), ("row-2", BILL, "billing", "de"), ("row-3", LATER, "billing", "en")],
    ),
]


@pytest.mark.parametrize(("file", "preset", "options", "expected"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_examples(
    tmp_path: Path, file: str, preset: str, options: Sequence[str], expected: list[tuple[str, Any, Any, Any]]
) -> None:
    rows = imported(tmp_path, file, "--as", preset, *options)
    found = [(row["key"], row["input"], row["expected"], row["metadata"]["lang"]) for row in rows]
    assert sorted(found, key=lambda row: row[0]) == expected


@pytest.mark.parametrize("file", ["langsmith.json", "langsmith.jsonl"])
def test_langsmith_splits_are_ours(tmp_path: Path, file: str) -> None:
    rows = imported(tmp_path, file, "--as", "langsmith")
    assert [(row["key"][-1], row["split"], row["input"], row["expected"]) for row in rows] == [
        ("1", "test", {"question": PARCEL}, {"answer": "shipping"}),
        ("2", "test", {"question": BILL}, {"answer": "billing"}),
        ("3", "train", {"question": LATER}, {"answer": "billing"}),
    ]


def test_tags_are_kept(tmp_path: Path) -> None:
    rows = imported(tmp_path, "braintrust-dataset.json", "--as", "braintrust", "--split", "test")
    assert [row.get("tags") for row in rows] == [["new"], None, None]
    assert {row["split"] for row in rows} == {"test"}


RUNS: list[tuple[str, str, Sequence[str], dict[str, dict[str, Any]]]] = [
    (
        "inspect.json",
        "inspect",
        [],
        {"exact": {"3": True, "q-1": True, "q-2": False}, "includes": {"3": True, "q-1": True, "q-2": False}},
    ),
    (
        "inspect.eval",
        "inspect",
        ["--only", "epoch=2", "--metric", "exact"],
        {"exact": {"3": True, "q-1": True, "q-2": False}},
    ),
    (
        "lm-eval.jsonl",
        "lm-eval",
        ["--only", "filter=strict"],
        {"exact_match": {"q-1": False, "q-2": False, "q-3": False}},
    ),
    (
        "promptfoo.json",
        "promptfoo",
        ["--only", "promptIdx=0"],
        {"pass_rate": {"0": True, "1": False}, "match": {"0": 1.0, "1": 0.0}},
    ),
    (
        "langfuse-experiment.json",
        "langfuse",
        [],
        {
            "correct": {"item-1": True, "item-2": False, "item-3": None},
            "helpfulness": {"item-1": 0.75, "item-2": 0.25, "item-3": None},
        },
    ),
    (
        "braintrust-experiment.jsonl",
        "braintrust",
        ["--rate", "ExactMatch"],
        {
            "Factuality": {"row-1": 1.0, "row-2": 0.6, "row-3": None},
            "ExactMatch": {"row-1": True, "row-2": False, "row-3": None},
        },
    ),
]


@pytest.mark.req("O1")
@pytest.mark.parametrize(("file", "preset", "options", "expected"), RUNS, ids=[row[0] for row in RUNS])
def test_runs(
    tmp_path: Path, file: str, preset: str, options: Sequence[str], expected: Mapping[str, Mapping[str, Any]]
) -> None:
    _, rows = imported_run(tmp_path, file, "--as", preset, *options)
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        (result,) = [row[name] for name in ("outcome", "score") if name in row]
        found.setdefault(row["metric"], {})[row["key"]] = result
    assert found == expected
    assert {type(value) for metric in expected.values() for value in metric.values()} == {
        type(value) for metric in found.values() for value in metric.values()
    }
    reported = heldout(
        tmp_path, "results", "report", "run.jsonl", "--slice", "metadata.lang", "--allow", "unknown", "--json"
    )
    assert reported.code == 0, reported.err
    assert {metric["metric"] for metric in json.loads(reported.out)["metrics"]} == set(expected)


def test_lm_eval_metrics_that_the_task_lists(tmp_path: Path) -> None:
    _, rows = imported_run(tmp_path, "lm-eval-choice.jsonl", "--as", "lm-eval")
    assert {(row["metric"], row["key"]) for row in rows if row["outcome"]} == {
        (metric, key) for metric in ("acc", "acc_norm") for key in ("q-1", "q-2", "q-3")
    } - {(metric, row["key"]) for metric in ("acc", "acc_norm") for row in rows if not row["outcome"]}
    assert len(rows) == 6


def test_tool_calls_become_a_trajectory(tmp_path: Path) -> None:
    header, rows = imported_run(tmp_path, "inspect.json", "--as", "inspect", "--metric", "exact")
    steps = [{"tool": "lookup", "arguments": {"topic": "post"}}]
    assert [row["trajectory"] for row in rows] == [{"schema": "agent_trajectory/v1", "steps": steps}] * 3
    assert (header["model"], header["system"]) == ("mockllm/model", "support")


def test_spans_of_a_case_are_no_cases(tmp_path: Path) -> None:
    done = heldout(
        tmp_path,
        "results",
        "import",
        str(EXPORTS / "braintrust-experiment.jsonl"),
        "--as",
        "braintrust",
        "-o",
        "x.jsonl",
    )
    assert "3 rows left out by `only`" in done.out


def test_several_results_for_a_case_are_refused_with_the_way_out(tmp_path: Path) -> None:
    for file, preset, told in [
        ("inspect.eval", "inspect", "--only epoch=2"),
        ("lm-eval.jsonl", "lm-eval", "--only filter=flexible"),
        ("promptfoo.json", "promptfoo", "--only promptIdx="),
    ]:
        done = heldout(tmp_path, "results", "import", str(EXPORTS / file), "--as", preset, "-o", "x.jsonl")
        assert done.code == 2
        assert "[repeated-result]" in done.err
        assert told in done.err
        assert PARCEL not in done.err
        assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_a_mapping_of_its_name(name: str, tmp_path: Path) -> None:
    mapping = find_mapping(name)
    assert mapping.name == name
    assert mapping.about
    shown = heldout(tmp_path, "import", "--show", name)
    (tmp_path / "mine.yaml").write_text(shown.out, encoding="utf-8")
    assert find_mapping(str(tmp_path / "mine.yaml")) == mapping


def test_an_imported_dataset_can_be_added(tmp_path: Path) -> None:
    """Rows are in Heldout's own record shape: no fields are needed."""
    from heldout.domain.dataset import DataFile, DatasetSpec
    from heldout.storage.readers import read_rows
    from heldout.storage.rows import RowMapper

    imported(tmp_path, "langsmith.json", "--as", "langsmith")
    item = DataFile("out.jsonl")
    with (tmp_path / "out.jsonl").open("rb") as stream:
        mapper = RowMapper(DatasetSpec("x", (item,)))
        examples = [mapper.example(row, item) for row in read_rows(stream, item, "out.jsonl")]
    assert [example.split for example in examples] == ["test", "test", "train"]
    assert examples[0].input == {"question": PARCEL}
