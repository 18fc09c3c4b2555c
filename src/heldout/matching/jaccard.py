"""Exact verification of candidate pairs: sizes of intersections, decided in integers, and bounds that lose no pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import kernels_for
from heldout.matching.minhash import fmix32
from heldout.matching.ragged import blocks, segments
from heldout.matching.shingles import ShingleSets, shingle_counts, shingle_hashes, shingle_sets
from heldout.matching.texts import NormalisedTexts

_BLOCK = 1 << 21  # shingles gathered at a time
_BITS = 1024
BITMAP = _BITS // 64
"""Words of a bitmap."""

_TEXT_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Bounds:
    """A cheap test that only refuses pairs which cannot reach the threshold num/den.

    For a pair at the threshold t the symmetric difference has at most (1-t)/(1+t) * (|A| + |B|) shingles, and at most
    (1-t)/t * min(|A|, |B|); each bit that is set in one bitmap only proves one of them. `bitmaps` (n, 16) uint64 is the
    OR of one bit a shingle, of the texts in `rows`; `sizes` counts shingle positions, an upper bound of the set's size.
    """

    rows: NDArray[np.int64]
    bitmaps: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    threshold: tuple[int, int]

    def admits(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the pairs (text indices) may be near."""
        left, right = np.searchsorted(self.rows, a), np.searchsorted(self.rows, b)
        return self._apart(self.bitmaps[left], self.bitmaps[right]) <= self._limit(self.sizes[left], self.sizes[right])

    def admits_one(self, one: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of `others` may be near one text, all given as positions in `rows`."""
        limit = self._limit(self.sizes[one], self.sizes[others])
        return self._apart(self.bitmaps[one], self.bitmaps.take(others, axis=0)) <= limit

    def only(self, rows: NDArray[np.int64]) -> Bounds:
        """The bounds of some of the texts."""
        places = np.searchsorted(self.rows, rows)
        return Bounds(rows, self.bitmaps[places], self.sizes[places], self.threshold)

    def spread(self, count: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Bitmaps and sizes in arrays for `count` texts, at the places of `rows`; the others' are not filled."""
        if self.rows.size == count:
            return np.ascontiguousarray(self.bitmaps), np.ascontiguousarray(self.sizes, np.int64)
        marks, counts = np.empty((count, BITMAP), np.uint64), np.zeros(count, np.int64)
        marks[self.rows], counts[self.rows] = self.bitmaps, self.sizes
        return marks, counts

    def _apart(self, left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.int64]:
        # Summed over a transposed copy: numpy adds whole rows several times faster than it sums short ones.
        bits = np.ascontiguousarray(np.bitwise_count(left ^ right).T)
        apart: NDArray[np.int64] = np.add.reduce(bits, axis=0, dtype=np.uint16).astype(np.int64)
        return apart

    def _limit(self, left: NDArray[np.int64] | np.int64, right: NDArray[np.int64]) -> NDArray[np.int64]:
        num, den = self.threshold
        smaller = (den - num) * np.minimum(left, right) // num
        limit: NDArray[np.int64] = np.minimum((den - num) * (left + right) // (den + num), smaller)
        return limit


def bounds(texts: NormalisedTexts, rows: NDArray[np.int64], threshold: tuple[int, int]) -> Bounds:
    """Bounds of the texts with these ascending indices; 128 bytes a text."""
    counts = shingle_counts(texts)[rows]
    kernels = kernels_for(int(counts.sum()))
    if kernels is not None:
        from heldout.matching.kernels import on_texts

        return Bounds(rows, on_texts.bitmaps(kernels, texts, rows), counts, threshold)
    marks = np.empty((rows.size, BITMAP), np.uint64)
    for low, high in blocks(counts, _BLOCK):
        marks[low:high] = bitmaps(texts.take(rows[low:high]))
    return Bounds(rows, marks, counts, threshold)


def bitmaps(texts: NormalisedTexts) -> NDArray[np.uint64]:
    """One bit of 1024 for every shingle of each text, shape (n, 16)."""
    kernels = kernels_for(texts.codepoints.size)
    if kernels is not None:
        from heldout.matching.kernels import on_texts

        return on_texts.bitmaps(kernels, texts, np.arange(len(texts), dtype=np.int64))
    result = np.empty((len(texts), BITMAP), np.uint64)
    for low, high in texts.blocks(_TEXT_BLOCK):
        hashes, offsets = shingle_hashes(texts.part(low, high))
        bits = np.zeros((high - low, _BITS), np.bool_)
        bits[np.repeat(np.arange(high - low), np.diff(offsets)), fmix32(hashes) >> np.uint32(22)] = True
        result[low:high] = np.packbits(bits, axis=1, bitorder="little").view("<u8")
    return result


@dataclass(frozen=True, slots=True)
class Verified:
    """The pairs that reached the threshold: their ascending `places` among the given pairs, and exact set sizes."""

    places: NDArray[np.int64]
    intersection: NDArray[np.int64]
    union: NDArray[np.int64]


def verify(texts: NormalisedTexts, a: NDArray[np.int64], b: NDArray[np.int64], threshold: tuple[int, int]) -> Verified:
    """Which of the given pairs of texts have an exact Jaccard similarity of num/den or more.

    Indices are those of `texts`, which may be any texts that cover the pairs. Two texts without shingles share nothing
    of nothing, which is 0/0 and counts as reaching it: leave them out (`Sketch.present`).
    """
    kernels = kernels_for(_work(texts, a, b))
    if kernels is not None and a.size:
        from heldout.matching.kernels.on_pairs import verified

        shared, total = verified(kernels, texts, a, b, threshold)
        places = np.flatnonzero(shared >= 0)
        return Verified(places, shared[places], total[places])
    sets = shingle_sets(texts, np.unique(np.concatenate([a, b])))
    intersection = intersections(sets, a, b)
    union = sets.sizes[sets.locate(a)] + sets.sizes[sets.locate(b)] - intersection
    places = np.flatnonzero(reaches(intersection, union, threshold))
    return Verified(places, intersection[places], union[places])


def _work(texts: NormalisedTexts, a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    """Code points that verification of the pairs reads."""
    lengths = texts.lengths
    return int(lengths[a].sum() + lengths[b].sum())


def intersections(sets: ShingleSets, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of shingles that texts a[i] and b[i] share; both must be covered by `sets`.

    Both sets of a pair are put into one list of (pair, rank); sorted, a shared shingle stands twice. O(s log s) in the
    total size s of a block.
    """
    left, right = sets.locate(a), sets.locate(b)
    sizes = sets.sizes
    result = np.zeros(a.size, np.int64)
    for low, high in blocks(sizes[left] + sizes[right], _BLOCK):
        sides = np.concatenate([left[low:high], right[low:high]])
        counts = sizes[sides]
        owner = np.repeat(np.tile(np.arange(high - low, dtype=np.int64), 2), counts)
        tagged = owner << np.int64(32) | sets.ranks[segments(sets.offsets[sides], counts)]
        tagged.sort()
        shared = tagged[1:][tagged[1:] == tagged[:-1]] >> np.int64(32)
        result[low:high] = np.bincount(shared, minlength=high - low)
    return result


def shared_with_one(
    sets: ShingleSets, one: int, others: NDArray[np.int64], marks: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The number of shingles that each of `others` shares with one text, all given as positions in `sets.rows`.

    `marks` is a scratch array of `sets.universe` entries, all False, and is left so: marking one set and counting the
    marks under the others needs no sort.
    """
    own = sets.ranks[sets.offsets[one] : sets.offsets[one + 1]]
    marks[own] = True
    counts = sets.sizes[others]
    result = np.zeros(others.size, np.int64)
    for low, high in blocks(counts, _BLOCK):
        places = segments(sets.offsets[others[low:high]], counts[low:high])
        starts = np.cumsum(counts[low:high]) - counts[low:high]
        result[low:high] = np.add.reduceat(marks[sets.ranks[places]], starts, dtype=np.int64)
    marks[own] = False
    return result


def reaches(intersection: NDArray[np.int64], union: NDArray[np.int64], threshold: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether intersection/union >= num/den, in integers: a pair at exactly 4/5 is near on every machine."""
    num, den = threshold
    return den * intersection >= num * union
