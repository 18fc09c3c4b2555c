"""A card where splits have names that the Hub does not take, or share a file; Croissant where rows are nested."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from heldout.domain.answer import Answer
from heldout.domain.describing.description import Description, FieldFacts, FileFacts, SliceFacts
from heldout.errors import UsageError
from heldout.reports.metadata.croissant import croissant
from heldout.reports.metadata.hf_card import hf_card
from heldout.storage.yaml.files import dump_yaml

DIGEST = "sha256:" + "0" * 64


def facts(path: str, kind: str = "jsonl", records: str | None = None, **by_split: int) -> FileFacts:
    splits = {name.replace("_", "-"): count for name, count in by_split.items()}
    return FileFacts(path, kind, "a" * 64, "b" * 32, 7, splits, records=records)


def about(*files: FileFacts, fields: tuple[FieldFacts, ...] = ()) -> Description:
    by_split: dict[str, int] = {}
    for file in files:
        for split, count in file.by_split.items():
            by_split[split] = by_split.get(split, 0) + count
    return Description(
        name="support/de",
        version=None,
        text="A | table <b>of</b> questions",
        licence=None,
        commit=None,
        source=DIGEST,
        content=DIGEST,
        files=files,
        fields=fields,
        by_split=by_split,
        held_out=frozenset({"held-out"} & by_split.keys()),
        slices=(),
        answer=Answer("support/de", DIGEST, (), ()),
    )


HOSTILE = "</td><script>x</script>`|a|` <!-- @all"


def test_a_name_on_a_card_is_a_name_and_a_description_no_html() -> None:
    """Read by a CommonMark parser with tables: no HTML is in it, and every row has its cells."""
    described = replace(
        about(FileFacts(f"{HOSTILE}.jsonl", "jsonl", "a" * 64, "b" * 32, 7, {HOSTILE: 3})),
        text=f"{HOSTILE}\n\n---\n# more",
        slices=(SliceFacts("odd", 1, DIGEST, HOSTILE, True),),
    )
    body = hf_card(described, dump_yaml).split("---\n", 2)[2]
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(body)
    children = [child for token in tokens for child in token.children or ()]
    assert not {token.type for token in (*tokens, *children)} & {"html_block", "link_open", "hr"}
    assert {child.content for child in children if child.type == "html_inline"} <= {"<b>", "</b>"}, (
        "ours, that parts @ from all"
    )
    assert f"{HOSTILE}.jsonl" in [child.content for child in children if child.type == "code_inline"]
    cells = [token.type for token in tokens].count("td_open")
    assert cells == 3 + 4, "a row of splits, and one of slices"


def head(card: str) -> dict[str, object]:
    found: dict[str, object] = YAML(typ="safe", pure=True).load(card.split("---\n")[1])
    return found


def test_names_that_the_hub_does_not_take_are_told() -> None:
    card = hf_card(about(facts("a.jsonl", held_out=3), facts("b.jsonl", train=5)), dump_yaml)
    assert head(card)["configs"] == [
        {
            "config_name": "default",
            "data_files": [{"split": "held_out", "path": ["a.jsonl"]}, {"split": "train", "path": ["b.jsonl"]}],
        }
    ]
    assert "| held-out (here `held_out`) | 3 | yes |" in card


def test_two_names_that_would_be_one_are_refused() -> None:
    both = about(FileFacts("a", "jsonl", "a", "b", 1, {"x-y": 1}), FileFacts("b", "jsonl", "a", "b", 1, {"x_y": 1}))
    with pytest.raises(UsageError, match="'x-y' and 'x_y' would both be called 'x_y'") as caught:
        hf_card(both, dump_yaml)
    assert caught.value.slug == "splits-collide"


def test_a_file_of_several_splits_has_no_place_under_data_files() -> None:
    assert "configs" not in head(hf_card(about(facts("a.jsonl", train=3, test=2)), dump_yaml))


@pytest.mark.parametrize(
    ("examples", "category"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (99_999, "10K<n<100K"), (1_000_000, "1M<n<10M"), (2_000_000_000, "1B<n<10B")],
)
def test_sizes_are_the_hubs_words(examples: int, category: str) -> None:
    assert head(hf_card(about(facts("a.jsonl", train=examples)), dump_yaml))["size_categories"] == [category]


def test_a_dataset_without_a_holdout_says_so() -> None:
    assert "has no held-out split" in hf_card(about(facts("a.jsonl", train=1)), dump_yaml)


def extracts(description: Description) -> dict[str, object]:
    document = json.loads(croissant(description))
    return {
        field["name"].rpartition("/")[2]: {key: value for key, value in field["source"].items() if key != "fileObject"}
        for records in document["recordSet"][1:]
        for field in records["field"]
    }


def test_nested_values_have_paths() -> None:
    fields = (
        FieldFacts("input", ("data", "text"), frozenset({"text"})),
        FieldFacts("metadata.first", ("labels", "0"), frozenset({"text"})),
        FieldFacts("key", None, frozenset({"text"})),
    )
    lines = about(facts("a.jsonl", train=1), fields=fields)
    assert extracts(lines) == {
        "input": {"extract": {"column": "data"}, "transform": {"jsonPath": "$.text"}},
        "metadata.first": {"extract": {"column": "labels"}, "transform": {"jsonPath": "$[0]"}},
    }
    document = about(facts("a.json", "json", "data.items", train=1), fields=fields)
    assert extracts(document) == {
        "input": {"extract": {"jsonPath": "$.data.items[*].data.text"}},
        "metadata.first": {"extract": {"jsonPath": "$.data.items[*].labels[0]"}},
    }


def test_plain_text_has_no_records() -> None:
    fields = (FieldFacts("input", ("input",), frozenset({"text"})),)
    document = json.loads(croissant(about(facts("a.txt", "txt", train=1), fields=fields)))
    assert [records["@id"] for records in document["recordSet"]] == ["splits"]
    assert document["name"] == "support-de"


def test_a_packed_file_is_named_by_its_packing() -> None:
    file = replace(facts("a.jsonl.gz", train=1))
    (entry,) = json.loads(croissant(about(file)))["distribution"]
    assert entry["encodingFormat"] == "application/gzip"
