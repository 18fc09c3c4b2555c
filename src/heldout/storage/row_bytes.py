"""Rows as the bytes that they are in their file, so that they can be written elsewhere exactly as they were read."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO, Final

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.errors import UsageError
from heldout.storage.readers import Row, format_of
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.source import bytes_tell_lines

COPIED: Final = ("csv", "tsv", "jsonl", "txt")
"""Formats whose rows are lines of their own; the others hold their rows in one document."""

_BLANK: Final = (b"\n", b"\r\n")


@dataclass(frozen=True, slots=True)
class Records:
    """A file in pieces: what stands before its first row, then each row, every one with the end of its last line."""

    head: bytes
    rows: Iterator[bytes]


def records(stream: BinaryIO, item: DataFile, name: str, starts: Sequence[int]) -> Records:
    """The rows that start at these ascending lines (from 1), blank lines after a row left out.

    Raises UsageError (slug rows-not-copied) where rows are not lines of their own: another format, an encoding in which
    newlines are more than a byte, or two rows in one line, as where a lone carriage return ends rows.
    """
    kind = format_of(item, None if item.format else name)
    if kind not in COPIED:
        raise _not_copied(name, f"rows of {kind} are parts of one document")
    if not bytes_tell_lines(item.encoding):
        raise _not_copied(name, f"lines of {item.encoding} text cannot be told by their bytes")
    if any(first >= second for first, second in pairwise(starts)):
        raise _not_copied(name, "two rows stand in one line")
    lines = _Lines(decompressed(stream, name))
    head = lines.until(starts[0]) if starts else lines.rest()
    if not head and lines.following.startswith(codecs.BOM_UTF8):
        lines.following = lines.following.removeprefix(codecs.BOM_UTF8)
    return Records(_ended(head, b"\n") if head else head, _rows(lines, starts, _ending(head)))


class _Lines:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._number = 1
        self.following = stream.readline()

    def until(self, number: int) -> bytes:
        """The lines from here to before the one with the number."""
        taken = []
        while self._number < number and self.following:
            taken.append(self._next())
        return b"".join(taken)

    def rest(self) -> bytes:
        taken = []
        while self.following:
            taken.append(self._next())
        return b"".join(taken)

    def _next(self) -> bytes:
        line, self.following = self.following, self._stream.readline()
        self._number += 1
        return line


def _rows(lines: _Lines, starts: Sequence[int], ending: bytes) -> Iterator[bytes]:
    for following in starts[1:]:
        row = _without_blank_lines(lines.until(following))
        ending = _ending(row)
        yield row
    if starts:
        yield _ended(_without_blank_lines(lines.rest()), ending)


def _without_blank_lines(row: bytes) -> bytes:
    """A quoted cell can hold blank lines, but never ends with one: its closing quote comes after."""
    while True:
        for blank in _BLANK[::-1]:
            if row.endswith(b"\n" + blank):
                row = row.removesuffix(blank)
                break
        else:
            return row


def _ending(data: bytes) -> bytes:
    return b"\r\n" if data.endswith(b"\r\n") else b"\n"


def _ended(data: bytes, ending: bytes) -> bytes:
    return data if data.endswith(b"\n") else data + ending


def _not_copied(name: str, reason: str) -> UsageError:
    message = f"{name}: rows cannot be copied byte by byte: {reason}"
    return UsageError("rows-not-copied", message, hint="--format jsonl writes their values instead")


def as_jsonl(rows: Iterable[Row]) -> Iterator[bytes]:
    """Each row's value as a line of JSON: equal to the one that was read, not the same bytes."""
    for row in rows:
        yield json.dumps(row.value, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def as_csv(rows: Iterable[Row], columns: Sequence[str], name: str) -> Iterator[bytes]:
    """Each row as a line of csv. Raises UsageError (slug rows-not-copied) for a row that is no object of texts."""
    for row in rows:
        value = row.value
        if not isinstance(value, dict) or list(value) != list(columns) or not all(map(_is_text, value.values())):
            message = f"{name}:{row.line}: csv holds texts under {', '.join(columns)}, and this row is something else"
            raise UsageError("rows-not-copied", message, hint="--format jsonl")
        yield csv_line([str(cell) for cell in value.values()])


def csv_line(cells: Sequence[str]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode()


def _is_text(value: JSON) -> bool:
    return isinstance(value, str)
