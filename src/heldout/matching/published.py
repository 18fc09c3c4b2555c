"""Signatures that may be given away, and texts held against them.

A whole MinHash value is not fit for that: its permutation can be undone, so each of the 64 values names one shingle of
the text, and five characters at a time the text could be read off. Two bits of each value, after a mix that spreads
every bit over them, fit a quarter of all shingles there are; at the threshold they estimate almost as well as whole
values do (`heldout.domain.sealing.estimate`). With 16 bytes a text, all pairs are compared, so there are no bands to
miss any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.minhash import fmix32, signatures
from heldout.matching.parameters import NearParameters
from heldout.matching.ragged import blocks
from heldout.matching.shingles import shingle_counts, shingle_sets
from heldout.matching.texts import NormalisedTexts

PLANES = 2
WIDTH = 16
"""Bytes of a published signature."""

_PAIRS = 1 << 21  # pairs compared at a time
_SHINGLES = 1 << 22  # shingles counted at a time


def publish(texts: NormalisedTexts, parameters: NearParameters) -> NDArray[np.uint64]:
    """Two bits of each of 64 values, shape (n, 2): bit k of word b is bit b of value k."""
    marks = fmix32(signatures(texts, count=parameters.permutations, seed=parameters.seed)) >> np.uint32(32 - PLANES)
    planes = [np.packbits(marks >> np.uint32(bit) & np.uint32(1), axis=1, bitorder="little") for bit in range(PLANES)]
    return np.ascontiguousarray(np.concatenate(planes, axis=1)).view("<u8").astype(np.uint64, copy=False)


def distinct_shingles(texts: NormalisedTexts) -> NDArray[np.int64]:
    """How many different shingles each text has; 0 for one that says nothing."""
    counts = [
        shingle_sets(texts, np.arange(low, high, dtype=np.int64)).sizes
        for low, high in blocks(shingle_counts(texts), _SHINGLES)
    ]
    return np.concatenate([np.zeros(0, np.int64), *counts])


@dataclass(frozen=True, slots=True)
class Likely:
    """Pairs of a text (`row`) and a published signature (`item`), sorted by both; `matches` of 64 values agree.

    `shingles` are the row's distinct ones.
    """

    row: NDArray[np.int64]
    item: NDArray[np.int64]
    matches: NDArray[np.int64]
    shingles: NDArray[np.int64]

    def __len__(self) -> int:
        return self.row.size


@dataclass(frozen=True, slots=True)
class PublishedIndex:
    """Published signatures, shape (n, 2), of which those in `present` (ascending) are of texts that say something."""

    marks: NDArray[np.uint64]
    present: NDArray[np.int64]
    parameters: NearParameters
    least: int

    @classmethod
    def build(
        cls, marks: NDArray[np.uint64], shingles: NDArray[np.int64], parameters: NearParameters, least: int
    ) -> PublishedIndex:
        """`least` is the smallest number of matches that is of interest."""
        return cls(marks, np.flatnonzero(shingles), parameters, least)

    def probe(self, texts: NormalisedTexts) -> Likely:
        """Every pair of a text and a signature with enough matches; pure."""
        ours = np.flatnonzero(texts.lengths)
        found = [np.zeros((3, 0), np.int64)]
        if ours.size and self.present.size:
            found += self._compared(ours, publish(texts.take(ours), self.parameters))
        row, item, matches = np.concatenate(found, axis=1)
        rows, place = np.unique(row, return_inverse=True)
        shingles = distinct_shingles(texts.take(rows))
        return Likely(row, item, matches, shingles[place])

    def _compared(self, rows: NDArray[np.int64], marks: NDArray[np.uint64]) -> Iterator[NDArray[np.int64]]:
        theirs = self.marks[self.present]
        step = max(1, _PAIRS // self.present.size)
        for low in range(0, rows.size, step):
            part = marks[low : low + step]
            apart = part[:, None, 0] ^ theirs[None, :, 0]
            for plane in range(1, PLANES):
                apart |= part[:, None, plane] ^ theirs[None, :, plane]
            differ = np.bitwise_count(apart)
            row, item = np.nonzero(differ <= self.parameters.permutations - self.least)
            matches = self.parameters.permutations - differ[row, item].astype(np.int64)
            yield np.stack([rows[low + row], self.present[item], matches])
