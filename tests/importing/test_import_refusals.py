"""What is wrong with a mapping, a command or a row, said with file, line and path, and without anybody's text."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.console import ROOT

from heldout.domain.importing.provenance import parse_provenance
from heldout.integrations.holdout import Provenance, SliceUsed

SECRET = "nobody may read this"
MAPPING = """\
format: heldout/mapping@1
name: mine
rows: [items, .]
apart: [attempt]
only: {kind: [case, null]}
dataset:
  key: id
  input: [question, text]
  expected: answer
  split: set
  tags: labels
  metadata: {lang: about.lang}
run:
  key: id
  split: set
  metrics:
    named: {pass_rate: ok}
    each: scores
  values: {yes: true, no: false}
  missing: {state: [lost]}
  excluded: why_not
  retrieval: {retrieved: found.*.id, dropped: cut}
  trajectory: {steps: calls.*, tool: name, arguments: input, agent: by}
  route: path
  confidence: sure
  metadata: about
"""


def write(folder: Path, rows: list[Any], name: str = "export.jsonl", mapping: str = MAPPING) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "mine.yaml").write_text(mapping, encoding="utf-8")


def dataset(folder: Path, *options: str, name: str = "export.jsonl") -> Any:
    return heldout(folder, "import", name, "--as", "mine.yaml", "-o", "out.jsonl", *options)


def run(folder: Path, *options: str, name: str = "export.jsonl") -> Any:
    return heldout(folder, "results", "import", name, "--as", "mine.yaml", "-o", "out.jsonl", *options)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_any_json_is_an_input(tmp_path: Path) -> None:
    inputs: list[Any] = [["a", {"b": 1.0}], 7, False, {"x": None}, "text\u2028end"]
    write(tmp_path, [{"id": n, "question": value, "set": "test"} for n, value in enumerate(inputs)])
    assert dataset(tmp_path).code == 0
    assert [row["input"] for row in rows_of(tmp_path)] == inputs
    assert "1.0" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_every_part_of_a_result_is_carried_over(tmp_path: Path) -> None:
    whole = {
        "id": "a", "set": "test", "ok": "yes", "scores": {"f1": 0.5}, "found": [{"id": "p1"}, {"id": "p2"}], "cut": 1,
        "calls": [{"name": "look", "input": '{"q": 1}', "by": "triage"}, {"name": "send"}], "path": "triage>billing",
        "sure": 0.75, "about": {"lang": "de"},
    }  # fmt: skip
    lost = {"id": "b", "set": "test", "ok": "no", "state": "lost", "calls": [], "about": {"lang": "en"}}
    out = {"id": "c", "set": "test", "ok": "no", "why_not": "the judge refused"}
    write(tmp_path, [whole, lost, out, {"id": "d", "kind": "span"}])
    done = run(tmp_path, "--run", "r-1")
    assert done.code == 0, done.err
    parts = {
        "trajectory": {
            "schema": "agent_trajectory/v1",
            "steps": [{"tool": "look", "arguments": {"q": 1}, "agent": "triage"}, {"tool": "send"}],
        },
        "retrieval": {"retrieved": ["p1", "p2"], "dropped": 1},
        "route": "triage>billing",
        "confidence": 0.75,
        "metadata": {"lang": "de"},
    }
    bare = {"trajectory": {"schema": "agent_trajectory/v1", "steps": []}, "metadata": {"lang": "en"}}
    header, *rows = rows_of(tmp_path)
    assert header["run"] == "r-1"
    assert rows == [
        {"key": "a", "split": "test", "metric": "pass_rate", "outcome": True, **parts},
        {"key": "a", "split": "test", "metric": "f1", "score": 0.5, **parts},
        {"key": "b", "split": "test", "metric": "pass_rate", "outcome": None, **bare},
        {"key": "b", "split": "test", "metric": "f1", "score": None, **bare},
        {"key": "c", "split": "test", "metric": "pass_rate", "excluded": "the judge refused"},
        {"key": "c", "split": "test", "metric": "f1", "excluded": "the judge refused"},
    ]
    reported = heldout(
        tmp_path, "results", "report", "out.jsonl", "--slice", "metadata.lang", "--missing-as-slice",
        "--allow", "unknown",
    )  # fmt: skip
    assert reported.code == 0, reported.err
    assert "1 missing · 1 excluded" in reported.out


def test_a_named_version_keeps_its_own_metadata(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "ok": True, "about": {"lang": "de"}}])
    assert run(tmp_path, "--dataset", "support@v1.0.0", "--split", "test").code == 0
    header, row = rows_of(tmp_path)
    assert (header["dataset"], header["split"]) == ("support@v1.0.0", "test")
    assert "metadata" not in row


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ({"id": "a", "text": None}, "text", "the input is null (question or text)"),
        ({"id": "a", "texts": 1}, "question", "there is no input (question or text); the row has 'id', 'texts'"),
        ({"id": ["a"], "text": SECRET}, "id", "a key is a text or a whole number, found a list"),
        ({"text": SECRET}, "id", "there is no key (id); the row has 'text'"),
        ({"id": "a", "text": SECRET, "set": ["test", "train"]}, "set", "expected one split, found 2 splits"),
        ({"id": "a", "text": SECRET, "labels": SECRET}, "labels", "expected a list of texts, found a text"),
        (SECRET, "question", "the row is a text"),
    ],
)
def test_a_row_that_is_no_example(tmp_path: Path, row: Any, field: str, words: str) -> None:
    write(tmp_path, [{"id": "first", "text": "x"}, row])
    done = dataset(tmp_path)
    assert done.code == 2
    assert f"export.jsonl:2 (field {field}): " in done.err
    assert words in done.err
    assert "[bad-import-row]" in done.err
    assert SECRET not in done.err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ({"id": "a", "ok": SECRET}, "ok", "expected true, false or a number for 'pass_rate', found a text"),
        ({"id": "a", "scores": {"f1": [1]}}, "scores.f1", "expected true, false or a number for 'f1', found a list"),
        ({"id": "a", "scores": 3}, "scores", "expected results by metric, found a number"),
        ({"id": "a", "ok": 1, "scores": {"pass_rate": 1}}, "scores.pass_rate", "the metric 'pass_rate' is there twice"),
        ({"id": "a", "ok": 1, "sure": SECRET}, "sure", "expected a number, found a text"),
        ({"id": "a", "ok": 1, "path": 3}, "path", "expected a route like a>b, found a number"),
        ({"id": "a", "ok": 1, "calls": [{"x": 1}]}, "name", "expected the name of a tool, found nothing"),
    ],
)
def test_a_row_that_is_no_result(tmp_path: Path, row: Any, field: str, words: str) -> None:
    write(tmp_path, [{"id": "first", "ok": True}, row])
    done = run(tmp_path)
    assert done.code == 2
    assert f"export.jsonl:2 (field {field}): {words}" in done.err
    assert "[bad-import-row]" in done.err
    assert SECRET not in done.err


def test_a_rate_is_zero_or_one(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "scores": {"f1": 1}}, {"id": "b", "scores": {"f1": 0.5}}])
    assert "neither 0 nor 1" in run(tmp_path, "--rate", "f1").err
    assert run(tmp_path).code == 0
    assert [row["score"] for row in rows_of(tmp_path)[1:]] == [1.0, 0.5]


@pytest.mark.parametrize(
    ("line", "new", "slug", "place"),
    [
        ("  key: id", "  kee: id", "unknown-key", "mine.yaml:7"),
        ("format: heldout/mapping@1", "format: heldout/mapping@2", "unknown-format", "mine.yaml:1"),
        ("  expected: answer", "  expected: a..b", "bad-path", "mine.yaml:9"),
        ("  expected: answer", "  expected: 3", "wrong-type", "mine.yaml:9"),
        ("  values: {yes: true, no: false}", "  values: {yes: maybe}", "bad-value", "mine.yaml:19"),
        ("    each: scores", "    every: scores", "unknown-key", "mine.yaml:18"),
        ("name: mine", "read: word", "missing-key", "mine.yaml"),
    ],
)
def test_a_mapping_that_breaks_its_format(tmp_path: Path, line: str, new: str, slug: str, place: str) -> None:
    write(tmp_path, [{"id": "a", "text": "x"}], mapping=MAPPING.replace(line, new, 1))
    done = dataset(tmp_path)
    assert done.code == 2
    assert f"[{slug}]" in done.err
    assert place in done.err


def test_the_command_line_is_held_to_what_it_says(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "text": "x", "ok": True}])
    for options, slug in [
        (["--set", "inputs=x"], "bad-value"),
        (["--set", "input"], "bad-value"),
        (["--only", "a..b=1"], "bad-value"),
        (["--only", "id=other"], "no-rows"),
    ]:
        assert f"[{slug}]" in dataset(tmp_path, *options).err
    assert "[unknown-metric]" in run(tmp_path, "--metric", "f1").err
    assert "[unknown-preset]" in heldout(tmp_path, "import", "export.jsonl", "--as", "x", "-o", "o.jsonl").err
    assert "[missing-option]" in heldout(tmp_path, "import", "export.jsonl", "--as", "langsmith").err
    (tmp_path / "some.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    refused = heldout(tmp_path, "results", "import", "some.jsonl", "--as", "langsmith", "-o", "o.jsonl")
    assert "[no-such-import]" in refused.err


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "text": "x", "ok": True}])
    (tmp_path / "out.jsonl").write_text("mine\n", encoding="utf-8")
    for done in (dataset(tmp_path), run(tmp_path)):
        assert done.code == 2
        assert "[output-exists]" in done.err
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "mine\n"


def test_one_key_for_two_examples_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "text": SECRET}, {"id": "a", "text": "other"}])
    done = dataset(tmp_path)
    assert "export.jsonl:2: the key 'a' was met before, with another example [import-conflict]" in done.err


def test_a_document_of_another_kind(tmp_path: Path) -> None:
    write(tmp_path, [])
    (tmp_path / "export.json").write_text(json.dumps({"rows": [], "meta": SECRET}), encoding="utf-8")
    done = dataset(tmp_path, name="export.json")
    assert "expected a list of rows at items or the document itself; the document is an object with" in done.err
    assert "[rows-not-found]" in done.err
    assert SECRET not in done.err


@pytest.mark.parametrize(("damage", "slug"), [("cut", "bad-zip"), ("flipped", "bad-z"), ("headless", "bad-zip")])
def test_a_damaged_log(tmp_path: Path, damage: str, slug: str) -> None:
    good = (ROOT / "tests/data/exports/inspect.eval").read_bytes()
    path = tmp_path / "log.eval"
    if damage == "cut":
        path.write_bytes(good[:9000])
    elif damage == "flipped":
        with zipfile.ZipFile(io.BytesIO(good)) as archive:
            at = archive.getinfo("samples/q-2_epoch_1.json").header_offset + 400
        path.write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("samples/a_epoch_1.json", '{"id": "a"}')
    done = heldout(tmp_path, "import", "log.eval", "--as", "inspect", "-o", "out.jsonl")
    assert done.code == 2
    assert f"[{slug}" in done.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_log_packed_as_zip_files_usually_are(tmp_path: Path) -> None:
    sample = {"id": "a", "epoch": 1, "input": "x", "target": "y", "scores": {"exact": {"value": "C"}}}
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for number in (10, 9):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps({**sample, "id": number}))
    assert heldout(tmp_path, "import", "log.eval", "--as", "inspect", "-o", "out.jsonl").code == 0
    assert [row["key"] for row in rows_of(tmp_path)] == ["9", "10"]


def test_nan_is_a_missing_score_and_no_part_of_an_example(tmp_path: Path) -> None:
    """Inspect writes NaN, which is no JSON, for a sample that was not scored; the word in a text stays."""
    samples = '{"id": "a", "epoch": 1, "input": "NaN, Infinity", "target": "y", "scores": {"s": {"value": NaN}}}'
    (tmp_path / "log.json").write_text('{"eval": {"run_id": "r"},\n"samples": [' + samples + "]}", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"run_id": "r"}, "results": NaN}')
        archive.writestr("samples/a_epoch_1.json", samples)
    (tmp_path / "lm.jsonl.gz").write_bytes(gzip.compress(b'{"doc_id": 1, "metrics": ["s"], "s": -Infinity}\n'))
    for file, preset, key in [
        ("log.json", "inspect", "a"),
        ("log.eval", "inspect", "a"),
        ("lm.jsonl.gz", "lm-eval", "1"),
    ]:
        done = heldout(tmp_path, "results", "import", file, "--as", preset, "-o", f"{file}.run")
        assert done.code == 0, done.err
        _, row = [json.loads(line) for line in (tmp_path / f"{file}.run").read_text(encoding="utf-8").splitlines()]
        assert row == {"key": key, "metric": "s", "outcome": None}
    for file in ("log.json", "log.eval"):
        done = heldout(tmp_path, "import", file, "--as", "inspect", "-o", "x.jsonl")
        assert (done.code, "[not-finite]" in done.err) == (2, True), done.err


def test_what_is_printed_as_json(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "text": "x", "set": "test", "ok": True}, {"id": "a", "text": "x", "set": "test"}])
    told = json.loads(dataset(tmp_path, "--json").out)
    assert (told["examples"], told["by_split"], told["repeated"]) == (1, {"test": 1}, 1)
    (tmp_path / "out.jsonl").unlink()
    write(tmp_path, [{"id": "a", "ok": True}, {"id": "b"}])
    told = json.loads(run(tmp_path, "--json").out)
    assert told["metrics"] == [{"name": "pass_rate", "kind": "rate", "missing": 1}]
    assert told["source"] == f"sha256:{hashlib.sha256((tmp_path / 'export.jsonl').read_bytes()).hexdigest()}"


def test_what_loaders_write_is_read_back() -> None:
    used = SliceUsed("german billing", 2, "sha256:" + "b" * 64, 0)
    for part in (None, used):
        said = Provenance("support@v1.2.0", "c", "s", "sha256:" + "a" * 64, "clean", "clean", "test", part, 3)
        assert parse_provenance(str(said)) == {
            "dataset": "support@v1.2.0",
            "content": "sha256:" + "a" * 64,
            "split": "test",
        }
    assert parse_provenance("support") == {}


def test_a_scorer_of_several_values_is_several_metrics(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "a", "scores": {"s": {"f1": 0.5, "em": True}}}, {"id": "b", "scores": {"s": None}}])
    assert run(tmp_path).code == 0
    assert [(row["key"], row["metric"], row.get("score", row.get("outcome"))) for row in rows_of(tmp_path)[1:]] == [
        ("a", "s.f1", 0.5), ("a", "s.em", True), ("b", "s.f1", None), ("b", "s.em", None),
    ]  # fmt: skip
