# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels for large families of texts that are mostly not near each other (`heldout.matching.kernels.on_families`).

Prefix filtering, after Chaudhuri, Ganti and Kaushik (2006): with shingles in one order for all texts, two texts whose
similarity reaches t share one of the first (1-t)|A|+1 of each. Ordered from rare to common, few texts share those. Any
order that depends on the shingle alone will do, and a hash that two shingles share only adds texts to compare.
"""

from __future__ import annotations

import numpy as np

from heldout.matching.kernels.arithmetic import (
    Bytes,
    Ints,
    Longs,
    Places,
    Shorts,
    Words,
    apart,
    gram,
    grams,
    load_padded,
    mix64,
)
from heldout.matching.kernels.verifying import _build, _decide

_U20, _U44 = np.uint64(20), np.uint64(44)
_MOST = 1 << 20  # counts end here, so that they fit above a hash


def count_grams(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, count: int, points: Words, counts: Ints, drop: int
) -> int:
    """How often shingles whose hashes agree in their upper bits occur in all texts."""
    shift = np.uint64(drop)
    for d in range(count):
        positions = load_padded(b8, b16, b32, width, offsets[d], offsets[d + 1] - offsets[d], points)
        for i in range(positions):
            slot = np.int64(mix64(gram(points, i)) >> shift)
            if counts[slot] < _MOST - 1:
                counts[slot] += 1
    return 0


def _sort(values: Longs, count: int) -> int:
    """In place, by Shell's method with Ciura's gaps: texts are short."""
    gap = 701
    while gap < count // 3:
        gap = gap * 9 // 4
    while gap > 0:
        for i in range(gap, count):
            value, j = values[i], i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap = 0 if gap == 1 else max(gap * 4 // 9, 1)
    return 0


def first_grams(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, count: int, points: Words, counts: Ints, drop: int,
    num: int, den: int, mask: int, room: Longs, lists: Ints, ends: Places,
) -> int:  # fmt: skip
    """The lists [0, mask] that each text is to stand in: one for each of its rarest shingles, text by text."""
    shift, w = np.uint64(drop), 0
    for d in range(count):
        positions = load_padded(b8, b16, b32, width, offsets[d], offsets[d + 1] - offsets[d], points)
        for i in range(positions):
            name = mix64(gram(points, i))
            room[i] = (np.uint64(counts[np.int64(name >> shift)]) << _U44) | (name >> _U20)
        _sort(room, positions)
        left = (den - num) * positions // den + 1
        for i in range(positions):
            if left > 0 and (i == 0 or room[i] != room[i - 1]):
                lists[w] = np.int64(room[i]) & mask
                w += 1
                left -= 1
        ends[d] = w
    return w


def in_lists(lists: Ints, ends: Places, count: int, heads: Places, size: int, members: Ints) -> int:
    """Lists of texts: list k is `members[heads[k]:heads[k + 1]]`; `heads` has size + 2 entries, all 0."""
    for k in range(ends[count - 1]):
        heads[np.int64(lists[k]) + 2] += 1
    for k in range(2, size + 2):
        heads[k] += heads[k - 1]
    place = 0
    for d in range(count):
        while place < ends[d]:
            one = np.int64(lists[place]) + 1
            members[heads[one]] = d
            heads[one] += 1
            place += 1
    return 0


def _waits(columns: Bytes, y: int, classes: int, waits: Bytes, x: int, count: int) -> bool:
    """Whether text x lacks a partner in a class of y."""
    found = False
    for c in range(classes):
        found = found or (columns[y * classes + c] != 0 and waits[c * count + x] != 0)
    return found


def _serve(columns: Bytes, y: int, classes: int, waits: Bytes, x: int, count: int) -> int:
    """Text x has y for a partner in all classes of y."""
    for c in range(classes):
        if columns[y * classes + c] != 0:
            waits[c * count + x] = 0
    return 0


def family_by_lists(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, start: int, count: int, columns: Bytes,
    classes: int, bitmaps: Longs, num: int, den: int, waits: Bytes, lists: Ints, ends: Places, heads: Places,
    members: Ints, tried: Ints, distinct: Places, own: Words, points: Words, names: Longs, stamps: Ints, places: Ints,
    seen: Ints, names2: Longs, stamps2: Ints, places2: Ints, mask: int, mark: int, out: Places, room: int, w: int,
) -> int:  # fmt: skip
    """A family from text `start` on, as `verifying.family` resolves it from the first.

    `waits` (classes, count) says which texts lack a partner in each class; `mark` is above any that was used before,
    and `w` pairs stand in `out`.
    """
    for y in range(start, count):
        mine, first = -1, ends[y - 1] if y > 0 else 0
        cost = 0
        for k in range(first, ends[y]):
            one = np.int64(lists[k])
            cost += heads[one + 1] - heads[one]
        every = cost > count
        for k in range(first, first + 1 if every else ends[y]):
            one = np.int64(lists[k])
            low, high = (0, count) if every else (heads[one], heads[one + 1])
            for j in range(low, high):
                x = j if every else np.int64(members[j])
                if x == y or abs(tried[x]) == y + 1:
                    continue
                tried[x] = y + 1
                if not _waits(columns, y, classes, waits, x, count):
                    continue
                sizes = min(grams(offsets[x + 1] - offsets[x]), grams(offsets[y + 1] - offsets[y]))
                if apart(bitmaps, x, y, np.uint64((den - num) * sizes // num)):
                    continue
                if mine < 0:
                    positions = load_padded(b8, b16, b32, width, offsets[y], offsets[y + 1] - offsets[y], own)
                    mine = _build(own, positions, names, stamps, places, mask, y + 1)
                    distinct[y] = mine
                mark += 1
                hits = _decide(
                    b8, b16, b32, width, offsets, x, mine, num, den, distinct, own, points, names, stamps, places, seen,
                    names2, stamps2, places2, mask, y + 1, mark,
                )  # fmt: skip
                if hits >= 0:
                    out[w], out[room + w] = x, y
                    out[2 * room + w], out[3 * room + w] = hits, mine + distinct[x] - hits
                    w += 1
                    _serve(columns, y, classes, waits, x, count)
    return w


HELPERS = (_sort, _waits, _serve)
KERNELS = {
    count_grams: "tqnIin",
    first_grams: "tqnIinnnnQiq",
    in_lists: "iqnqni",
    family_by_lists: "tqnnBnQnnBiqqiiqIIQiiiQiinnqnn",
}
