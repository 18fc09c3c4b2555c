"""Files that were read and compared, gone through once more: fields of their rows, and the rows themselves as bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from heldout.domain.dataset import DataFile
from heldout.domain.paths import lookup, parse_path
from heldout.errors import UsageError
from heldout.services.checking.files import HERE, Planned
from heldout.services.checking.reading import Compared
from heldout.services.splitting.grouping import group_of
from heldout.storage.readers import Row, read_rows
from heldout.storage.regular_files import changed
from heldout.storage.row_bytes import COPIED, as_csv, as_jsonl, csv_line, records

FORMATS = ("same", "jsonl", "csv")


@dataclass(frozen=True, slots=True)
class OpenFile:
    """One file, open at its beginning; its rows have the numbers from `first` to before `end` among all."""

    item: DataFile
    name: str
    stream: BinaryIO
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class FilesAgain:
    """The files of a comparison; `states` are what they were before they were read first."""

    found: Compared
    states: Mapping[str, tuple[int, ...]]

    def open(self) -> Iterator[OpenFile]:
        table = self.found.rows.held[0].table
        first = number = 0
        for planned in self.found.planned:
            for name, stream in HERE.open(planned.item.path):
                end = first
                if number < len(table.files) and table.files[number] == name:
                    end += int((table.file == number).sum())
                    number += 1
                yield OpenFile(planned.item, name, stream, first, end)
                first = end

    def fields(self, paths: Sequence[str]) -> dict[str, list[str | None]]:
        """For each field its value in each row as a label; None where it is missing, null or an empty text.

        Raises UsageError (slug bad-value) for a field that no row has.
        """
        parsed = {path: parse_path(path) for path in paths}
        found: dict[str, list[str | None]] = {path: [] for path in paths}
        if not paths:
            return found
        for file in self.open():
            for row in read_rows(file.stream, file.item, file.name):
                for path, parts in parsed.items():
                    found[path].append(group_of(lookup(row.value, parts)))
        for path, values in found.items():
            if all(value is None for value in values):
                raise UsageError("bad-value", f"no row has the field {path!r}", hint="name a column or a JSON path")
        return found

    def contents(self, asked: str | None) -> Iterator[tuple[OpenFile, bytes, Iterator[bytes]]]:
        """(file, header, rows as bytes) of each file that has rows, for a file of this format, or of its own.

        Raises UsageError (slug rows-not-copied), DataError (slug changed-while-reading).
        """
        table = self.found.rows.held[0].table
        for file in self.open():
            if file.end == file.first:
                continue
            planned = next(item for item in self.found.planned if item.item == file.item)
            kind = asked or own_kind(planned)
            if kind == planned.format and kind in COPIED:
                copied = records(file.stream, file.item, file.name, table.line[file.first : file.end].tolist())
                yield file, copied.head if _has_header(file.item, kind) else b"", copied.rows
            else:
                yield file, *_converted(file, kind)

    def require_unchanged(self) -> None:
        for path, state in self.states.items():
            if states_of([path]) != {path: state}:
                raise changed(path)


def _has_header(item: DataFile, kind: str) -> bool:
    return kind in ("csv", "tsv") and item.header


def _converted(file: OpenFile, kind: str) -> tuple[bytes, Iterator[bytes]]:
    rows = read_rows(file.stream, file.item, file.name)
    if kind == "jsonl":
        return b"", as_jsonl(rows)
    first = next(rows)
    columns = list(first.value) if isinstance(first.value, dict) else []
    return csv_line(columns) if columns else b"", as_csv(_again(first, rows), columns, file.name)


def _again(first: Row, rows: Iterable[Row]) -> Iterator[Row]:
    yield first
    yield from rows


def states_of(paths: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """What changes when a file is written to: of a folder, of all files in it."""
    return {path: tuple(part for place in _places(Path(path)) for part in _state(place)) for path in paths}


def _places(path: Path) -> list[Path]:
    return sorted(path.rglob("*")) if path.is_dir() else [path]


def _state(place: Path) -> tuple[int, ...]:
    try:
        found = os.stat(place)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def own_kind(planned: Planned) -> str:
    """The format to write a file's rows in: its own, where rows can be copied."""
    return planned.format if planned.format in COPIED else "jsonl"


def output_kind(found: Compared, asked: str) -> str:
    """The format to write. Raises UsageError (slug bad-value) where "same" is no single one."""
    kinds = sorted({planned.format for planned in found.planned})
    if asked != "same":
        return asked
    if len(kinds) > 1:
        message = f"the files are {' and '.join(kinds)}: in which format shall the rows be written?"
        raise UsageError("bad-value", message, hint="--format jsonl")
    return kinds[0] if kinds[0] in COPIED else "jsonl"
