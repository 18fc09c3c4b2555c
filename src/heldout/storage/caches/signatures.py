"""What was computed for inputs seen before (B36, B37): below `.heldout/`, git-ignored, always safe to delete, no text.

Segments (`heldout.storage.caches.segments`) of one kind and method lie in one folder: `cache/<kind>/<16 hex of the
method digest>/`. They are immutable, written aside and renamed, and merged when there are more than eight. So processes
need no lock: a reader sees a whole segment or none, and what two of them write side by side stands there twice until a
merge.
A process may be killed anywhere: what it had renamed is whole, what it had not is a file aside, which goes with time.
A segment with damage is dropped and said so: a signature with a wrong bit would hide a near pair.
"""

from __future__ import annotations

import binascii
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from heldout.storage.caches.segments import (
    ASIDE,
    DIGEST,
    SUFFIX,
    Bytes,
    DamagedError,
    Rows,
    Segment,
    ascending,
    leading,
    merged,
    write_segment,
)

SEGMENTS: Final = 8
"""More segments than this are merged, the small ones first."""

_ABANDONED: Final = 86400  # seconds after which a file written aside has no process any more
_WORD: Final = np.dtype("<u4")
_NAME: Final = b"sha256:"

Signatures = NDArray[np.uint32]
Inputs = Sequence[str] | Bytes
"""Input digests: "sha256:..." each, or an array of bytes of shape (n, 32)."""


class RecordCache:
    """The segments of one kind of record of one method.

    `width` is a record's bytes. `note` is told, once each, that something was damaged or cannot be written; neither is
    an error, only more work.
    """

    def __init__(self, folder: Path, kind: str, method_digest: str, width: int, note: Callable[[str], None]) -> None:
        self._top = folder
        self._folder = folder / "cache" / kind / method_digest.removeprefix("sha256:")[:16]
        self._kind = kind
        self._width = width
        self._note = note
        self._writable = True
        self._open: dict[str, Segment] = {}
        self._refused: set[str] = set()

    def find(self, inputs: Inputs) -> tuple[Bytes, NDArray[np.bool_]]:
        """Records of inputs, shape (n, width), and which of them are known; zeros stand for the others."""
        wanted = packed(inputs)
        records = np.zeros((len(wanted), self._width), np.uint8)
        known = np.zeros(len(wanted), np.bool_)
        if not len(wanted):
            return records, known
        keys = leading(wanted)
        order = np.argsort(keys, kind="stable")  # nothing to do where they come in order, as a pool's do
        for segment in self._segments():
            rows = order[~known[order]]
            if not rows.size:
                break
            asked, at = segment.find(wanted[rows], keys[rows])
            if asked.size:
                try:
                    found = segment.records(at)
                except DamagedError as error:
                    self._drop(segment.path.name, error)
                    continue
                _rows(records)[rows[asked]] = _rows(found)
                known[rows[asked]] = True
        return records, known

    def add(self, inputs: Inputs, records: Bytes) -> None:
        """Keep records for other processes and later runs. A folder that cannot be written keeps none."""
        if not len(inputs) or not self._writable:
            return
        digests = packed(inputs)
        try:
            self._make_folder()
            write_segment(self._folder, self._width, _in_order(digests, records.reshape(len(digests), self._width)))
            self._merge()
        except OSError as error:
            self._writable = False
            self._note(f"{self._kind} are not cached: {error.strerror or error}")

    def _segments(self) -> list[Segment]:
        """All readable segments; one that another process merged away in the meantime is left out."""
        names = {path.name for path in self._paths()}
        for gone in self._open.keys() - names:
            del self._open[gone]
        for name in sorted(names - self._open.keys() - self._refused):
            try:
                self._open[name] = Segment(self._folder / name, self._width)
            except FileNotFoundError:
                continue
            except (OSError, DamagedError) as error:
                self._drop(name, error)
        return [self._open[name] for name in sorted(self._open)]

    def _paths(self) -> list[Path]:
        try:
            return [path for path in self._folder.iterdir() if path.suffix == SUFFIX]
        except OSError:
            return []

    def _drop(self, name: str, error: Exception) -> None:
        """A segment that cannot be opened may be another user's; one that can be, and is damaged, goes."""
        self._refused.add(name)
        self._open.pop(name, None)
        if isinstance(error, PermissionError):
            self._note(f"a segment of the signature cache cannot be read: {error.strerror}")
            return
        self._note(f"a damaged segment of the signature cache was dropped ({name[:12]}); its inputs are signed again")
        with suppress(OSError):
            (self._folder / name).unlink()

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._top / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")

    def _merge(self) -> None:
        """Put the smallest segments into one when there are many: each row is written again once in a while, not each
        time. Only what went into it is removed, so that a segment which another process adds at this moment stays."""
        if len({path.name for path in self._paths()} - self._refused) <= SEGMENTS:
            return
        chosen = _smallest(self._segments())
        if len(chosen) < 2:
            return
        try:
            kept = write_segment(self._folder, self._width, merged(chosen))
        except DamagedError:
            self._drop_damaged(chosen)  # the others are merged another time
            return
        for segment in chosen:
            if segment.path.name != kept:
                self._open.pop(segment.path.name, None)
                segment.path.unlink(missing_ok=True)
        self._remove_abandoned()

    def _drop_damaged(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            try:
                for number in range(segment.blocks):
                    segment.block(number)
            except DamagedError as error:
                self._drop(segment.path.name, error)

    def _remove_abandoned(self) -> None:
        """Files written aside by processes that died, and those of earlier versions of Heldout. Those of live processes
        are renamed away under our eyes."""
        for aside in (*self._folder.glob(f".*{ASIDE}"), *self._folder.glob("*.npy")):
            with suppress(FileNotFoundError):
                if time.time() - aside.stat().st_mtime > _ABANDONED:
                    aside.unlink()


class SignatureCache:
    """Signatures of one method by input. `width` is the number of values in a signature."""

    def __init__(self, folder: Path, method_digest: str, width: int, note: Callable[[str], None]) -> None:
        self._records = RecordCache(folder, "signatures", method_digest, width * _WORD.itemsize, note)

    def find(self, inputs: Inputs) -> tuple[Signatures, NDArray[np.bool_]]:
        """Signatures, shape (n, width), and which of them are known."""
        records, known = self._records.find(inputs)
        return records.view(_WORD).astype(np.uint32, copy=False), known

    def add(self, inputs: Inputs, signatures: Signatures) -> None:
        """Keep signatures for other processes and later runs. A folder that cannot be written keeps none."""
        self._records.add(inputs, np.ascontiguousarray(signatures, _WORD).view(np.uint8))


def packed(inputs: Inputs) -> Bytes:
    """Input digests as bytes, shape (n, 32)."""
    if isinstance(inputs, np.ndarray):
        return inputs.reshape(-1, DIGEST)
    width = len(_NAME) + 2 * DIGEST
    flat = np.frombuffer("".join(inputs).encode("ascii"), np.uint8)
    rows = flat.reshape(-1, width) if flat.size == width * len(inputs) else np.zeros((0, width), np.uint8)
    if len(rows) != len(inputs) or not (rows[:, : len(_NAME)] == np.frombuffer(_NAME, np.uint8)).all():
        raise ValueError("an input is named by a SHA-256 digest")
    data = binascii.unhexlify(rows[:, len(_NAME) :].tobytes())
    return np.frombuffer(data, np.uint8).reshape(-1, DIGEST)


def _in_order(digests: Bytes, records: Bytes, step: int = 1 << 16) -> Iterator[Rows]:
    order = ascending(digests)
    for low in range(0, order.size, step):
        rows = order[low : low + step]
        yield Rows(digests[rows], records[rows])


def _rows(records: Bytes) -> NDArray[np.void]:
    """The same memory as one item a row: rows are copied whole."""
    return records.view(f"V{records.shape[1]}").reshape(-1)


def _smallest(segments: Sequence[Segment]) -> list[Segment]:
    """Two at least, and every further one that is not larger than all before it together."""
    ordered = sorted(segments, key=lambda segment: segment.count)
    taken, rows = ordered[:2], sum(segment.count for segment in ordered[:2])
    for segment in ordered[2:]:
        if segment.count > rows:
            break
        taken.append(segment)
        rows += segment.count
    return taken
