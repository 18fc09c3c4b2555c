"""Windows of a block of texts by their hashes, and how often hashes of about that value occur in all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import kernels_for
from heldout.matching.ragged import offsets_of, segments
from heldout.matching.rolling import rolling_hash
from heldout.matching.texts import NormalisedTexts


@dataclass(frozen=True, slots=True)
class BlockWindows:
    """The windows of a block of texts: 32-bit `hashes`, text by text, row i in `[starts[i], starts[i + 1])`.

    A window's place in its row is where it starts in the text; a text that is too short has none.
    """

    texts: NormalisedTexts
    hashes: NDArray[np.uint32]
    starts: NDArray[np.int64]


class WindowCounts:
    """Counts of windows of `length` code points by the upper `bits` of their hashes: never less than how often a window
    occurs, save that with kernels they end at 255.

    Whether kernels make the hashes is decided once, by the code points to come (`work`): theirs differ from numpy's.
    """

    def __init__(self, length: int, work: int, bits: int = 24) -> None:
        self.length = length
        self._kernels = kernels_for(work)
        self._drop = 32 - bits
        self._counts = np.zeros(1 << bits, np.uint32 if self._kernels is None else np.uint8)

    def windows(self, texts: NormalisedTexts) -> BlockWindows:
        """The windows of a block."""
        counts = np.maximum(texts.lengths - self.length + 1, 0)
        starts = offsets_of(counts)
        if self._kernels is None:
            every = rolling_hash(texts.codepoints).windows(self.length)[segments(texts.offsets[:-1], counts)]
            return BlockWindows(texts, (every >> np.uint64(32)).astype(np.uint32), starts)
        hashes, ends = np.empty(int(starts[-1]) + 1, np.uint32), np.empty(len(texts), np.int64)
        points, offsets = np.ascontiguousarray(texts.codepoints), np.ascontiguousarray(texts.offsets)
        self._kernels.sample(points, offsets, 0, len(texts), self.length, 0, hashes, ends)
        return BlockWindows(texts, hashes[:-1], starts)

    def add(self, texts: NormalisedTexts) -> None:
        """Count the windows of a block."""
        hashes = self.windows(texts).hashes
        if self._kernels is None:
            np.add.at(self._counts, hashes >> np.uint32(self._drop), np.uint32(1))
        else:
            self._kernels.tally(hashes, hashes.size, self._drop, self._counts)

    def rarest(self, windows: BlockWindows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(how often, place in its row) of each row's rarest window, the first of equals; 0 times where it has none."""
        times, shifts = np.zeros(len(windows.texts), np.int64), np.zeros(len(windows.texts), np.int64)
        if self._kernels is not None:
            found = (windows.starts, times.size, self._drop, self._counts, times, shifts)
            self._kernels.lowest(np.ascontiguousarray(windows.hashes), *found)
            return times, shifts
        rows = np.flatnonzero(np.diff(windows.starts))
        if not rows.size:
            return times, shifts
        firsts, sizes = windows.starts[rows], np.diff(windows.starts)[rows]
        counts = self._counts[windows.hashes >> np.uint32(self._drop)]
        lowest = np.minimum.reduceat(counts, firsts)
        times[rows] = lowest
        places = np.flatnonzero(counts == np.repeat(lowest, sizes))
        shifts[rows] = places[np.searchsorted(places, firsts)] - firsts
        return times, shifts
