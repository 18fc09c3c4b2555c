"""Near pairs of texts that are read in parts: what `near_pairs` finds, within a budget of memory.

Bands propose from keys alone, bitmaps refuse, and only the texts of what is left are read, as many as fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import BandIndex, band_index
from heldout.matching.classes import Classes
from heldout.matching.families import families, family_pairs
from heldout.matching.feed import TextFeed, pair_groups
from heldout.matching.jaccard import BITMAP, Bounds, verify
from heldout.matching.near import NearPairs, proposals
from heldout.matching.parameters import NearParameters
from heldout.matching.ragged import blocks, offsets_of
from heldout.matching.shingles import SHINGLE

_COST = 64  # bytes that verification takes for each code point


def near_pairs_streamed(
    feed: TextFeed, keys: NDArray[np.uint64], parameters: NearParameters, classes: Classes, budget: int
) -> NearPairs:
    """`keys` (bands, n) are `heldout.matching.bands.band_keys` of all texts, perhaps a memory-mapped file.

    `budget` bytes bound what is read of texts at a time, save where one pair, or one family, is larger.
    """
    index = band_index(keys, np.flatnonzero(feed.lengths), cap=parameters.bucket_cap)
    limits = _bounds(feed, index.grouped(), parameters.threshold)
    proposed = proposals(index, limits)
    capped = index.capped_buckets
    index = BandIndex(np.zeros((0, 0), np.uint64), (), index.family, index.cap)
    limits = limits.only(np.flatnonzero(index.family >= 0))
    del keys  # like bands and bitmaps hundreds of bytes a text, and no longer needed
    listed = _verified(feed, proposed, parameters.threshold, budget)
    partners = _partners(feed, index, limits, classes, budget)
    pairs = np.concatenate([listed, partners], axis=1)
    order = np.lexsort((pairs[1], pairs[0]))
    a, b, intersection, union = pairs[:, order]
    return NearPairs(a, b, intersection, union, order >= listed.shape[1], capped)


def _bounds(feed: TextFeed, rows: NDArray[np.int64], threshold: tuple[int, int]) -> Bounds:
    """In arrays for all texts, of which others than these may not be asked about; pages never written take no room."""
    count, lengths = feed.lengths.size, feed.lengths[rows]
    marks, sizes = np.empty((count, BITMAP), np.uint64), np.zeros(count, np.int64)
    sizes[rows] = np.where(lengths == 0, 0, np.maximum(lengths - SHINGLE + 1, 1))
    feed.put_bitmaps(rows, marks)
    return Bounds(np.arange(count, dtype=np.int64), marks, sizes, threshold)


def _verified(feed: TextFeed, pairs: NDArray[np.int64], threshold: tuple[int, int], budget: int) -> NDArray[np.int64]:
    """The pairs that reach the threshold, as rows (a, b, intersection, union)."""
    found = [np.zeros((4, 0), np.int64)]
    for group in pair_groups(feed.lengths, pairs[0], pairs[1], budget // 4):
        near = pairs[:, group]
        rows = np.unique(near)
        texts = feed.fetch(rows)
        a, b = np.searchsorted(rows, near)
        for part in pair_groups(texts.lengths, a, b, max(budget // _COST, 1 << 16)):
            inside = np.unique(np.concatenate([a[part], b[part]]))
            left, right = np.searchsorted(inside, a[part]), np.searchsorted(inside, b[part])
            done = verify(texts.take(inside), left, right, threshold)
            found.append(np.concatenate([near[:, part][:, done.places], [done.intersection, done.union]]))
    return np.concatenate(found, axis=1)


def _partners(feed: TextFeed, index: BandIndex, limits: Bounds, classes: Classes, budget: int) -> NDArray[np.int64]:
    """The partner pairs of all families, as many families at a time as fit."""
    found = [np.zeros((4, 0), np.int64)]
    members = families(index)
    sizes = np.array([int(feed.lengths[part].sum()) for part in members], np.int64)
    for low, high in blocks(sizes, max(budget // _COST, 1)):
        rows = np.sort(np.concatenate(members[low:high]))
        label = np.searchsorted(rows, index.family[rows])
        part = BandIndex(index.keys, (), label, index.cap)
        known = limits.only(rows)
        inside = Bounds(np.arange(rows.size, dtype=np.int64), known.bitmaps, known.sizes, known.threshold)
        pairs = family_pairs(feed.fetch(rows), part, inside, _only(classes, rows))
        found.append(np.concatenate([rows[pairs[:2]], pairs[2:]]))
    return np.concatenate(found, axis=1)


def _only(classes: Classes, rows: NDArray[np.int64]) -> Classes:
    owners, ids = classes.expand(rows)
    return Classes(ids, offsets_of(np.bincount(owners, minlength=rows.size)))
