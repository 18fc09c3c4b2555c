"""Rows read by shape are the rows read strictly; and nothing heavy is imported for a report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from support.published_run import published

from heldout.domain.results.run import FIELDS
from heldout.errors import DataError
from heldout.storage.results import run_file
from heldout.storage.results.run_file import RunFile

texts = st.sampled_from(["de", "en", "a:b", 'say "x":', "é", "{", "[1]"])
values = st.one_of(texts, st.integers(0, 3), st.booleans(), st.none(), st.lists(texts, max_size=1), st.just(1.5))
NAMES = ("lang", "x", 'say "x":', "a\\b", "a\nb", "", "\x7f", "é", "\u2028")
"""Keys of metadata; JSON writes some of them otherwise than they are."""
parts = st.fixed_dictionaries(
    {"key": st.uuids().map(str), "outcome": st.one_of(st.booleans(), st.none())},
    optional={
        "metadata": st.dictionaries(st.sampled_from(["topic", *NAMES]) | st.text(max_size=2), values, max_size=3),
        "split": texts,
        "metric": texts,
        "excluded": st.sampled_from([True, False, "why: none"]),
        "confidence": st.floats(0, 1),
        "extra": values,
        "trajectory": st.builds(lambda tool: {"schema": "s", "steps": [{"tool": tool}]}, texts),
    },
)


def _strict(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: line.get(name) for name in FIELDS if name != "metadata"} for line in lines]


@settings(max_examples=60, deadline=None)
@given(st.lists(parts, min_size=1, max_size=12), st.sampled_from([40, 200, 100_000]))
def test_rows_by_shape_are_the_rows_by_the_strict_reader(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]], block: int
) -> None:
    """In blocks of some bytes each shape follows another, and every row comes out as plain JSON has it."""
    path = tmp_path_factory.mktemp("rows") / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before, run_file._BLOCK = run_file._BLOCK, block
    try:
        blocks = list(RunFile(path, NAMES).blocks())
    finally:
        run_file._BLOCK = before
    rows = [row for block in blocks for row in block.rows]
    found = [{name: getattr(row, name) for name in FIELDS if name != "metadata"} for row in rows]
    assert found == _strict(lines)
    for key in NAMES:
        column = [value for block in blocks for value in block.metadata[key]]
        assert column == [line.get("metadata", {}).get(key, UNSET) for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_metadata_may_have_any_name(tmp_path: Path, name: str) -> None:
    """What many rows have alike is what a shape is made for."""
    path = tmp_path / "run.jsonl"
    lines: list[dict[str, Any]] = [
        {"key": f"q{n}", "outcome": True, "metadata": {"lang": "de", name: "v"}} for n in range(600)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before, run_file._BLOCK = run_file._BLOCK, 4000
    try:
        columns = [value for block in RunFile(path, (name,)).blocks() for value in block.metadata[name]]
    finally:
        run_file._BLOCK = before
    assert columns == [line["metadata"][name] for line in lines]


ROW = '{"key": "%s", "outcome": true, "extra": [{"a": 1}, {"b": "}{"}]}'
MARKS = ("\n", "\r\n", "\n\n", " \n", "\n ", " ", "", "\t", "\r", ",", "\n{}\n")


@given(st.lists(st.sampled_from(MARKS), max_size=4), st.integers(0, 60), st.sampled_from(MARKS[:6]), st.booleans())
def test_a_row_is_a_line(
    tmp_path_factory: pytest.TempPathFactory, marks: list[str], at: int, inside: str, broken: bool
) -> None:
    """Whatever stands between rows or in one, the quick way takes no file that the strict one refuses."""
    path = tmp_path_factory.mktemp("rows") / "run.jsonl"
    odd = ROW % "odd"
    made = [ROW % f"good{number}" for number in range(40)]
    made[20:20] = [odd[:at] + inside + odd[at:]] if broken else []
    text = "\n".join(made[:30]) + "".join(mark + row for mark, row in zip(marks, made[30:], strict=False)) + "\n"
    path.write_bytes(text.encode())
    before, run_file._BLOCK = run_file._BLOCK, 1000
    try:
        quick = _outcome(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("heldout.storage.results.run_shape.Learned.shape", lambda self: None)
            strict = _outcome(path)
    finally:
        run_file._BLOCK = before
    assert quick == strict


def _outcome(path: Path) -> object:
    try:
        return [row.key for block in RunFile(path, ()).blocks() for row in block.rows]
    except DataError as error:
        return error.slug, error.line


def test_rows_of_one_shape_are_read_the_quick_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    lines = (f'{{"key": "q{n}", "outcome": true, "metadata": {{"lang": "l{n % 70}"}}}}\n' for n in range(20_000))
    path.write_text("".join(lines))
    strict: list[int] = []
    original = RunFile._strictly
    monkeypatch.setattr(
        RunFile, "_strictly", lambda self, data, line: strict.append(line) or original(self, data, line)
    )
    assert sum(len(block.rows) for block in RunFile(path, ("lang",)).blocks()) == 20_000
    assert len(strict) <= 2


def test_the_line_and_digest_are_those_of_the_file(tmp_path: Path) -> None:
    import gzip
    from hashlib import sha256

    text = b'{"format": "heldout/run@1"}\n\n{"key": "a", "outcome": true}\n\n{"key": "b", "outcome": true}\n'
    plain, packed = tmp_path / "run.jsonl", tmp_path / "run.jsonl.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (plain, packed):
        file = RunFile(path, ())
        assert [row.key for block in file.blocks() for row in block.rows] == ["a", "b"]
        assert (file.line_of(0), file.line_of(1)) == (3, 5)
        assert file.digest == "sha256:" + sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("command", ["report", "compare"])
def test_neither_scipy_nor_another_heavy_library_is_imported(tmp_path: Path, command: str) -> None:
    folder = published(tmp_path)
    arguments = {
        "report": ["candidate.jsonl", "--suite", "suite.yaml", "--suggest"],
        "compare": ["candidate.jsonl", "baseline.jsonl", "--policy", "compare.yaml"],
    }[command]
    code = (
        "import sys\nfrom heldout.cli.app import invoke\n"
        f"invoke({['results', command, *arguments, '--allow', 'unknown', '--quiet']!r})\n"
        "heavy = {'scipy', 'statsmodels', 'pandas', 'polars', 'pyarrow', 'dvc', 'numba', 'sklearn'}\n"
        "print('imported:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported: []"


@pytest.mark.req("A50")
@pytest.mark.parametrize("before", [1, 3000])
def test_a_score_that_no_float_keeps_is_refused_wherever_it_stands(tmp_path: Path, before: int) -> None:
    from support.cli import heldout

    rows = [f'{{"key": "q{number}", "score": 0.5}}' for number in range(before)]
    (tmp_path / "run.jsonl").write_text("\n".join([*rows, '{"key": "a", "score": 0.1234567890123456789}']))
    ran = heldout(tmp_path, "results", "report", "run.jsonl", "--allow", "unknown")
    assert (ran.code, f"run.jsonl:{before + 1}" in ran.err, "[inexact-number]" in ran.err) == (2, True, True)
