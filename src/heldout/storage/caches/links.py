"""Which inputs were compared with each other, and all that was found between them: below `.heldout/`, git-ignored,
always safe to delete, no text.

A file is a compared set: the digests of distinct inputs, ascending, what is kept of each (`Compared`), and the links
among them, which are all there are. So a scan that meets most of them again compares only the others. One file is
header, then columns. The header counts the bytes of each column and has its CRC-32; the file's name is the SHA-256 of
the header. Files are immutable, written aside and renamed: processes need no lock, a reader sees a whole file or none,
and two that write the same set write the same name. A file with a bit that turned is dropped and said so.

At most `SETS` sets and `LIMIT` bytes are kept for a method; those that served longest ago go first.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from heldout.storage.caches.digest_index import Digests, prefixes
from heldout.storage.caches.segments import ASIDE, DamagedError

SETS: Final = 4
LIMIT: Final = 1 << 30
SUFFIX: Final = ".compared"

_ABANDONED: Final = 86400  # seconds after which a file written aside has no process any more
_MAGIC: Final = b"\x89HELDOUT CMP 1\n\0"
_COLUMN: Final = struct.Struct("<QII")  # bytes, CRC-32, width of a row
_KNOWN_DAMAGE = (OSError, DamagedError)


@dataclass(frozen=True, slots=True)
class Compared:
    """n distinct inputs whose texts were compared in one go, with no containment capped.

    Of each: its digest, the code points of its normalised text, its band keys, and its bitmap of shingles. `owners`,
    `counts` and `values` are those of `heldout.matching.winnowed.Winnowed`, `times` and `anchors` those of its
    `Rarity`. Links name inputs by their rows: each row of `near` is (a, b, intersection, union), of `inside` (short,
    long, position, offset, aligned), and of `spans` (first, second, start in the first, start in the second, length),
    the longest piece that two of them share, where somebody asked. `families` are the rows of inputs in buckets over
    the cap; their near pairs, which depend on who else is there, are not among `near`.
    """

    digests: Digests
    lengths: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    bitmaps: NDArray[np.uint64]
    owners: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    values: NDArray[np.uint32]
    times: NDArray[np.uint8]
    anchors: NDArray[np.uint32]
    families: NDArray[np.uint32]
    near: NDArray[np.int32]
    inside: NDArray[np.int32]
    spans: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.digests)


_TYPES: Final[dict[str, Any]] = {
    "digests": np.uint8,
    "keys": np.uint64,
    "bitmaps": np.uint64,
    "times": np.uint8,
} | dict.fromkeys(("near", "inside", "spans"), np.int32)
_WIDE: Final = ("digests", "keys", "bitmaps", "near", "inside", "spans")
"""Columns with several numbers a row, stored row by row."""


class LinkCache:
    """The compared sets of one method. `note` is told, once each, that a file was damaged or cannot be written."""

    def __init__(self, folder: Path, method_digest: str, note: Callable[[str], None]) -> None:
        self._top = folder
        self._folder = folder / "cache" / "links" / method_digest.removeprefix("sha256:")[:16]
        self._note = note
        self._refused: set[str] = set()

    def __bool__(self) -> bool:
        """Whether there is a set."""
        return bool(self._names())

    def best(self, inputs: Digests) -> Compared | None:
        """The set that holds most of these inputs, of equal ones the largest; None where no set holds any."""
        known = []
        for name in self._names():
            try:
                file = _File(self._folder / name)
                known.append((int((Rows(file.digests).find(inputs) >= 0).sum()), len(file.digests), name, file))
            except _KNOWN_DAMAGE as error:
                self._drop(name, error)
        for hits, _, name, file in sorted(known, key=lambda item: item[:3], reverse=True):
            try:
                if hits:
                    found = file.compared()
                    with suppress(OSError):
                        os.utime(file.path)
                    return found
            except _KNOWN_DAMAGE as error:
                self._drop(name, error)
        return None

    def add(self, compared: Compared) -> None:
        """Keep a set. A folder that cannot be written, or has no room for it, keeps none."""
        columns = [_stored(compared, field.name) for field in fields(Compared)]
        if sum(column.nbytes for column in columns) > LIMIT:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            ignore = self._top / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")
            self._prune(_write(self._folder, columns))
        except OSError as error:
            self._note(f"links are not cached: {error.strerror or error}")

    def _names(self) -> list[str]:
        try:
            return sorted({path.name for path in self._folder.iterdir() if path.suffix == SUFFIX} - self._refused)
        except OSError:
            return []

    def _drop(self, name: str, error: Exception) -> None:
        """A file that another process removed in the meantime is no damage; one that cannot be opened stays."""
        self._refused.add(name)
        if isinstance(error, FileNotFoundError):
            return
        if isinstance(error, OSError):
            self._note(f"a set of the link cache cannot be read: {error.strerror or error}")
            return
        self._note(f"a damaged set of the link cache was dropped ({name[:12]}); its inputs are compared again")
        with suppress(OSError):
            (self._folder / name).unlink()

    def _prune(self, written: str) -> None:
        """Remove what served longest ago, beyond the limits, and files of processes that died."""
        kept = []
        for name in self._names():
            with suppress(FileNotFoundError):
                state = (self._folder / name).stat()
                kept.append((name == written, state.st_mtime_ns, state.st_size, name))
        size = 0
        for number, (own, _, own_size, name) in enumerate(sorted(kept, reverse=True)):
            size += own_size
            if not own and (number >= SETS or size > LIMIT):
                (self._folder / name).unlink(missing_ok=True)
        for aside in self._folder.glob(f".*{ASIDE}"):
            with suppress(FileNotFoundError):
                if time.time() - aside.stat().st_mtime > _ABANDONED:
                    aside.unlink()


class _File:
    """A mapped file whose header and digests were checked."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, and DamagedError for what is not a whole set."""
        self.path = path
        names = [field.name for field in fields(Compared)]
        self._size = len(_MAGIC) + len(names) * _COLUMN.size
        with path.open("rb") as handle:
            if os.fstat(handle.fileno()).st_size < self._size:
                raise DamagedError("too short")
            self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        header = self._map[: self._size]
        if not header.startswith(_MAGIC) or _name(header) != path.name:
            raise DamagedError("its header is not what was written")
        self._columns = dict(zip(names, _COLUMN.iter_unpack(header[len(_MAGIC) :]), strict=True))
        if self._size + sum(_padded(size) for size, _, _ in self._columns.values()) != len(self._map):
            raise DamagedError("cut off")
        self.digests: Digests = self._column("digests")

    def compared(self) -> Compared:
        """All of it. Raises DamagedError."""
        columns: dict[str, Any] = {name: self._column(name) for name in self._columns if name != "digests"}
        return Compared(digests=self.digests, **columns)

    def _column(self, name: str) -> NDArray[Any]:
        start = self._size
        for other, (size, checksum, width) in self._columns.items():
            if other == name:
                data = memoryview(self._map)[start : start + _padded(size)]
                if zlib.crc32(data) != checksum:
                    raise DamagedError("a column is not what was written")
                flat = np.frombuffer(data[:size], _TYPES.get(name, np.uint32))
                return flat.reshape(-1, width) if name in _WIDE else flat
            start += _padded(size)
        raise KeyError(name)


class Rows:
    """The rows of digests that ascend."""

    def __init__(self, known: Digests) -> None:
        self._known, self._firsts = known, prefixes(known)

    def find(self, wanted: Digests) -> NDArray[np.int64]:
        """The rows of the wanted digests, -1 for those that are not there."""
        rows = np.full(len(wanted), -1, np.int64)
        firsts, keys = self._firsts, prefixes(wanted)
        live, at = np.arange(len(wanted)), np.searchsorted(firsts, keys)
        while live.size:
            inside = at < firsts.size
            inside[inside] = firsts[at[inside]] == keys[live[inside]]
            live, at = live[inside], at[inside]
            same = (self._known[at] == wanted[live]).all(axis=1)
            rows[live[same]] = at[same]
            live, at = live[~same], at[~same] + 1  # digests that begin alike follow each other
        return rows


def _stored(compared: Compared, name: str) -> NDArray[Any]:
    column = getattr(compared, name)
    return np.ascontiguousarray(column, _TYPES.get(name, np.uint32))


def _write(folder: Path, columns: list[NDArray[Any]]) -> str:
    """The name of the file. Raises OSError; nothing of it is left then."""
    header = _MAGIC + b"".join(
        _COLUMN.pack(column.nbytes, zlib.crc32(_padding(column), zlib.crc32(_bytes(column))), _width(column))
        for column in columns
    )
    handle, aside = tempfile.mkstemp(prefix=".", suffix=ASIDE, dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(header)
            for column in columns:
                stream.write(_bytes(column))
                stream.write(_padding(column))
        Path(aside).replace(folder / _name(header))
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    return _name(header)


def _width(column: NDArray[Any]) -> int:
    return 1 if column.ndim == 1 else column.shape[1]


def _bytes(column: NDArray[Any]) -> memoryview | bytes:
    return column.data.cast("B") if column.size else b""


def _padding(column: NDArray[Any]) -> bytes:
    return bytes(_padded(column.nbytes) - column.nbytes)


def _padded(size: int) -> int:
    """Columns begin at multiples of eight."""
    return -(-size // 8) * 8


def _name(header: bytes) -> str:
    return hashlib.sha256(header).hexdigest() + SUFFIX
