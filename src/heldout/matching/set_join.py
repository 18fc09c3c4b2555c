"""Exact set-similarity join: every pair of sets whose Jaccard similarity reaches a threshold, and no other.

The method is prefix filtering with length and position bounds, after Chaudhuri, Ganti and Kaushik (2006) and Xiao,
Wang, Lin and Yu (PPJoin, 2008): elements are ordered from rare to common, and two sets that are similar enough share
one of their first few elements. Bounds only refuse pairs that cannot reach the threshold; exact sizes decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.jaccard import Bounds, intersections, reaches
from heldout.matching.minhash import fmix32
from heldout.matching.ragged import blocks, offsets_of, segments
from heldout.matching.shingles import ShingleSets

_BLOCK = 1 << 21  # candidates, or elements, held at a time
_BITS = 1024
MIXED = -1
"""The label of a set that takes part in every pair."""

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class SetPairs:
    """Pairs of positions in `ShingleSets.rows`, a < b, sorted, with exact sizes of intersection and union (int64)."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    intersection: NDArray[np.int64]
    union: NDArray[np.int64]

    def __len__(self) -> int:
        return self.a.size


def set_join(sets: ShingleSets, threshold: tuple[int, int], labels: NDArray[np.int64] | None = None) -> SetPairs:
    """Every pair with intersection/union >= num/den > 0, decided in integers. Empty sets are in no pair.

    Two sets of one label (int64, a number for each set) make no pair, save with the label `MIXED`: labels are splits,
    and only pairs across them are asked for.
    """
    if not 0 < threshold[0] <= threshold[1]:
        raise ValueError("a threshold is above 0 and at most 1")
    return verified(sets, _candidates(sets, threshold, labels), threshold, labels)


def verified(
    sets: ShingleSets, candidates: Iterator[Pairs], threshold: tuple[int, int], labels: NDArray[np.int64] | None = None
) -> SetPairs:
    """Those candidates, each given once, that are pairs. Candidates may come from anywhere, such as bands."""
    limits = _bounds(sets, threshold)
    kept = [np.zeros((4, 0), np.int64)]
    for left, right in candidates:
        wanted = limits.admits(left, right)
        if labels is not None:
            wanted &= (labels[left] != labels[right]) | (labels[left] == MIXED)
        a, b = np.minimum(left, right)[wanted], np.maximum(left, right)[wanted]
        shared = intersections(sets, sets.rows[a], sets.rows[b])
        union = sets.sizes[a] + sets.sizes[b] - shared
        kept.append(np.stack([a, b, shared, union])[:, reaches(shared, union, threshold)])
    found = np.concatenate(kept, axis=1)
    return SetPairs(*found[:, np.lexsort((found[1], found[0]))])


def _bounds(sets: ShingleSets, threshold: tuple[int, int]) -> Bounds:
    """One bit of 1024 for each element: bits that differ prove elements that differ."""
    sizes = sets.sizes
    bitmaps = np.zeros((sizes.size, _BITS // 64), np.uint64)
    for low, high in blocks(sizes + _BITS // 8, _BLOCK):
        bits = np.zeros((high - low, _BITS), np.bool_)
        ranks = sets.ranks[sets.offsets[low] : sets.offsets[high]]
        owners = np.repeat(np.arange(high - low), sizes[low:high])
        bits[owners, fmix32(ranks.astype(np.uint32)) >> np.uint32(22)] = True
        bitmaps[low:high] = np.packbits(bits, axis=1).view(np.uint64)
    return Bounds(np.arange(sizes.size), bitmaps, sizes, threshold)


@dataclass(frozen=True, slots=True)
class _Prefixes:
    """The first elements of each set, by place in the order of sizes.

    Entry e says that set `owner[e]` (its place) has element `element[e]` at `position[e]` of its own order; entries are
    sorted by owner. `index` lists those entries that later sets look up, sorted by `keys`: element, then owner.
    """

    order: NDArray[np.int64]
    sizes: NDArray[np.int64]
    owner: NDArray[np.int64]
    element: NDArray[np.int64]
    position: NDArray[np.int64]
    index: NDArray[np.int64]
    keys: NDArray[np.int64]


def _prefixes(sets: ShingleSets, threshold: tuple[int, int]) -> _Prefixes:
    num, den = threshold
    order = np.argsort(sets.sizes, kind="stable")
    sizes = sets.sizes[order]
    common = np.argsort(np.bincount(sets.ranks, minlength=sets.universe), kind="stable")
    rarity = np.empty(common.size, np.int64)
    rarity[common] = np.arange(common.size)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    tagged = np.repeat(place, sets.sizes) << np.int64(32) | rarity[sets.ranks]
    tagged.sort()
    starts = offsets_of(sizes)[:-1]
    probing = np.where(sizes == 0, 0, sizes - -(-num * sizes // den) + 1)
    entries = segments(starts, probing)
    owner, element = tagged[entries] >> np.int64(32), tagged[entries] & np.int64(0xFFFFFFFF)
    position = entries - starts[owner]
    # A set is looked up by larger ones only, which must share more with it than it needs with itself.
    least = -(-2 * num * sizes // (num + den))
    index = np.flatnonzero(position < (sizes - least + 1)[owner])
    keys = element[index] * order.size + owner[index]
    by_key = np.argsort(keys)
    return _Prefixes(order, sizes, owner, element, position, index[by_key], keys[by_key])


def _candidates(sets: ShingleSets, threshold: tuple[int, int], labels: NDArray[np.int64] | None) -> Iterator[Pairs]:
    """Blocks of pairs that share an element of their prefixes and pass the bounds, each pair once."""
    num, den = threshold
    found = _prefixes(sets, threshold)
    count, sizes = found.order.size, found.sizes
    smallest = np.searchsorted(sizes, -(-num * sizes // den))  # the first place that is large enough for a partner
    wanted = found.element * count
    low = np.searchsorted(found.keys, wanted + smallest[found.owner])
    partners = np.maximum(np.searchsorted(found.keys, wanted + found.owner) - low, 0)
    rows = offsets_of(np.bincount(found.owner, minlength=count))
    work = np.add.reduceat(np.append(partners, 0), rows[:-1]) if count else partners
    work[np.diff(rows) == 0] = 0
    for first, last in blocks(work, _BLOCK):
        part = slice(rows[first], rows[last])
        counts = partners[part]
        theirs = found.index[segments(low[part], counts)]
        mine = np.repeat(np.arange(part.start, part.stop), counts)
        x, y = found.owner[mine], found.owner[theirs]
        rest = np.minimum(sizes[x] - found.position[mine], sizes[y] - found.position[theirs])
        possible = (num + den) * rest >= num * (sizes[x] + sizes[y])
        if labels is not None:
            left, right = labels[found.order[x]], labels[found.order[y]]
            possible &= (left != right) | (left == MIXED)
        pairs = np.unique(x[possible] * count + y[possible])
        yield found.order[pairs // count], found.order[pairs % count]
