"""Scans of corpora of every shape against what they have to find; nothing else than the bytes decides the record."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from support.corpora import expected, found_in, holdouts, jsonl, scanned, sentences, varied

from heldout.domain.corpora.corpus import LISTED, CorpusReading, InputHits
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.services.corpora import reader as corpus_reader
from heldout.services.corpora.scan import plan_reading
from heldout.storage.corpora.files import find_files

HELD = sentences(1, 40)


def _packed(kind: str, rows: list[str]) -> bytes:
    if kind == "jsonl.gz":
        return gzip.compress(jsonl(rows))
    if kind == "jsonl.zst":
        middle = len(rows) // 2
        return zstandard.compress(jsonl(rows[:middle])) + zstandard.compress(jsonl(rows[middle:]))
    if kind == "json":
        return json.dumps([{"text": row} for row in rows]).encode()
    if kind in ("csv", "tsv"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter="," if kind == "csv" else "\t", lineterminator="\n")
        writer.writerows([["text"], *([row] for row in rows)])
        return out.getvalue().encode()
    if kind == "parquet":
        sink = io.BytesIO()
        pq.write_table(pa.table({"text": rows}), sink)
        return sink.getvalue()
    return jsonl(rows)


@pytest.mark.req("E40")
@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "jsonl.zst", "json", "csv", "tsv", "parquet"])
def test_every_format_finds_every_pair(tmp_path: Path, kind: str) -> None:
    held = holdouts(HELD)
    rows = varied(7, HELD, 120)
    (tmp_path / f"a.{kind}").write_bytes(_packed(kind, rows))
    scan = scanned([str(tmp_path)], held)
    found, wanted = found_in(scan), expected({f"a.{kind}": rows}, held)
    assert {item: counts for item, (counts, _) in found.items()} == {i: c for i, (c, _) in wanted.items()}
    assert scan.record.rows == 120
    if kind != "json" and kind not in ("csv", "tsv"):  # there, a row's number is the line it starts in
        _same_rows(found, wanted)


def _same_rows(found: object, wanted: object) -> None:
    order = {"exact": 0, "near": 1, "containment": 2}
    for item, (_, rows) in wanted.items():  # type: ignore[attr-defined]
        first = sorted(rows, key=lambda row: (order[row[2]], row[0], row[1]))[:LISTED]
        assert found[item][1] == first  # type: ignore[index]


def test_lines_of_plain_text_are_texts(tmp_path: Path) -> None:
    rows = [row for row in varied(9, HELD, 80) if row]
    (tmp_path / "a.txt").write_text("\n".join(rows))
    scan = scanned([str(tmp_path / "a.txt")], holdouts(HELD), CorpusReading())
    _same_rows(found_in(scan), expected({"a.txt": rows}, holdouts(HELD)))


@pytest.mark.req("E40")
def test_parts_processes_and_order_of_arguments_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = {f"{n}.jsonl": varied(n, HELD, 90) for n in range(3)}
    for name, rows in shards.items():
        # A byte order mark, a line without end and CRLF ends are met by whoever cuts a file in parts.
        data = jsonl(rows).replace(b"\n", b"\r\n").removesuffix(b"\r\n")
        (tmp_path / name).write_bytes((b"\xef\xbb\xbf" if name == "1.jsonl" else b"") + data)
    held = holdouts(HELD)
    whole = scanned([str(tmp_path)], held)
    _same_rows(found_in(whole), expected(shards, held))
    monkeypatch.setattr(corpus_reader, "PART", 700)
    files = [str(tmp_path / name) for name in reversed(shards)]
    assert any(len(corpus_reader.parts_of(file, CorpusReading("text"))) > 3 for file in find_files(files).files)
    assert scanned(files, held).files() == whole.files()
    assert scanned([f"{tmp_path}/*.jsonl"], held, jobs=2).files() == whole.files()


def test_a_mark_inside_a_file_of_lines_is_no_start_of_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"\ufeff{text}" for text in HELD]
    (tmp_path / "a.txt").write_text("\n".join(rows), encoding="utf-8")
    held = holdouts(HELD)
    whole = scanned([str(tmp_path / "a.txt")], held, CorpusReading())
    monkeypatch.setattr(corpus_reader, "PART", 100)
    assert scanned([str(tmp_path / "a.txt")], held, CorpusReading()).files() == whole.files()


def test_the_manifest_is_what_the_documentation_says(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.jsonl").write_bytes(jsonl(HELD[:3]))
    (tmp_path / "a.jsonl").write_bytes(jsonl(HELD[3:5]))
    state = hashlib.sha256()
    for name in ("a.jsonl", "sub/b.jsonl"):
        data = (tmp_path / name).read_bytes()
        state.update(f'["{name}",{len(data)},"sha256:{hashlib.sha256(data).hexdigest()}"]\n'.encode())
    scan = scanned([str(tmp_path)], holdouts(HELD))
    assert scan.record.manifest == f"sha256:{state.hexdigest()}"
    again = scanned([str(tmp_path / "a.jsonl"), f"{tmp_path}/**/b.jsonl"], holdouts(HELD))
    assert again.record.manifest == scan.record.manifest


def test_a_popular_example_is_counted_whole_and_listed_in_part(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_bytes(jsonl([HELD[0]] * 200))
    (tmp_path / "a.jsonl").write_bytes(jsonl([HELD[0].upper()] * 300))
    scan = scanned([str(tmp_path)], holdouts(HELD[:1]))
    (finding,) = scan.findings
    assert dict(scan.record.hits) == {"exact": 200, "near": 300, "containment": 0}
    assert [(hit.shard, hit.hit.row) for hit in finding.hits] == [("b.jsonl", row) for row in range(1, LISTED + 1)]


def test_memory_of_hits_is_bounded_while_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    add = InputHits.add

    def watched(self: InputHits, hit: object) -> None:
        nonlocal most
        add(self, hit)  # type: ignore[arg-type]
        most = max(most, len(self.listed))

    monkeypatch.setattr(InputHits, "add", watched)
    (tmp_path / "a.jsonl").write_bytes(jsonl([HELD[0]] * 5000))
    scanned([str(tmp_path)], holdouts(HELD[:1]))
    assert most <= 4 * LISTED


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


@pytest.mark.req("E40")
def test_urls_give_the_record_of_the_same_local_files(tmp_path: Path, memory: fsspec.AbstractFileSystem) -> None:
    rows = {name: varied(n, HELD, 50) for n, name in enumerate(("a.jsonl", "sub/b.jsonl.zst"))}
    for name, texts in rows.items():
        data = zstandard.compress(jsonl(texts)) if name.endswith("zst") else jsonl(texts)
        memory.pipe(f"/crawl/{name}", data)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    memory.pipe("/crawl/_SUCCESS", b"")
    (tmp_path / "_SUCCESS").touch()
    held = holdouts(HELD)
    local = scanned([str(tmp_path)], held).files()
    assert scanned(["memory://crawl"], held, jobs=2).files() == local
    assert scanned(["memory://crawl/**/*.zst", "memory://crawl/a.jsonl"], held).record.shards == 2
    assert scanned([f"file://{tmp_path}"], held).files() == local


@pytest.mark.parametrize(
    ("argument", "slug", "says"),
    [
        ("s3://bucket/data", "filesystem-missing", "s3://"),
        ("nonsense://bucket/data", "unknown-filesystem", "nonsense"),
        ("memory://nowhere/a.jsonl", "no-such-file", "no such file"),
        ("nowhere/*.jsonl", "no-shards", "nowhere/*.jsonl"),
        ("nowhere.jsonl", "no-such-file", "no such file"),
    ],
)
def test_what_is_not_there(argument: str, slug: str, says: str) -> None:
    with pytest.raises(HeldoutError) as caught:
        find_files([argument])
    assert caught.value.slug == slug
    assert says in str(caught.value)
    assert caught.value.hint
    assert "\n" not in caught.value.hint


def test_two_files_of_one_name(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").write_bytes(jsonl(HELD[:1]))
    with pytest.raises(UsageError, match=r"would both be a\.jsonl") as caught:
        find_files([str(tmp_path / "x"), str(tmp_path / "y")])
    assert caught.value.slug == "shards-alike"


def test_a_row_that_cannot_be_read_is_named_by_its_line_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_reader, "PART", 500)
    lines = jsonl(HELD).splitlines(keepends=True)
    for fault, offset in ((b'{"text": "\xff"}\n', len(b"".join(lines[:29])) + 10), (b'{"text": 1e999}\n', None)):
        lines[29] = fault
        (tmp_path / "a.jsonl").write_bytes(b"".join(lines))
        for jobs in (1, 2):
            with pytest.raises(DataError) as caught:
                scanned([str(tmp_path)], holdouts(HELD), jobs=jobs)
            assert (caught.value.line, caught.value.offset) == (30, offset)
            assert caught.value.file.endswith("a.jsonl")
    scan = scanned([str(tmp_path)], holdouts(HELD), CorpusReading("text", skip_bad_rows=True))
    assert scan.record.skipped == 1
    assert scan.record.incomplete == ("rows that could not be read and were skipped: 1",)
    assert (scan.record.rows, scan.exit_code) == (39, 1)
    clean = scanned([str(tmp_path)], holdouts(["something else altogether"]), CorpusReading("text", skip_bad_rows=True))
    assert clean.exit_code == 3


@pytest.mark.parametrize(
    ("name", "data", "slug"),
    [
        ("a.jsonl.gz", gzip.compress(jsonl(HELD))[:-9], "bad-gzip"),
        ("a.jsonl.zst", zstandard.compress(jsonl(HELD))[:-3], "bad-zstd"),
        ("a.jsonl.zst", jsonl(HELD), "bad-zstd"),
        ("a.jsonl", b'{"other": "x"}\n', "missing-input"),
        ("a.csv", b"other\nx\n", "missing-column"),
        ("a.jsonl", b"\n\n", "no-examples"),
        ("a.parquet", b"PAR1", "bad-parquet"),
    ],
)
def test_half_a_file_is_no_corpus(tmp_path: Path, name: str, data: bytes, slug: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        scanned([str(tmp_path)], holdouts(HELD))
    assert caught.value.slug == slug


def test_the_text_field_is_proposed_or_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl(HELD))
    reading, reason = plan_reading(find_files([str(tmp_path)]), CorpusReading())
    assert (reading.text_field, reason) == ("text", "'text' is the only column named like a text")
    (tmp_path / "a.jsonl").write_text(
        '{"body of it": "some long text that is one", "rest of it": "another long text, and more of it"}\n'
    )
    with pytest.raises(UsageError) as caught:
        plan_reading(find_files([str(tmp_path)]), CorpusReading())
    assert caught.value.slug == "text-field-unclear"
    assert "--text-field" in str(caught.value.hint)


def test_a_file_that_changes_while_it_is_read_is_no_corpus(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(jsonl(HELD))
    found = find_files([str(file)])
    file.write_bytes(jsonl(HELD[1:]))
    with pytest.raises(DataError) as caught, corpus_reader.open_part(corpus_reader.Part(found.files[0])):
        pass
    assert caught.value.slug == "changed-while-reading"
