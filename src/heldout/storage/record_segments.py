"""Segments: immutable files of fixed-width records under SHA-256 digests, read a block at a time.

A segment is blocks, then a table, then a footer. A block is up to 2,048 digests of 32 bytes in ascending order, then
their records in the same order. The table has a row a block: the first eight bytes of its first digest as a number, its
length, and the CRC-32 of its bytes. The footer says how long the table and a record are. The file's name is the
SHA-256 of table and footer. So the name vouches for the table when the file is opened, and the table for each block
when it is read: a look-up of a few inputs in a million costs a few blocks, and a bit that has turned is no data.

Files are written aside and renamed, and read by position, never mapped: a file that shrinks under a reader is an error
that can be caught.
"""

from __future__ import annotations

import hashlib
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
_TABLE: Final = np.dtype([("first", "<u8"), ("rows", "<u4"), ("crc", "<u4")])
_FOOTER: Final = struct.Struct("<16sIIQ")  # magic, width of a record, blocks, rows
_MAGIC: Final = b"\x89HELDOUT SEG 1\n\0"

Bytes = NDArray[np.uint8]


class DamagedError(ValueError):
    """The bytes of a segment are not those that were written."""


@dataclass(frozen=True, slots=True)
class Rows:
    """n digests, shape (n, 32), ascending, and their records, shape (n, width)."""

    digests: Bytes
    records: Bytes

    def __len__(self) -> int:
        return len(self.digests)


@dataclass(frozen=True, slots=True)
class Segment:
    """An open segment: where its blocks are, and what they must be. `starts` are offsets in the file."""

    path: Path
    width: int
    firsts: NDArray[np.uint64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    sums: NDArray[np.uint32]

    @property
    def count(self) -> int:
        return int(self.rows.sum())

    def block(self, handle: BinaryIO, number: int) -> Rows:
        """One block, read and checked. Raises DamagedError."""
        rows = int(self.rows[number])
        wanted = rows * (DIGEST + self.width)
        data = os.pread(handle.fileno(), wanted, int(self.starts[number]))
        if len(data) != wanted or zlib.crc32(data) != self.sums[number]:
            raise DamagedError("a block is not what was written")
        flat = np.frombuffer(data, np.uint8)
        split = rows * DIGEST
        return Rows(flat[:split].reshape(rows, DIGEST), flat[split:].reshape(rows, self.width))


def open_segment(path: Path, width: int) -> Segment:
    """Raises OSError, and DamagedError for what is not a whole segment of records of this width."""
    with path.open("rb", buffering=0) as handle:
        size = os.fstat(handle.fileno()).st_size
        footer = os.pread(handle.fileno(), _FOOTER.size, max(0, size - _FOOTER.size))
        if len(footer) != _FOOTER.size:
            raise DamagedError("too short")
        magic, its_width, blocks, rows = _FOOTER.unpack(footer)
        length = blocks * _TABLE.itemsize
        body = size - _FOOTER.size - length
        if magic != _MAGIC or its_width != width or body != rows * (DIGEST + width) or not blocks:
            raise DamagedError("not a segment of this kind, or cut off")
        table = os.pread(handle.fileno(), length, body)
    if len(table) != length or segment_name(table + footer) != path.name:
        raise DamagedError("its table is not what was written")
    parsed = np.frombuffer(table, _TABLE)
    counts = parsed["rows"].astype(np.int64)
    sizes = counts * (DIGEST + width)
    return Segment(path, width, parsed["first"].copy(), counts, np.cumsum(sizes) - sizes, parsed["crc"].copy())


def segment_name(vouched: bytes) -> str:
    return hashlib.sha256(vouched).hexdigest() + SUFFIX


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
            digests, records = part.digests[low : low + _BLOCK], part.records[low : low + _BLOCK]
            data = digests.tobytes() + records.tobytes()
            _write_all(stream, data)
            table.append((int.from_bytes(data[:8], "big"), len(digests), zlib.crc32(data)))
    if not table:
        return None
    rows = sum(count for _, count, _ in table)
    vouched = np.array(table, _TABLE).tobytes() + _FOOTER.pack(_MAGIC, width, len(table), rows)
    _write_all(stream, vouched)
    return segment_name(vouched)


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """A write to a disk that fills up may take a part; the next one says why."""
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def leading(digests: Bytes) -> NDArray[np.uint64]:
    """The first eight bytes of each digest as a number: ordered as the digests are."""
    return np.ascontiguousarray(digests[:, :8]).view(">u8").reshape(-1).astype(np.uint64)


def ascending(digests: Bytes) -> NDArray[np.int64]:
    """Indices that put digests into order and leave out repeats."""
    if not len(digests):
        return np.zeros(0, np.int64)
    keys = leading(digests)
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    if not same.any():
        return order
    # Repeats, or digests that begin alike.
    words = np.ascontiguousarray(digests).view(">u8").reshape(-1, DIGEST // 8)
    order = np.lexsort(words.T[::-1])
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    return order[fresh]


def merged(segments: Sequence[Segment], handles: Sequence[BinaryIO]) -> Iterator[Rows]:
    """The rows of several segments in order, each digest once, holding a few dozen blocks at a time.

    Raises DamagedError and OSError of the reading, before anything that is wrong comes out.
    """
    cuts = np.unique(np.concatenate([segment.firsts for segment in segments]))[:: 8 * len(segments)]
    for low, high in zip(cuts, [*cuts[1:], None], strict=True):
        parts = [
            _between(segment.block(handle, number), low, high)
            for segment, handle in zip(segments, handles, strict=True)
            for number in _touched(segment, low, high)
        ]
        digests = np.concatenate([part.digests for part in parts])
        records = np.concatenate([part.records for part in parts])
        order = ascending(digests)
        yield Rows(digests[order], records[order])


def _touched(segment: Segment, low: np.uint64, high: np.uint64 | None) -> range:
    """Blocks with digests whose leading number is in [low, high)."""
    first = int(np.searchsorted(segment.firsts, low, side="left"))
    last = segment.firsts.size if high is None else int(np.searchsorted(segment.firsts, high, side="left"))
    return range(max(0, first - 1), last)


def _between(rows: Rows, low: np.uint64, high: np.uint64 | None) -> Rows:
    keys = leading(rows.digests)
    kept = keys >= low if high is None else (keys >= low) & (keys < high)
    return Rows(rows.digests[kept], rows.records[kept])
