"""Finding a canary wherever it stands in a file: across blocks, in packed files, in columns, in JSON's spelling."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.exposing.canary import Canary, new_canary
from heldout.services.exposing import canary_search
from heldout.services.exposing.canary import scan

GUID = "26b5c67b-86b7-4ad2-a1f5-0123456789ab"
CANARY = Canary("support", GUID)


def places(*files: Path, canaries: tuple[Canary, ...] = (CANARY,)) -> list[tuple[str, int, int | str | None]]:
    """(file's name, line or row, offset or column) of every sighting."""
    found = scan([str(file) for file in files], canaries)
    assert not found.left_out
    return [(Path(item.file).name, item.line, item.offset or item.column) for item in found.sightings]


@pytest.mark.req("D58")
def test_line_and_offset(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(b"one\ntwo " + GUID.encode() + b" rest\nthree\n" + GUID.upper().encode())
    assert places(file) == [("corpus.jsonl", 2, 8), ("corpus.jsonl", 4, 56)]


@pytest.mark.req("D58")
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_packed_files_are_unpacked_whatever_they_are_called(tmp_path: Path, pack: object) -> None:
    file = tmp_path / "corpus"
    file.write_bytes(pack(b"x\n" * 5000 + GUID.encode()))  # type: ignore[operator]
    assert places(file) == [("corpus", 5001, 10000)]


@pytest.mark.req("D58")
def test_texts_of_parquet_columns(tmp_path: Path) -> None:
    table = pa.table({"text": ["a", f"see {GUID}", "b"], "meta": [{"k": [GUID]}, {"k": []}, {"k": []}], "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "part.parquet")
    assert sorted(places(tmp_path / "part.parquet")) == [("part.parquet", 1, "meta"), ("part.parquet", 2, "text")]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300), st.integers(1, 90), st.integers(0, 3))
def test_wherever_a_block_ends_each_is_found_once(
    tmp_path_factory: pytest.TempPathFactory, at: int, block: int, more: int
) -> None:
    """Against Python's own search over the whole content."""
    content = b"ab\n" * (at // 3) + b"x" * (at % 3) + (GUID.encode() + b"\n") * (more + 1) + b"tail\n" * 20
    file = tmp_path_factory.mktemp("blocks") / "f"
    file.write_bytes(content)
    patched = pytest.MonkeyPatch()
    patched.setattr(canary_search, "_BLOCK", block)
    try:
        found = places(file)
    finally:
        patched.undo()
    wanted = []
    place = content.find(GUID.encode())
    while place >= 0:
        wanted.append(("f", content[:place].count(b"\n") + 1, place or None))
        place = content.find(GUID.encode(), place + 1)
    assert found == wanted


def test_a_published_string_in_json_spelling(tmp_path: Path) -> None:
    text = 'Prüfung "geheim" 2026'
    rows = [{"t": f"a {text} b"}, {"t": "nothing"}]
    (tmp_path / "ascii.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "plain.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    (tmp_path / "text.txt").write_text(text)
    found = places(tmp_path, canaries=(Canary("x", text),))
    assert [name for name, _, _ in found] == ["ascii.jsonl", "plain.jsonl", "text.txt"]


def test_archives_and_damaged_files_are_named_and_never_clean(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and so on")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"x" * 9000)[:-9])
    (tmp_path / "c.txt").write_bytes(b"fine")
    found = scan([str(tmp_path)], (CANARY,))
    assert [Path(name).name for name, _ in found.left_out] == ["a.zip", "b.jsonl.gz"]
    assert found.files == 1


def test_many_sightings_are_counted_and_few_listed(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes((GUID.encode() + b"\n") * 1000)
    found = scan([str(tmp_path)], (CANARY,))
    assert list(found.counts.values()) == [1000]
    assert [item.line for item in found.sightings] == list(range(1, 11))


def test_several_processes_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chooser = random.Random(7)
    for number in range(6):
        (tmp_path / f"{number}.txt").write_bytes(chooser.randbytes(1000) + GUID.encode() * (number % 2))
    alone = scan([str(tmp_path)], (CANARY,))
    monkeypatch.setattr(canary_search, "_WORTH_PROCESSES", 0)
    assert scan([str(tmp_path)], (CANARY,)) == alone
    assert len(alone.sightings) == 3


def test_a_canary_is_a_version_4_uuid_of_given_randomness() -> None:
    made = new_canary("support", bytes(range(16)))
    assert uuid.UUID(made.text).version == 4
    assert made.text == "00010203-0405-4607-8809-0a0b0c0d0e0f"  # RFC 9562: version and variant bits set, rest as given
    assert made.text in made.sentence


@pytest.mark.req("D58")
def test_memory_stays_bounded(tmp_path: Path) -> None:
    """A file of 200 MB without a line end, in a process that may hold 150 MB more than it starts with."""
    file = tmp_path / "large"
    with file.open("wb") as out:
        for _ in range(50):
            out.write(b"x" * (1 << 22))
        out.write(GUID.encode())
    script = (
        "import resource, sys; from heldout.domain.exposing.canary import Canary\n"
        "from heldout.services.exposing.canary import scan\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "found = scan([sys.argv[1]], (Canary('x', sys.argv[2]),))\n"
        "print(found.sightings[0].offset, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(file), GUID], capture_output=True, text=True, check=True)
    offset, grown = map(int, done.stdout.split())
    assert offset == 50 << 22
    assert grown < 50_000  # KiB
