"""What was computed for inputs seen before (B36, B37): below `.heldout/`, git-ignored, always safe to delete, no text.

Segments (`heldout.storage.record_segments`) of one kind and method lie in one folder: `cache/<kind>/<16 hex of the
method digest>/`. They are immutable, written aside and renamed, and merged when there are more than eight. So processes
need no lock: a reader sees a whole segment or none, and what two of them write side by side stands there twice until a
merge.
A process may be killed anywhere: what it had renamed is whole, what it had not is a file aside, which goes with time.
A segment with damage is dropped and said so: a signature with a wrong bit would hide a near pair.
"""

from __future__ import annotations

import binascii
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from heldout.storage.record_segments import (
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
    open_segment,
    write_segment,
)

FOLDER: Final = ".heldout"
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
            for places, block in self._blocks(segment, keys[rows]):
                at, same = _located(block.digests, wanted[rows[places]])
                _copy(block.records, at[same], records, rows[places][same])
                known[rows[places][same]] = True
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
                self._open[name] = open_segment(self._folder / name, self._width)
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

    def _blocks(self, segment: Segment, keys: NDArray[np.uint64] | None = None) -> Iterator[tuple[slice, Rows]]:
        """The blocks in which ascending keys would stand (or all), and which of the keys each is for.

        Ends where the segment turns out to be damaged or gone: the rest of its inputs are not known.
        """
        wanted = segment.firsts if keys is None else keys
        numbers = np.searchsorted(segment.firsts, wanted, side="right") - 1
        bounds = np.flatnonzero(np.diff(numbers, prepend=-2, append=segment.firsts.size)).tolist()
        try:
            with segment.path.open("rb", buffering=0) as handle:
                for low, high in itertools.pairwise(bounds):
                    if numbers[low] >= 0:
                        yield slice(low, high), segment.block(handle, int(numbers[low]))
        except FileNotFoundError:
            self._open.pop(segment.path.name, None)
        except (OSError, DamagedError) as error:
            self._drop(segment.path.name, error)

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
        with ExitStack() as stack:
            opened: list[tuple[Segment, BinaryIO]] = []
            for segment in chosen:
                with suppress(FileNotFoundError):
                    opened.append((segment, stack.enter_context(segment.path.open("rb", buffering=0))))
            if len(opened) < 2:
                return
            try:
                kept = write_segment(self._folder, self._width, merged(*zip(*opened, strict=True)))
            except DamagedError:
                for segment, _ in opened:  # the damaged one is dropped; the others are merged another time
                    deque(self._blocks(segment), maxlen=0)
                return
        for segment, _ in opened:
            if segment.path.name != kept:
                self._open.pop(segment.path.name, None)
                segment.path.unlink(missing_ok=True)
        self._remove_abandoned()

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


def _located(digests: Bytes, wanted: Bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where in ascending digests each of the wanted ones is, and whether it is there.

    By their first eight bytes, and compared in full. Two that begin alike would have to be met to fool this, and then
    one of them is not found, which is no more than work done again; so only a repeat is looked at more closely.
    """
    keys = leading(digests)
    at = np.minimum(np.searchsorted(keys, leading(wanted)), len(digests) - 1)
    words, asked = digests.view(np.uint64), wanted.view(np.uint64)
    same = (words[at] == asked).all(axis=1)
    if keys.size > 1 and (keys[1:] == keys[:-1]).any():
        for place in np.flatnonzero(~same).tolist():
            rows = np.flatnonzero((words == asked[place]).all(axis=1))
            if rows.size:
                at[place], same[place] = rows[0], True
    return at, same


def _copy(source: Bytes, at: NDArray[np.int64], target: Bytes, to: NDArray[np.int64]) -> None:
    """`target[to] = source[at]`, by whole rows, and straight into the target where its rows follow each other."""
    if to.size and (np.diff(to) == 1).all():
        np.take(source, at, axis=0, out=target[to[0] : to[-1] + 1], mode="clip")
    else:
        row = f"V{source.shape[1]}"
        target.view(row).reshape(-1)[to] = np.take(source, at, axis=0).view(row).reshape(-1)


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
