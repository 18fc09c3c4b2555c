"""A dataset that declares a JSON Schema for its rows: what fits is read, the rest refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.story import Team

from heldout.domain.dataset import DataFile, DatasetSpec, Fields, RowSchema
from heldout.errors import ConfigError, DataError
from heldout.services.reading import Reading, read_version
from heldout.services.sources import PlainFiles
from heldout.storage.catalog import Catalog
from heldout.storage.dataset_file import parse_dataset, render_dataset
from heldout.storage.splitting.row_schema import row_schema, shipped_schema
from heldout.storage.trees import FolderTree

FIELDS = Fields(input="issue", expected="expected", key="id", split="split", source_id="source_id")
CASES = RowSchema("case@1", shipped_schema("case@1"))


def row(name: str, issue: str = "It breaks", **more: Any) -> dict[str, Any]:
    return {"id": name, "issue": issue, "expected": {"label": "bug"}, "split": "held_out", **more}


def read(
    folder: Path, rows: list[Any], schema: RowSchema | None = CASES, fields: Fields = FIELDS, bad: str = "refuse"
) -> Reading:
    (folder / "rows.jsonl").write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    spec = DatasetSpec("cases", (DataFile("rows.jsonl"),), fields, on_bad_row=bad, schema=schema)
    return read_version(spec, "sha256:0", PlainFiles(folder))


@pytest.mark.req("C1")
def test_cases_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, [row("a"), row("b", source_id="a", split="development")])
    assert [(member.split, member.key) for member in found.members] == [("held_out", "a"), ("development", "b")]
    assert found.holdout_splits == ("held_out",)
    assert found.sources == {1: "a"}


@pytest.mark.req("C1", "C2", "C3", "C5", "C6")
@pytest.mark.parametrize(
    ("second", "field", "reason"),
    [
        (row("b", note=1), "note", "unknown field"),
        (row("b", "?!"), "issue", "issue must contain letters or digits"),
        (row("B"), "id", "lower-case letters"),
        (row("b", expected={"label": "chore"}), "expected.label", "expected one of bug"),
        (row("a"), "id", "duplicate case ID"),
        (row("a", split="development"), "id", "duplicate case ID"),
        (row("b", source_id="gone"), "source_id", "source_id must name an original case"),
        (row("b", source_id="b"), "source_id", "source_id must name an original case"),
    ],
)
def test_what_is_no_case_is_refused_with_file_line_and_field(
    tmp_path: Path, second: dict[str, Any], field: str, reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, [row("a"), second])
    error = caught.value
    assert (error.slug, error.file, error.line, error.field) == ("bad-case", "rows.jsonl", 2, field)
    assert reason in error.message


def test_rows_that_are_skipped_are_counted_and_their_ids_are_free(tmp_path: Path) -> None:
    found = read(tmp_path, [row("a"), row("b", note=1), row("b")], bad="skip")
    assert [member.key for member in found.members] == ["a", "b"]
    assert [error.line for error in found.skipped] == [2]


@pytest.mark.parametrize(
    ("schema", "value", "field", "reason"),
    [
        ({"type": "object", "required": ["a", "b"]}, {"a": 1}, "b", "this field is missing"),
        (
            {"properties": {"a": {"type": ["integer", "null"]}}},
            {"a": 1.5},
            "a",
            "expected integer or null, found number",
        ),
        ({"properties": {"a": {"items": {"maxLength": 2}}}}, {"a": ["x", "secret"]}, "a[1]", "the rule maxLength: 2"),
        ({"properties": {"a": {"minimum": 3}}}, {"a": 2}, "a", "breaks the rule minimum: 3"),
        ({"$defs": {"n": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}, {"a": 1}, "a", "string"),
        ({"prefixItems": [{"const": 1}]}, [2], "[0]", "breaks the rule const: 1"),
        ({"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}, {"a": "secret"}, None, "breaks the rule anyOf"),
        (False, {}, None, "breaks"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]},
            [1],
            "[0]",
            "found integer",
        ),
    ],
)
def test_misfits_name_field_and_rule_and_no_value(schema: Any, value: Any, field: str | None, reason: str) -> None:
    found = row_schema(json.dumps(schema).encode(), "rows.json").misfit(value)
    assert found is not None
    assert found.field == field
    assert reason in found.reason
    assert "secret" not in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "3",
        '{"type": "text"}',
        '{"properties": []}',
        '{"$ref": "#/nowhere"}',
        '{"pattern": "["}',
        '{"$schema": "https://localhost:9/dialect"}',
        '{"$ref": "http://localhost:9/x"}',
    ],
)
def test_what_is_no_schema_is_refused_and_nothing_is_fetched(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        row_schema(text.encode(), "rows.json").misfit({"a": 1})
    assert (caught.value.slug, caught.value.file) == ("bad-schema", "rows.json")


def test_dataset_yaml_says_it_and_the_source_digest_follows_its_content(tmp_path: Path) -> None:
    plain = b"format: heldout/dataset@1\nname: a\ndata: [{path: a.jsonl}]\n"
    spec = parse_dataset(plain + b"schema: rows.json\n", "dataset.yaml")
    assert spec.schema == RowSchema("rows.json")
    assert parse_dataset(render_dataset(spec), "dataset.yaml") == spec
    folder = tmp_path / "datasets/a"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_bytes(plain + b"schema: rows.json\n")
    with pytest.raises(ConfigError, match=r"there is no file rows\.json"):
        Catalog(FolderTree(tmp_path)).spec("a")
    meanings = []
    for text in ("{}", '{"type": "object"}'):
        (folder / "rows.json").write_text(text, encoding="utf-8")
        meanings.append(Catalog(FolderTree(tmp_path)).spec("a").meaning())
    assert meanings[0] != meanings[1]
    assert "schema" not in parse_dataset(plain, "dataset.yaml").meaning()
    (folder / "dataset.yaml").write_bytes(plain + b"schema: case@1\n")
    assert Catalog(FolderTree(tmp_path)).spec("a").meaning()["schema"] == "case@1"
    for wrong in (b"schema: case@2\n", b"schema: /a.json\n", b"schema: 3\n", b"schema: ''\n"):
        with pytest.raises(ConfigError):
            parse_dataset(plain + wrong, "dataset.yaml")


@pytest.mark.req("C3", "C14")
def test_a_commit_refuses_a_case_and_finds_a_crossing(tmp_path: Path) -> None:
    team = Team.start(tmp_path)
    team.write(
        "datasets/triage/dataset.yaml",
        "format: heldout/dataset@1\nname: triage\ndata: [{path: cases.json, records: cases}]\nschema: case@1\n"
        "fields: {input: issue, expected: expected, key: id, split: split, source_id: source_id}\n",
    )

    def cases(*rows: dict[str, Any]) -> None:
        text = json.dumps({"name": "triage", "version": 1, "cases": rows}, indent=1)
        team.write("datasets/triage/cases.json", text)
        team.track("datasets/triage/cases.json")

    cases(row("a", split="development"), row("b", "??"))
    refused = team.run("commit", "-q", "-m", "x")
    assert refused.returncode == 1
    assert "issue must contain letters or digits [bad-case]" in refused.stderr
    cases(row("a", split="development"), row("b", "Another thing", source_id="a"))
    assert "1 held-out example is given away" in team.save("Add triage")
    told = heldout(team.path, "split", "check", "datasets/triage/cases.json")
    assert "block: source crosses split: b was made from a, on the other side" in told.out
