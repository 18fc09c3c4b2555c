"""Every awkward file by the command line: read exactly, or exit 2 with file, place and reason, and nothing written.

The rows are in cases.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from files.cases import PARQUET, READ, REFUSED, Bytes, Read, Refused
from support.cli import heldout, snapshot
from support.data import DATA
from support.dvc import dvc_repository
from support.git import Repo

from heldout.domain.dataset import DataFile, DatasetSpec, Fields
from heldout.domain.example import JSON
from heldout.services.reading import examples
from heldout.services.sources import PlainFiles

_FLAGS = {"encoding": "--encoding"}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(dvc_repository(tmp_path_factory.mktemp("files") / "repo"))


def put(path: Path, data: Bytes) -> None:
    path.write_bytes(data if isinstance(data, bytes) else data())


def inputs(folder: Path, file: str, field: str | None, **settings: Any) -> list[JSON]:
    spec = DatasetSpec("files", (DataFile(file, "train", **settings),), Fields(input=field))
    return [example.input for _, example in examples(spec, PlainFiles(folder), own_names=False)]


@pytest.mark.req("A1", "A50")
@pytest.mark.parametrize("case", READ, ids=lambda case: case.why)
def test_it_is_read_exactly(tmp_path: Path, case: Read) -> None:
    put(tmp_path / case.file, case.data)
    rows = [row for row in case.rows if row is not None]
    if len(rows) == len(case.rows):  # an example without an input is refused, see below
        found = inputs(tmp_path, case.file, None if case.whole else "x", **case.settings)
        # By repr: 1 is 1.0 for Python.
        assert repr(found) == repr(list(case.rows))
    options = [part for name, value in case.settings.items() for part in (_FLAGS[name], value)]
    options += [] if case.whole else ["--text-field", "x"]
    skip = [] if len(rows) == len(case.rows) else ["--on-bad-row", "skip"]
    before = snapshot(tmp_path)
    ran = heldout(tmp_path, "check", case.file, "--json", *options, *skip)
    assert (ran.code, ran.err) == (3 if skip else 0, "")
    assert sum(ran.json["files"][0]["splits"].values()) == len(rows)
    assert snapshot(tmp_path) == before


@pytest.mark.req("A1", "A42", "A50", "A52")
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_it_is_refused_with_its_place(repo: Repo, case: Refused) -> None:
    path = repo.path / case.file
    put(path, case.data)
    before = snapshot(repo.path), repo.status()
    large = path.stat().st_size > 1 << 24
    for command, field in (("check", "--text-field"), ("add support", "--input")):
        text = () if case.file.startswith(("f.txt", "f.manifest")) else (field, "x")
        arguments = (*command.split(), case.file, *text, *case.options)
        ran = heldout(repo.path, *arguments, "--json")
        assert (ran.code, ran.json["error"]) == (2, case.slug), ran.out
        location = ran.json["location"]
        assert location["file"] == case.file
        assert {name: location.get(name) for name in ("line", "row", "offset") if name in location} == case.place
        assert case.says in ran.json["message"]
        if large:
            break  # the other ways take the same one through the reader
        ran = heldout(repo.path, *arguments)
        line = f":{case.place['line']}" if "line" in case.place else ""
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"heldout: {case.file}{line}"), ran.err
        assert f"[{case.slug}]" in ran.err
        assert "Traceback" not in ran.err
    after = snapshot(repo.path), repo.status()
    path.unlink()
    assert after == before


@pytest.mark.req("A50")
@pytest.mark.parametrize("path", sorted((DATA / "awkward" / "parquet").rglob("*.parquet")), ids=lambda path: path.stem)
def test_parquet_testing(tmp_path: Path, path: Path) -> None:
    """Through the reader for the rows, and through the command line for the exit code."""
    (tmp_path / "f.parquet").write_bytes(path.read_bytes())
    expected = PARQUET[path.stem]
    ran = heldout(tmp_path, "check", "f.parquet", "--json", "--text-field", "no_such_column")
    assert ran.code == 2
    assert ran.json["location"]["file"] == "f.parquet"
    if isinstance(expected, int):
        # It is read up to the column that it does not have.
        assert ran.json["error"] == "missing-column"
        assert count(path) == expected
    else:
        assert ran.json["error"] == expected
    assert [item.name for item in tmp_path.iterdir()] == ["f.parquet"]


def count(path: Path) -> int:
    from heldout.storage.readers import read_rows

    with path.open("rb") as stream:
        return sum(1 for _ in read_rows(stream, DataFile("f.parquet"), "f.parquet"))


def test_every_parquet_file_has_its_row() -> None:
    assert set(PARQUET) == {path.stem for path in (DATA / "awkward" / "parquet").rglob("*.parquet")}


@pytest.mark.req("A10", "A1")
def test_equal_numbers_are_one_input_and_a_text_is_another(tmp_path: Path) -> None:
    """1 and 1.0 are the same JSON number; "1" is none. So there is one exact pair among the three."""
    (tmp_path / "train.jsonl").write_bytes(b'{"x":{"a":[1, 2.50]}}\n{"x":{"a":["1", 2.5]}}\n')
    (tmp_path / "test.jsonl").write_bytes(b'{"x":{"a":[1.0, 25e-1]}}\n')
    ran = heldout(tmp_path, "check", "train.jsonl", "test.jsonl", "--text-field", "x", "--holdout", "test", "--json")
    assert ran.code == 1
    exact = [finding for finding in ran.json["findings"] if finding["kind"] == "exact"]
    assert [(finding["a"]["line"], finding["b"]["line"]) for finding in exact] == [(1, 1)]


@pytest.mark.req("A1", "A50")
def test_large_integers_that_differ_in_one_digit_are_two_inputs(tmp_path: Path) -> None:
    """A reader that rounds would call both 9007199254740992, and 18446744073709551616."""
    (tmp_path / "train.jsonl").write_bytes(b'{"x":9007199254740992}\n{"x":18446744073709551616}\n')
    (tmp_path / "test.jsonl").write_bytes(b'{"x":9007199254740993}\n{"x":18446744073709551617}\n')
    ran = heldout(tmp_path, "check", "train.jsonl", "test.jsonl", "--text-field", "x", "--json")
    assert [finding for finding in ran.json["findings"] if finding["kind"] == "exact"] == []


@pytest.mark.req("A43", "A50", "A52")
def test_bad_rows_are_skipped_aloud_and_never_clean(tmp_path: Path) -> None:
    data = b'{"x":"one text"}\n{"x":NaN}\n\xff\n{"x":1e400}\n{"x":"a","x":"b"}\n{"x":"\\ud800"}\n{"x":"another text"}\n'
    (tmp_path / "f.jsonl").write_bytes(data)
    ran = heldout(tmp_path, "check", "f.jsonl", "--text-field", "x", "--on-bad-row", "skip", "--json")
    assert ran.code == 3
    assert ran.json["files"][0]["splits"] == {"f": 2}
    places = [reason.split(" ")[0].rstrip(":") for reason in ran.json["skipped"]]
    assert places == ["f.jsonl:2", "f.jsonl:3", "f.jsonl:4", "f.jsonl:5", "f.jsonl:6"]


@pytest.mark.req("A49")
def test_a_text_without_a_letter_or_digit_is_counted_and_named(tmp_path: Path) -> None:
    """Punctuation only, and combining marks only: nothing is left to compare, and that is said."""
    (tmp_path / "f.csv").write_text("x\n?!\nreal words here\n\u094d\u0901\n", encoding="utf-8")
    ran = heldout(tmp_path, "check", "f.csv", "--text-field", "x", "--json")
    assert (ran.json["no_text"], [place["line"] for place in ran.json["no_text_at"]]) == (2, [2, 4])
    assert "no text: 2 examples hold no letter or digit" in heldout(tmp_path, "check", "f.csv", "--text-field", "x").out
