"""Segments: immutable files of fixed-width records under SHA-256 digests.

A segment is blocks, then a table, then a footer. A block is up to 2,048 digests of 32 bytes in ascending order, then
their records in the same order. The table has a row a block: its length, and the CRC-32 of its digests and of its
records. The footer says how long the table and a record are. The file's name is the SHA-256 of table and footer.

So the name vouches for the table, and the table for the digests when the file is opened, which reads a ninth of it, and
for a block's records when the first of them is asked for: a bit that has turned is no data, and what nobody asks for is
not read. Files are mapped, and pages are given back after a while. They are written aside and renamed, and never
changed, so a mapped one does not shrink.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

DIGEST: Final = 32  # bytes
SUFFIX: Final = ".records"
ASIDE: Final = ".aside"

_BLOCK: Final = 2048  # rows
_TABLE: Final = np.dtype([("rows", "<u4"), ("digests", "<u4"), ("records", "<u4")])
_FOOTER: Final = struct.Struct("<16sIIQ")  # magic, width of a record, blocks, rows
_MAGIC: Final = b"\x89HELDOUT SEG 1\n\0"
_RESIDENT: Final = 1 << 26  # bytes looked at before pages are given back

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]


class DamagedError(ValueError):
    """The bytes of a segment are not those that were written."""


@dataclass(frozen=True, slots=True)
class Rows:
    """n digests, shape (n, 32), ascending, and their records, shape (n, width)."""

    digests: Bytes
    records: Bytes

    def __len__(self) -> int:
        return len(self.digests)


class Segment:
    """An open segment with records of `width` bytes. `keys` are the first eight bytes of its digests as numbers."""

    def __init__(self, path: Path, width: int) -> None:
        """Raises OSError, and DamagedError for what is not a whole segment of such records."""
        self.path = path
        self._width = width
        with path.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            if size < _FOOTER.size:
                raise DamagedError("too short")
            self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        self._data = np.frombuffer(self._map, np.uint8)
        footer = self._map[-_FOOTER.size :]
        magic, its_width, blocks, self.count = _FOOTER.unpack(footer)
        body = self.count * (DIGEST + width)
        if magic != _MAGIC or its_width != width or size != body + blocks * _TABLE.itemsize + _FOOTER.size or not body:
            raise DamagedError("not a segment of this kind, or cut off")
        table = self._map[body : -_FOOTER.size]
        if _name(table + footer) != path.name:
            raise DamagedError("its table is not what was written")
        parsed = np.frombuffer(table, _TABLE)
        self._rows = parsed["rows"].astype(np.int64)
        self._firsts = np.cumsum(self._rows) - self._rows
        self._sums = parsed["records"]
        self._checked = np.zeros(blocks, np.bool_)
        self._resident = 0
        self.keys = np.concatenate([self._opened(number, parsed["digests"][number]) for number in range(blocks)])

    @property
    def blocks(self) -> int:
        return self._rows.size

    def find(self, wanted: Bytes, keys: NDArray[np.uint64]) -> tuple[Longs, Longs]:
        """Which of the wanted digests, whose keys ascend, are here, and in which rows."""
        at = np.searchsorted(self.keys, keys)
        asked = np.flatnonzero(self.keys[np.minimum(at, self.count - 1)] == keys)
        rows = at[asked]
        same = self._same(rows, wanted[asked])
        while not same.all():  # digests that begin alike follow each other
            further = ~same & (rows + 1 < self.count)
            further[further] = self.keys[rows[further] + 1] == keys[asked[further]]
            asked, rows, same = asked[same | further], rows[same | further], same[same | further]
            rows[~same] += 1
            same[~same] = self._same(rows[~same], wanted[asked[~same]])
        return asked, rows

    def records(self, rows: Longs) -> Bytes:
        """The records of these rows, shape (n, width). Raises DamagedError for a block that is not what was written."""
        numbers = np.searchsorted(self._firsts, rows, side="right") - 1
        for number in np.unique(numbers[~self._checked[numbers]]).tolist():
            self._check(number)
        base = self._firsts[numbers] * self._width + (self._firsts[numbers] + self._rows[numbers]) * DIGEST
        found = self._gather(base + (rows - self._firsts[numbers]) * self._width, self._width)
        self._resident += found.size
        if self._resident > _RESIDENT:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._resident = 0
        return found

    def block(self, number: int) -> Rows:
        """One block. Raises DamagedError."""
        self._check(number)
        start, rows = int(self._firsts[number]) * (DIGEST + self._width), int(self._rows[number])
        split = start + rows * DIGEST
        records = self._data[split : split + rows * self._width].reshape(rows, self._width)
        return Rows(self._data[start:split].reshape(rows, DIGEST), records)

    def touched(self, low: np.uint64, high: np.uint64 | None) -> range:
        """Blocks with digests whose keys are in [low, high)."""
        first = int(np.searchsorted(self.keys, low, side="left"))
        last = self.count if high is None else int(np.searchsorted(self.keys, high, side="left"))
        if first == last:
            return range(0)
        opening, closing = np.searchsorted(self._firsts, (first, last - 1), side="right").tolist()
        return range(opening - 1, closing)

    def cuts(self) -> NDArray[np.uint64]:
        """The first key of each block."""
        firsts: NDArray[np.uint64] = self.keys[self._firsts]
        return firsts

    def _opened(self, number: int, expected: int) -> NDArray[np.uint64]:
        start, rows = int(self._firsts[number]) * (DIGEST + self._width), int(self._rows[number])
        digests = self._data[start : start + rows * DIGEST]
        if zlib.crc32(digests.data) != expected:
            raise DamagedError("the digests of a block are not what was written")
        return leading(digests.reshape(rows, DIGEST))

    def _check(self, number: int) -> None:
        if not self._checked[number]:
            end = (int(self._firsts[number]) + int(self._rows[number])) * (DIGEST + self._width)
            records = self._data[end - int(self._rows[number]) * self._width : end]
            if zlib.crc32(records.data) != self._sums[number]:
                raise DamagedError("the records of a block are not what was written")
            self._checked[number] = True

    def _same(self, rows: Longs, wanted: Bytes) -> NDArray[np.bool_]:
        numbers = np.searchsorted(self._firsts, rows, side="right") - 1
        offsets = self._firsts[numbers] * self._width + rows * DIGEST
        same: NDArray[np.bool_] = (self._gather(offsets, DIGEST) == wanted).all(axis=1)
        return same

    def _gather(self, offsets: Longs, size: int) -> Bytes:
        """The `size` bytes at each offset, shape (n, size). All offsets are multiples of what digests and records are:
        so they are items of a view whose items overlap."""
        step = int(np.gcd(DIGEST, self._width))
        count = (self._data.size - size) // step + 1
        items = np.ndarray((count,), np.dtype(f"V{size}"), self._map, 0, (step,))
        return items[offsets // step].view(np.uint8).reshape(offsets.size, size)


def write_segment(folder: Path, width: int, parts: Iterator[Rows]) -> str | None:
    """Write a segment of these rows, which ascend from part to part, and return its name; None where there is no row.

    Raises OSError; nothing of the file is left then.
    """
    handle, aside = tempfile.mkstemp(prefix=".", suffix=ASIDE, dir=folder)
    try:
        with os.fdopen(handle, "wb", buffering=0) as stream:
            name = _written(stream, width, parts)
        if name is None:
            Path(aside).unlink()
        else:
            Path(aside).replace(folder / name)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    return name


def _written(stream: BinaryIO, width: int, parts: Iterator[Rows]) -> str | None:
    table: list[tuple[int, int, int]] = []
    for part in parts:
        for low in range(0, len(part), _BLOCK):
            digests, records = part.digests[low : low + _BLOCK].tobytes(), part.records[low : low + _BLOCK].tobytes()
            _write_all(stream, digests + records)
            table.append((len(digests) // DIGEST, zlib.crc32(digests), zlib.crc32(records)))
    if not table:
        return None
    rows = sum(count for count, _, _ in table)
    vouched = np.array(table, _TABLE).tobytes() + _FOOTER.pack(_MAGIC, width, len(table), rows)
    _write_all(stream, vouched)
    return _name(vouched)


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """A write to a disk that fills up may take a part; the next one says why."""
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def _name(vouched: bytes) -> str:
    return hashlib.sha256(vouched).hexdigest() + SUFFIX


def leading(digests: Bytes) -> NDArray[np.uint64]:
    """The first eight bytes of each digest as a number: ordered as the digests are."""
    return np.ascontiguousarray(digests[:, :8]).view(">u8").reshape(-1).astype(np.uint64)


def ascending(digests: Bytes) -> Longs:
    """Indices that put digests into order and leave out repeats."""
    keys = leading(digests)
    order = np.argsort(keys, kind="stable")
    if not (keys[order[1:]] == keys[order[:-1]]).any():
        return order
    # Repeats, or digests that begin alike.
    words = np.ascontiguousarray(digests).view(">u8").reshape(-1, DIGEST // 8)
    order = np.lexsort(words.T[::-1])
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    return order[fresh]


def merged(segments: Sequence[Segment]) -> Iterator[Rows]:
    """The rows of several segments in order, each digest once, holding a few dozen blocks at a time.

    Raises DamagedError, before anything that is wrong comes out.
    """
    cuts = np.unique(np.concatenate([segment.cuts() for segment in segments]))[:: 8 * len(segments)]
    for low, high in zip(cuts, [*cuts[1:], None], strict=True):
        parts = [
            _between(segment.block(number), low, high) for segment in segments for number in segment.touched(low, high)
        ]
        digests = np.concatenate([part.digests for part in parts])
        records = np.concatenate([part.records for part in parts])
        order = ascending(digests)
        yield Rows(digests[order], records[order])


def _between(rows: Rows, low: np.uint64, high: np.uint64 | None) -> Rows:
    keys = leading(rows.digests)
    kept = keys >= low if high is None else (keys >= low) & (keys < high)
    return Rows(rows.digests[kept], rows.records[kept])
