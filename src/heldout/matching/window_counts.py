"""Windows of a block of texts by their hashes, and how often hashes of about that value occur in all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import segments
from heldout.matching.rolling import RollingHash, rolling_hash
from heldout.matching.texts import NormalisedTexts


@dataclass(frozen=True, slots=True)
class BlockWindows:
    """The windows of `length` code points of a block of texts.

    `owners` are the texts that are long enough and `counts` how many windows each has; `places` are the flat positions
    of all of them, and `hashes` their hashes. `rolling` hashes any substring.
    """

    texts: NormalisedTexts
    length: int
    rolling: RollingHash
    owners: NDArray[np.int64]
    counts: NDArray[np.int64]
    places: NDArray[np.int64]
    hashes: NDArray[np.uint64]


def block_windows(texts: NormalisedTexts, length: int) -> BlockWindows:
    rolling = rolling_hash(texts.codepoints)
    owners = np.flatnonzero(texts.lengths >= length)
    counts = texts.lengths[owners] - length + 1
    places = segments(texts.offsets[owners], counts)
    return BlockWindows(texts, length, rolling, owners, counts, places, rolling.windows(length)[places])


class WindowCounts:
    """Counts of windows by the upper `bits` of their hashes: never less than how often a window occurs."""

    def __init__(self, length: int, bits: int = 24) -> None:
        self.length = length
        self._drop = np.uint64(64 - bits)
        self._counts = np.zeros(1 << bits, np.uint32)

    def add(self, texts: NormalisedTexts) -> None:
        """Count the windows of a block."""
        hashes = block_windows(texts, self.length).hashes
        np.add.at(self._counts, (hashes >> self._drop).astype(np.int64), np.uint32(1))

    def of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._counts[hashes >> self._drop].astype(np.int64)
        return found
