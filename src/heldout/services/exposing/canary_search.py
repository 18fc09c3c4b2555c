"""Looking for canaries in files: bytes stream by in blocks, and no file is held."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import BinaryIO, Final

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.domain.exposing.canary import Canary, Searched, Sighting, spellings
from heldout.errors import DataError
from heldout.storage.corpora.files import CorpusFile, open_file
from heldout.storage.readers import read_rows
from heldout.storage.readers.compressed import decompressed

LISTED: Final = 10
"""Sightings of one canary listed for a file; all are counted."""
_BLOCK: Final = 1 << 22
_WORTH_PROCESSES: Final = 1 << 28
"""Bytes from which a second process saves more than it takes to start."""
_ARCHIVES: Final = {b"PK\x03\x04": "a zip archive", b"BZh": "packed by bzip2", b"\xfd7zXZ": "packed by xz",
                    b"7z\xbc\xaf": "a 7z archive"}  # fmt: skip


def search(files: Sequence[CorpusFile], canaries: Sequence[Canary]) -> Searched:
    """Every file, in order. Of many large ones several at a time, each by a process of its own."""
    workers = min(len(files), os.cpu_count() or 1)
    large = sum(file.size for file in files) >= _WORTH_PROCESSES
    if workers < 2 or not large or any(file.in_this_process for file in files):
        return Searched.joined(search_file(file, canaries) for file in files)
    with ProcessPoolExecutor(workers) as pool:
        return Searched.joined(pool.map(search_file, files, [canaries] * len(files)))


def search_file(file: CorpusFile, canaries: Sequence[Canary]) -> Searched:
    try:
        with open_file(file) as raw:
            stream = decompressed(raw, file.shown)
            head = stream.peek(8)[:8]  # type: ignore[attr-defined]
            if head.startswith(b"PAR1"):
                return _in_parquet(file, stream, canaries)
            for magic, what in _ARCHIVES.items():
                if head.startswith(magic):
                    return Searched(0, 0, (), {}, ((file.shown, f"it is {what}; unpack it first"),))
            return _in_bytes(file, stream, canaries)
    except DataError as error:
        return Searched(0, 0, (), {}, ((file.shown, error.message),))


def _in_bytes(file: CorpusFile, stream: BinaryIO, canaries: Sequence[Canary]) -> Searched:
    """What may be the beginning of a match at a block's end is searched again with the next one."""
    forms = [(form, canary) for canary in canaries for form in spellings(canary.text)]
    keep = max(len(form) for form, _ in forms) - 1
    notes = _Notes(file)
    tail, start, lines, size = b"", 0, 0, 0
    while block := stream.read(_BLOCK):
        data = tail + block
        size += len(block)
        for form, canary in forms:
            at = data.find(form)
            while at >= 0:
                # One that lies whole in what was kept was found with the block before.
                if at + len(form) > len(tail):
                    notes.add(canary, lines + data.count(b"\n", 0, at) + 1, start + at)
                at = data.find(form, at + 1)
        cut = max(len(data) - keep, 0)
        lines += data.count(b"\n", 0, cut)
        start += cut
        tail = data[cut:]
    return notes.searched(size)


def _in_parquet(file: CorpusFile, stream: BinaryIO, canaries: Sequence[Canary]) -> Searched:
    """Columns are packed and coded, so their texts are looked at one by one."""
    texts = [(text, canary) for canary in canaries for text in (canary.text, canary.text.lower(), canary.text.upper())]
    texts = list(dict.fromkeys(texts))
    notes = _Notes(file)
    item = DataFile(path=file.path, split="", format="parquet")
    for row in read_rows(stream, item, file.shown):
        columns = row.value if isinstance(row.value, dict) else {"": row.value}
        for column, value in columns.items():
            for text in _texts(value):
                for canary in dict.fromkeys(canary for wanted, canary in texts if wanted in text):
                    notes.add(canary, row.line, None, column)
    return notes.searched(file.size)


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


class _Notes:
    """Sightings in one file: the first of each canary, and how many there are."""

    def __init__(self, file: CorpusFile) -> None:
        self._file = file
        self._listed: list[Sighting] = []
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, canary: Canary, line: int, offset: int | None, column: str | None = None) -> None:
        key = (self._file.shown, canary.name)
        self._counts[key] = self._counts.get(key, 0) + 1
        if self._counts[key] <= LISTED:
            self._listed.append(Sighting(self._file.shown, canary, line, offset, column))

    def searched(self, size: int) -> Searched:
        listed = sorted(self._listed, key=lambda item: (item.line, item.offset or 0, item.canary.name))
        return Searched(1, size, tuple(listed), self._counts)
