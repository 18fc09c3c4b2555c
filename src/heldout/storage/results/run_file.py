"""A run file, a block of rows at a time: its header, its rows by the quick way or the strict one, and its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from heldout.domain.results.run import Header
from heldout.errors import DataError
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.source import ROW_LIMIT
from heldout.storage.regular_files import opened
from heldout.storage.results.run_rows import header_of, parse_line, row_of
from heldout.storage.results.run_shape import Learned, Shape

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Block:
    """Some hundred rows with the fields of `RunRow` as attributes; `has` are the fields that some of them have.

    `line` is that of the first row; `metadata` has a column for each key asked for, UNSET where a row lacks it.
    """

    rows: Sequence[Any]
    line: int
    has: Collection[str]
    metadata: Mapping[str, Sequence[Any]]


class RunFile:
    """Iterate once; `header` is there before the first block, `digest` after the last."""

    def __init__(self, path: Path, wanted: Collection[str]) -> None:
        """`wanted` are keys of the rows' own metadata that slices ask for."""
        self.name = str(path)
        self.path = path
        self.header = Header()
        self.digest = ""
        self._wanted = tuple(wanted)
        self._learned = Learned(wanted)
        self._shape: Shape | None = None

    def read_header(self) -> Header:
        """The header alone, for what has to be known before the rows are read."""
        with opened(self.path, self.name) as (stream, _):
            for data in _lines(decompressed(stream, self.name), self.name):
                self._after_header(data)
                break
        return self.header

    def blocks(self) -> Iterator[Block]:
        """Raises DataError for what is no run file, with the line."""
        state = hashlib.sha256()
        with opened(self.path, self.name) as (stream, _):
            number = 1
            for data in _lines(decompressed(_Hashing(stream, state), self.name), self.name):
                rest, skipped = self._after_header(data) if number == 1 else (data, 0)
                if rest.strip():
                    yield self._block(rest, number + skipped)
                number += data.count(b"\n") + 1
        self.digest = f"sha256:{state.hexdigest()}"

    def _after_header(self, data: bytes) -> tuple[bytes, int]:
        first, _, rest = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
        if not first.strip():
            return data, 0
        header = header_of(parse_line(first, self.name, 1), self.name)
        if header is None:
            return data, 0
        self.header = header
        return rest, 1

    def _block(self, data: bytes, line: int) -> Block:
        rows = self._shape.decode(data) if self._shape else None
        if rows is not None and self._shape is not None and _in_order(rows, self._shape.fields):
            has = self._shape.fields
            return Block(rows, line, has, self._shape.columns(rows, self._wanted) if self._wanted else {})
        return self._strictly(data, line)

    def _strictly(self, data: bytes, line: int) -> Block:
        from msgspec import UNSET

        rows, has = [], set[str]()
        for number, text in enumerate(data.split(b"\n"), line):
            if not text.strip():
                continue
            value = parse_line(text, self.name, number)
            if number > 1 and "format" in value:
                raise DataError("bad-run-header", "a header is a file's first line", file=self.name, line=number)
            row = row_of(value, self.name, number)
            self._learned.add(value.keys(), row)
            has |= value.keys()
            rows.append(row)
        self._shape = self._learned.shape()
        columns = {key: [(row.metadata or {}).get(key, UNSET) for row in rows] for key in self._wanted}
        return Block(rows, line, has, columns)

    def line_of(self, row: int) -> int:
        """The line of a row by its number from 0, found by reading once more: only messages need it."""
        with opened(self.path, self.name) as (stream, _):
            seen = -1
            for number, text in enumerate(decompressed(stream, self.name), 1):
                header = number == 1 and b'"format"' in text and header_of(parse_line(text, self.name, 1), self.name)
                if text.strip() and not header:
                    seen += 1
                if seen == row:
                    return number
        return 1


def _in_order(rows: Sequence[Any], has: Collection[str]) -> bool:
    """Whether each row says what came of its case in one way; what is wrong with it, the strict reader says."""
    outcome, score, excluded = "outcome" in has, "score" in has, "excluded" in has
    if outcome and not score and not excluded:
        return True
    if score and not outcome and not excluded:
        return True
    return all(row.excluded or (row.outcome is None) != (row.score is None) for row in rows)


class _Hashing:
    """A stream whose bytes are counted into a digest as they are read."""

    def __init__(self, stream: BinaryIO, state: Any) -> None:
        self._stream = stream
        self._state = state

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._state.update(data)
        return data


def _lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Whole lines, some ten kilobytes at a time, without the last line's end. Raises DataError (row-too-large)."""
    pending: list[bytes] = []
    size = lines = 0
    while block := stream.read(_BLOCK):
        head, end, tail = block.rpartition(b"\n")
        if not end:
            pending.append(block)
            size += len(block)
            if size > ROW_LIMIT:
                message = f"the row that starts here is larger than {ROW_LIMIT >> 20} MiB"
                raise DataError("row-too-large", message, file=name, line=lines + 1, hint="one result a line")
            continue
        whole = b"".join([*pending, head])
        lines += whole.count(b"\n") + 1
        pending, size = [tail], len(tail)
        yield whole
    if rest := b"".join(pending):
        yield rest
