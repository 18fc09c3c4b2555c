"""Reading one part of a corpus: its rows in blocks, with the digest of the bytes they came from.

A part is a file, or a run of whole lines of a large one: so that both halves of one big file are read at once, and a
scan that was killed goes on in the middle of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final

from heldout.domain.canonical import CanonicalError
from heldout.domain.corpora.corpus import CorpusReading
from heldout.domain.dataset import DataFile, DatasetSpec, Fields, JoinedField
from heldout.domain.paths import parse_path
from heldout.errors import DataError
from heldout.services.corpora.block import CorpusRow, row_of, text_row
from heldout.storage.corpora.files import CorpusFile, open_file
from heldout.storage.quick.texts import quick_texts
from heldout.storage.readers import Row, format_of, read_rows
from heldout.storage.readers.source import ROW_LIMIT
from heldout.storage.rows import RowMapper

PART: Final = 1 << 23
"""Bytes of a part (8 MiB); a file of lines is cut where it is twice as large."""

_ROWS: Final = 4096  # rows of a block, and
_CHARACTERS: Final = 1 << 21  # characters of their texts
_CHUNK: Final = 1 << 20
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5")
_MARK: Final = b"\xef\xbb\xbf"
_LINES: Final = ("jsonl", "txt")
_UTF_8: Final = ("utf-8", "utf8")


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes [start, end) of a file, whole lines; a file that is not cut is one part, to whose `end` is None."""

    file: CorpusFile
    start: int = 0
    end: int | None = None

    @property
    def whole(self) -> bool:
        return self.end is None

    @property
    def size(self) -> int:
        return (self.file.size if self.end is None else self.end) - self.start


class Measure:
    """A stream that counts and digests the bytes that pass, and ends after `left` of them."""

    def __init__(self, inner: BinaryIO, left: int | None = None) -> None:
        self.size = 0
        self.newlines = 0
        self._inner = inner
        self._left = left
        self._state = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        if self._left is not None:
            size = self._left if size < 0 else min(size, self._left)
            self._left -= size
        data = self._inner.read(size)
        self.size += len(data)
        self.newlines += data.count(b"\n")
        self._state.update(data)
        return data

    def finish(self) -> None:
        """Read what a reader left: bytes after the end of what it unpacks are bytes of the file too."""
        while self.read(_CHUNK):
            pass

    @property
    def sha256(self) -> str:
        return "sha256:" + self._state.hexdigest()


def parts_of(file: CorpusFile, reading: CorpusReading) -> list[Part]:
    """The parts of a file: cut after line ends, and never before a byte order mark, which only opens a file."""
    item = data_file(file.path, reading)
    lines = format_of(item, None if item.format else file.path) in _LINES and reading.encoding.lower() in _UTF_8
    if file.remote or not lines or file.size < 2 * PART or file.path.lower().endswith((".gz", ".zst")):
        return [Part(file)]
    cuts = [0]
    with open(file.place, "rb") as stream:
        if stream.read(2) in _PACKED:  # whatever its name says
            return [Part(file)]
        for target in range(PART, file.size - PART // 2, PART):
            cut = _line_start(stream, max(target, cuts[-1]))
            if cuts[-1] < cut < file.size:
                cuts.append(cut)
    ends: list[int] = [*cuts[1:], file.size]
    return [Part(file, start, end) for start, end in zip(cuts, ends, strict=True)] if len(cuts) > 1 else [Part(file)]


def _line_start(stream: BinaryIO, target: int) -> int:
    stream.seek(target)
    while True:
        stream.readline(ROW_LIMIT)
        place = stream.tell()
        if stream.read(3) != _MARK:
            return place
        stream.seek(place)


def data_file(path: str, reading: CorpusReading) -> DataFile:
    item = DataFile(path, None, format=reading.format, encoding=reading.encoding, records=reading.records)
    return replace(item, header=False, columns=reading.columns) if reading.columns else item


def mapper(reading: CorpusReading) -> RowMapper:
    text = reading.text_field
    field = JoinedField(text) if text and "*" in parse_path(text) else text
    return RowMapper(DatasetSpec("corpus", (), Fields(input=field)), own_names=False)


def blocks(
    part: Part, stream: Measure, reading: CorpusReading, on_bad_row: Callable[[DataError], None]
) -> Iterator[list[CorpusRow]]:
    """Rows of a part as blocks of bounded size. Raises DataError for what cannot be read at all."""
    rows: list[CorpusRow] = []
    characters = 0
    for row in _rows(part, stream, reading, on_bad_row):
        rows.append(row)
        characters += len(row.text)
        if len(rows) >= _ROWS or characters >= _CHARACTERS:
            yield rows
            rows, characters = [], 0
    if rows:
        yield rows
    stream.finish()


def _rows(
    part: Part, stream: Measure, reading: CorpusReading, on_bad_row: Callable[[DataError], None]
) -> Iterator[CorpusRow]:
    item, name = data_file(part.file.path, reading), part.file.shown
    item = replace(item, format=format_of(item, None if item.format else part.file.path))
    inputs = mapper(reading)
    opened: BinaryIO = stream  # type: ignore[assignment]
    field = _own_field(item, reading)
    found: Iterator[tuple[int, str] | Row]
    found = quick_texts(opened, item, name, field, on_bad_row) if field else read_rows(opened, item, name, on_bad_row)
    for row in found:
        try:
            if row.__class__ is tuple:
                yield text_row(*row)
            else:
                yield row_of(row.line, inputs.input_of(row, item, name))  # type: ignore[union-attr, arg-type]
        except DataError as error:
            on_bad_row(error)
        except CanonicalError as error:
            on_bad_row(DataError("bad-value", error.reason, file=name, line=row.line))  # type: ignore[union-attr]


def _own_field(item: DataFile, reading: CorpusReading) -> str | None:
    """The name of the text's field where it is one of the row itself, in lines that can be read quickly."""
    if item.format != "jsonl" or reading.encoding.lower() not in _UTF_8 or reading.text_field is None:
        return None
    path = parse_path(reading.text_field)
    return path[0] if len(path) == 1 and path[0] != "*" else None


@contextmanager
def open_part(part: Part) -> Iterator[Measure]:
    """The part's bytes; the file must not have changed at the end of the block."""
    with open_file(part.file) as stream:
        if part.whole:
            yield Measure(stream)
        else:
            stream.seek(part.start)
            yield Measure(stream, part.size)


def lines_before(part: Part) -> int:
    """Line ends before a part, to say where in its file a fault is."""
    measure = 0
    left = part.start
    with Path(part.file.place).open("rb") as stream:
        while left and (data := stream.read(min(_CHUNK, left))):
            measure += data.count(b"\n")
            left -= len(data)
    return measure
