"""dataset.yaml: read, written back the same, and refused with file, line and field."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.dataset import DataFile, DatasetSpec, Fields, JoinedField, Lookup, SplitRule
from heldout.errors import ConfigError
from heldout.storage.dataset_file import parse_dataset, render_dataset

FULL = rb"""format: heldout/dataset@1
name: support/en
description: "Questions: real ones"
role: capability
data:
  - {path: train.csv, split: train}
  - path: all.jsonl.gz
    split: {field: task_id, ranges: {test: [1, 10.5]}}
    format: jsonl
    encoding: latin-1
  - {path: x.tsv, header: false, columns: [a, b], delimiter: "\t", split: {field: a, values: {val: dev}}}
  - {path: c.json, records: "data.{split}"}
fields:
  input: {path: data.*.text, join: " "}
  key: meta.id\.x
  expected: label
  metadata: {domain: {path: domains.json, field: "1", groups: true}, lang: meta.lang}
holdout: [test]
on_bad_row: skip
"""

SPEC = DatasetSpec(
    name="support/en",
    description="Questions: real ones",
    role="capability",
    data=(
        DataFile("train.csv", split="train"),
        DataFile(
            "all.jsonl.gz", split=SplitRule("task_id", ranges={"test": (1, 10.5)}), format="jsonl", encoding="latin-1"
        ),
        DataFile(
            "x.tsv", header=False, columns=("a", "b"), delimiter="\t", split=SplitRule("a", values={"val": "dev"})
        ),
        DataFile("c.json", records="data.{split}"),
    ),
    fields=Fields(
        input=JoinedField("data.*.text", " "),
        key="meta.id\\.x",
        expected="label",
        metadata={"domain": Lookup("domains.json", "1", groups=True), "lang": "meta.lang"},
    ),
    holdout=("test",),
    on_bad_row="skip",
)


def test_everything_is_read_and_written_back() -> None:
    assert parse_dataset(FULL, "dataset.yaml") == SPEC
    assert parse_dataset(render_dataset(SPEC), "dataset.yaml") == SPEC
    assert render_dataset(SPEC) == render_dataset(parse_dataset(render_dataset(SPEC), "d"))


def test_defaults_are_not_written() -> None:
    spec = DatasetSpec("d", (DataFile("a.csv", split="no"),))
    assert render_dataset(spec) == b'format: heldout/dataset@1\nname: d\ndata:\n- path: a.csv\n  split: "no"\n'
    assert parse_dataset(render_dataset(spec), "f") == spec


HEAD = "format: heldout/dataset@1\nname: d\ndata:\n- path: a.csv\n"


@pytest.mark.parametrize(
    ("text", "slug", "line", "field"),
    [
        ("", "wrong-type", None, None),
        ("name: d\n", "unknown-format", None, "format"),
        ("format: heldout/dataset@2\nname: d\n", "unknown-format", 1, "format"),
        ("format: heldout/dataset@1\ndata: []\n", "missing-key", None, "name"),
        (HEAD.replace("name: d", "name: a//b"), "bad-name", 2, "name"),
        (HEAD.replace("name: d", "name: a/scans"), "bad-name", 2, "name"),
        (HEAD.replace("name: d", "name: 12"), "wrong-type", 2, "name"),
        (HEAD + "feilds: {}\n", "unknown-key", 5, "feilds"),
        (HEAD + "  spilt: x\n", "unknown-key", 5, "data[0].spilt"),
        (HEAD + "  header: no\n", "wrong-type", 5, "data[0].header"),
        (HEAD + "  header: false\n", "missing-key", 5, "data[0].header"),
        (HEAD + "  format: cvs\n", "bad-value", 5, "data[0].format"),
        (HEAD + "  delimiter: '::'\n", "bad-value", 5, "data[0].delimiter"),
        (HEAD + "  split: 3\n", "wrong-type", 5, "data[0].split"),
        (HEAD + "  split: {values: {a: b}}\n", "missing-key", 5, "data[0].split"),
        (HEAD + "  split: {field: n, ranges: {a: [3, 1]}}\n", "bad-value", 5, "data[0].split.ranges.a"),
        (HEAD + "  split: {field: n, ranges: {a: [1, 3], b: [3, 4]}}\n", "bad-value", 5, "data[0].split.ranges.b"),
        (HEAD + "  split: s\n  records: '{split}'\n", "bad-value", 5, "data[0].split"),
        (HEAD + "- path: a.csv\n", "bad-value", 5, "data[1].path"),
        (HEAD + "- path: /etc/x.csv\n", "bad-value", 5, "data[1].path"),
        (HEAD + "- path: b/../a.csv\n", "bad-value", 5, "data[1].path"),
        (HEAD + "fields:\n  input: text\n  key: text\n", "key-is-input", 7, "fields.key"),
        (HEAD + "fields:\n  input: a..b\n", "bad-path", 6, "fields.input"),
        (HEAD + "fields: {metadata: {m: {path: x.json}}}\n", "missing-key", 5, "fields.metadata.m"),
        (HEAD + "holdout: test\n", "wrong-type", 5, "holdout"),
        (HEAD + "holdout: [test, test]\n", "bad-value", 5, "holdout[1]"),
        (HEAD + "on_bad_row: ignore\n", "bad-value", 5, "on_bad_row"),
        (HEAD + "name: e\n", "duplicate-key", 5, None),
    ],
)
def test_refusals(text: str, slug: str, line: int | None, field: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_dataset(text.encode(), "datasets/d/dataset.yaml")
    error = caught.value
    assert (error.file, error.slug, error.line, error.field) == ("datasets/d/dataset.yaml", slug, line, field)


def test_unknown_keys_come_with_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_dataset((HEAD + "feilds: {}\n").encode(), "f")
    assert caught.value.hint == "Did you mean 'fields'?"


names = st.from_regex(r"[a-z][a-z0-9 :#'_-]{0,6}[a-z0-9]", fullmatch=True)
files = st.builds(
    DataFile,
    path=names,
    split=st.none() | names | st.builds(SplitRule, names, st.dictionaries(names, names, max_size=2)),
    encoding=st.sampled_from(["utf-8", "latin-1"]),
    columns=st.lists(names, max_size=3, unique=True).map(tuple),
)


@given(st.lists(files, min_size=1, max_size=3, unique_by=lambda item: item.path), names, st.none() | st.tuples(names))
@settings(max_examples=50, deadline=None)
def test_any_description_is_read_back(items: list[DataFile], text: str, holdout: tuple[str, ...] | None) -> None:
    spec = DatasetSpec("d", tuple(items), Fields(input=text), holdout, description=text)
    assert parse_dataset(render_dataset(spec), "f") == spec


@pytest.mark.parametrize("wrong", ["datas", "Data", "dat"])
def test_a_misspelt_needed_key_is_named_rather_than_missed(wrong: str) -> None:
    text = f"format: heldout/dataset@1\nname: e\n{wrong}:\n  - {{path: a.csv, split: a}}\n"
    with pytest.raises(ConfigError) as refused:
        parse_dataset(text.encode(), "dataset.yaml")
    assert (refused.value.slug, refused.value.line, refused.value.hint) == ("unknown-key", 3, "Did you mean 'data'?")
