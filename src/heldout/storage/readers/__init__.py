"""Readers of data files: each format streams rows that are exact, or refuses them with file, line and reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import BinaryIO, Final

from heldout.domain.dataset import FORMATS, DataFile
from heldout.errors import ConfigError, DataError
from heldout.storage.readers.compressed import SUFFIXES as PACKED
from heldout.storage.readers.compressed import decompressed
from heldout.storage.readers.source import Row, Source

__all__ = ["FORMATS", "Row", "format_of", "read_rows"]

_SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "txt",
    ".text": "txt",
    ".manifest": "manifest",
}


def format_of(item: DataFile, name: str | None = None) -> str:
    """The declared format, or the one of the suffix (before .gz or .zst). Raises ConfigError (unknown-format)."""
    called = name or item.path
    if item.format is not None:
        if item.format in FORMATS:
            return item.format
        raise ConfigError(
            "unknown-format", f"no format is called {item.format!r}", file=called, field="format", hint=_formats_hint()
        )
    return _format_by_suffix(called)


@lru_cache(maxsize=256)
def _format_by_suffix(called: str) -> str:
    """Remembered, for a mapper asks it for every row."""
    path = PurePosixPath(called.lower())
    if path.suffix in PACKED:
        path = path.with_suffix("")
    if path.suffix not in _SUFFIXES:
        raise ConfigError(
            "unknown-format",
            f"the suffix {path.suffix!r} names no format" if path.suffix else "the name has no suffix",
            file=called,
            hint=_formats_hint(),
        )
    return _SUFFIXES[path.suffix]


def read_rows(
    stream: BinaryIO,
    item: DataFile,
    name: str,
    on_bad_row: Callable[[DataError], None] | None = None,
) -> Iterator[Row]:
    """Rows of one data file, streamed in the order of the file.

    `stream` need not be seekable and may be packed (gzip, Zstandard); it is read to its end, so that a stream that
    verifies itself does.
    `name` is what messages call the file. A row that cannot be read exactly raises DataError, or is handed to
    `on_bad_row` and left out; a fault after which the file's structure is a guess always raises.
    """
    kind = format_of(item, None if item.format else name)
    source = Source(decompressed(stream, name), item, name, on_bad_row)
    return _reader(kind)(source)


def _reader(kind: str) -> Callable[[Source], Iterator[Row]]:
    """Imported one by one: a hook that reads a csv file pays for no other format."""
    if kind in ("csv", "tsv"):
        from heldout.storage.readers import delimited

        return delimited.read_csv if kind == "csv" else delimited.read_tsv
    if kind in ("json", "jsonl"):
        from heldout.storage.readers import json_rows

        return json_rows.read_document if kind == "json" else json_rows.read_lines
    if kind == "parquet":
        from heldout.storage.readers import parquet

        return parquet.read_parquet
    from heldout.storage.readers import plain

    return plain.read_txt if kind == "txt" else plain.read_manifest


def _formats_hint() -> str:
    return f"Set `format` to one of {', '.join(FORMATS)}."
