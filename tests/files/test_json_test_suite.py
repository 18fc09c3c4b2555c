"""JSONTestSuite: y_ files are read exactly, n_ files refused, i_ files by the table in docs/reading.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.cli import heldout
from support.console import ROOT
from support.data import DATA

from heldout.domain.dataset import DataFile, DatasetSpec, Fields
from heldout.services.reading import examples
from heldout.services.sources import PlainFiles
from heldout.storage.json_strict import MAX_DEPTH, JSONFault, parse_json
from tools.fuzzing.oracles import depth, standard_json

SUITE = sorted((DATA / "awkward" / "jsontestsuite").glob("[yni]_*.json"))
DUPLICATES = ("y_object_duplicated_key", "y_object_duplicated_key_and_value")
ROW = re.compile(r"^\| `(i_[^`]+)` \| (?:read: [^|]*|refused: [^|]*\(`([a-z0-9-]+)`\)) \|$", re.MULTILINE)
DOCUMENTED = dict(ROW.findall((ROOT / "docs" / "reading.md").read_text(encoding="utf-8")))


def refusal(path: Path) -> str:
    """The slug, "" where the file is read."""
    try:
        parse_json(path.read_bytes())
    except JSONFault as caught:
        fault = caught
    else:
        return ""
    assert min(fault.line, fault.column) >= 1
    assert fault.reason
    return fault.slug


def test_the_suite_is_whole() -> None:
    assert [sum(path.name[0] == kind for path in SUITE) for kind in "yni"] == [95, 188, 35]


@pytest.mark.req("A1", "A50")
@pytest.mark.parametrize("path", [path for path in SUITE if path.name[0] == "y"], ids=lambda path: path.stem)
def test_y_files_are_read_exactly(path: Path) -> None:
    if path.stem in DUPLICATES:
        assert refusal(path) == "duplicate-key"
    else:
        assert repr(parse_json(path.read_bytes())) == repr(json.loads(path.read_bytes().decode("utf-8-sig")))


@pytest.mark.req("A50")
@pytest.mark.parametrize("path", [path for path in SUITE if path.name[0] == "n"], ids=lambda path: path.stem)
def test_n_files_are_refused(path: Path) -> None:
    # inexact-number: `1.8011670033376514H-308`, whose letter comes after a number that no float has
    assert refusal(path) in ("bad-json", "bad-encoding", "not-finite", "too-deep", "inexact-number")


@pytest.mark.req("A50")
@pytest.mark.parametrize("path", [path for path in SUITE if path.name[0] == "i"], ids=lambda path: path.stem)
def test_i_files_follow_the_documented_rule(path: Path) -> None:
    assert refusal(path) == DOCUMENTED[path.stem]
    if not refusal(path):
        assert repr(parse_json(path.read_bytes())) == repr(standard_json(path.read_bytes().decode("utf-8-sig")))


def test_every_i_file_has_its_rule() -> None:
    assert set(DOCUMENTED) == {path.stem for path in SUITE if path.name[0] == "i"}


@pytest.mark.req("A50")
def test_the_whole_suite_as_values_of_rows(tmp_path: Path) -> None:
    """Each file as a part of a row, through the readers of a document: the same verdict, and the same value."""
    fields = Fields(input="text", expected="value")
    for path in SUITE:
        (tmp_path / "f.json").write_bytes(b'[{"text":"a text","value":' + path.read_bytes() + b"}]")
        spec = DatasetSpec("files", (DataFile("f.json", "train"),), fields)
        marked = path.read_bytes().startswith(b"\xef\xbb\xbf")  # a mark is one at the start of a file only
        if refusal(path) or marked:
            ran = heldout(tmp_path, "check", "f.json", "--text-field", "text", "--json")
            assert ran.code == 2, path.name
            assert ran.json["location"].get("line", 0) >= 1, path.name
        else:
            ((_, example),) = examples(spec, PlainFiles(tmp_path))
            assert repr(example.expected) == repr(parse_json(path.read_bytes())), path.name


@pytest.mark.parametrize("deep", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 990, 10_000, 200_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_has_one_limit_on_every_python(deep: int, opening: str, closing: str) -> None:
    text = opening * deep + "1" + closing * deep
    assert depth(text) == deep
    if deep <= MAX_DEPTH:
        assert json.dumps(parse_json(text), separators=(",", ":")) == text
        return
    with pytest.raises(JSONFault) as caught:
        parse_json(text)
    assert (caught.value.slug, caught.value.column) == ("too-deep", len(opening) * MAX_DEPTH + 1)
