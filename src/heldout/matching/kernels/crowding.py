# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels for large families of texts that are mostly not near each other (`heldout.matching.kernels.on_families`).

Two sets near each other differ in at most L shingles. Dealt out by hash into more than L parts, they agree in all parts
but L (PartEnum, after Arasu, Ganti and Kaushik, 2006). So of each set's parts, ordered from rare to common by an order
that is the same for all, the first L+k hold k that are among the first L+k of the other (prefix filtering, after
Chaudhuri, Ganti and Kaushik, 2006). Most parts of a text occur nowhere else, even where it shares sentences with many.
L depends on the larger set, so sizes make classes, and a text has parts for its own class and the next one.
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
    most_apart,
    same_gram,
    slot_of,
)
from heldout.matching.kernels.verifying import _build, _decide

MEETINGS = 3
"""k: parts that two texts near each other have in common. Texts that are not rarely have as many."""

_SPREAD, _PART = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
_U0, _U1, _U8, _U32, _U56 = (np.uint64(value) for value in (0, 1, 8, 32, 56))


def _distinct(
    points: Words, positions: int, names: Longs, stamps: Ints, places: Ints, mask: int, stamp: int, hashes: Longs
) -> int:
    """Hashes of a text's distinct shingles, in the order of their first places; returns how many."""
    _build(points, positions, names, stamps, places, mask, stamp)
    count = 0
    for i in range(positions):
        name = gram(points, i)
        slot = slot_of(name, mask)
        while not (names[slot] == name and same_gram(name, points, np.int64(places[slot]), points, i)):
            slot = (slot + 1) & mask
        if np.int64(places[slot]) == i:
            hashes[count] = mix64(name)
            count += 1
    return count


def _after(first: int, num: int, den: int) -> int:
    """Where the class of sizes after the one that begins at `first` begins."""
    return max(first + 1, (first * den + num - 1) // num)


def _sort(values: Longs, count: int) -> int:
    """In place, by Shell's method with Ciura's gaps."""
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


def _deal(hashes: Longs, size: int, first: int, parts: int, sums: Longs) -> int:
    """Keys of the parts that are not empty, in `sums`; returns how many."""
    for part in range(parts):
        sums[part] = _U0
    for i in range(size):
        sums[np.int64(((hashes[i] >> _U32) * np.uint64(parts)) >> _U32)] += mix64(hashes[i] ^ _SPREAD)
    filled = 0
    for part in range(parts):
        if sums[part] != _U0:
            sums[filled] = mix64(sums[part] + (np.uint64(first) << _U32) * _PART + np.uint64(part) * _SPREAD)
            filled += 1
    return filled


def part_keys(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, count: int, points: Words, names: Longs,
    stamps: Ints, places: Ints, mask: int, num: int, den: int, hashes: Longs, sums: Longs, met: Bytes, drop: int,
    keep: int, list_mask: int, lists: Ints, ends: Places, needs: Bytes,
) -> int:  # fmt: skip
    """Counts keys in `met`; with `keep`, writes the lists [0, list_mask] of the rarest that were met twice.

    Returns how many were written, or -1 where a text has too many empty parts for this to find all that is near it.
    `needs` says how many lists a text shares with each one near it that is not larger. `stamps` are 0. A list is named
    by a hash of a key, so it may hold texts that share none.
    """
    shift, w = np.uint64(drop), 0
    for d in range(count):
        positions = load_padded(b8, b16, b32, width, offsets[d], offsets[d + 1] - offsets[d], points)
        size = _distinct(points, positions, names, stamps, places, mask, d + 1 + keep * count, hashes)
        first, after = 1, _after(1, num, den)
        while after <= size:
            first, after = after, _after(after, num, den)
        for role in range(2):
            most = most_apart(after - 1, after - 1, num, den)
            filled = _deal(hashes, size, first, most + most // 2 + 8, sums)
            if role == 0:
                alike = filled - most_apart(size, size, num, den)
                if alike <= 0:
                    return -1
                needs[d] = min(alike, MEETINGS)
            for k in range(filled):
                slot = np.int64(sums[k] >> shift)
                if keep == 0:
                    met[slot] += 1 if met[slot] < 255 else 0
                else:
                    sums[k] = (np.uint64(met[slot]) << _U56) | (sums[k] >> _U8)
            if keep != 0:
                _sort(sums, filled)
                for k in range(min(filled, most + MEETINGS)):
                    if sums[k] >> _U56 > _U1:
                        lists[w] = np.int64(sums[k]) & list_mask
                        w += 1
            first, after = after, _after(after, num, den)
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


def _wants(columns: Bytes, y: int, classes: int, waits: Bytes, x: int, count: int) -> bool:
    """Whether text x lacks a partner in a class of y."""
    found = False
    for c in range(classes):
        found = found or (columns[y * classes + c] != 0 and waits[c * count + x] != 0)
    return found


def _lowers(columns: Bytes, x: int, classes: int, waits: Bytes, y: int, count: int, best: Places) -> bool:
    """Whether text y lacks a partner in a class of x, and the lowest found so far, if any, comes after x."""
    found = False
    for c in range(classes):
        if columns[x * classes + c] != 0 and waits[c * count + y] != 0:
            found = found or best[c] < 0 or best[c] > x
    return found


def _serve(columns: Bytes, y: int, classes: int, waits: Bytes, x: int, count: int) -> int:
    """Text x has y for a partner in all classes of y."""
    for c in range(classes):
        if columns[y * classes + c] != 0:
            waits[c * count + x] = 0
    return 0


def _write(out: Places, room: int, w: int, x: int, y: int, shared: int, union: int) -> int:
    out[w], out[room + w] = x, y
    out[2 * room + w], out[3 * room + w] = shared, union
    return w + 1


def _until(members: Ints, low: int, high: int, start: int) -> int:
    """Where the texts of a list that come before `start` end."""
    while low < high and np.int64(members[low]) < start:
        low += 1
    return low


def _behind(members: Ints, low: int, high: int, y: int) -> int:
    """Where those that come after y begin."""
    while high > low and np.int64(members[high - 1]) > y:
        high -= 1
    return high


def _met(tried: Ints, x: int, y: int, need: int) -> bool:
    """Whether this meeting of x and y is the one that makes a look worth it."""
    first = (y + 1) * (MEETINGS + 1)
    seen = np.int64(tried[x]) - first + 1
    if seen < 1:
        seen = np.int64(1)
    if seen <= need:
        tried[x] = first + seen
    enough: bool = seen == need
    return enough


def _remember(columns: Bytes, x: int, classes: int, best: Places, shared: int, union: int) -> int:
    """Text x as a partner in each of its classes in which none before it was found."""
    for c in range(classes):
        if columns[x * classes + c] != 0 and (best[c] < 0 or best[c] > x):
            best[c], best[classes + c], best[2 * classes + c] = x, shared, union
    return 0


def _settle(classes: int, waits: Bytes, y: int, count: int, best: Places, out: Places, room: int, w: int) -> int:
    """Write the partners that were found for y, each once, and forget them."""
    for c in range(classes):
        if best[c] >= 0 and waits[c * count + y] != 0:
            w = _write(out, room, w, y, best[c], best[classes + c], best[2 * classes + c])
            for d in range(c, classes):
                waits[d * count + y] = 0 if best[d] == best[c] else waits[d * count + y]
    for c in range(classes):
        best[c] = -1
    return w


def family_by_lists(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, start: int, count: int, columns: Bytes,
    classes: int, bitmaps: Longs, num: int, den: int, waits: Bytes, best: Places, lists: Ints, ends: Places,
    heads: Places, members: Ints, needs: Bytes, tried: Ints, distinct: Places, own: Words, points: Words, names: Longs,
    stamps: Ints, places: Ints, seen: Ints, names2: Longs, stamps2: Ints, places2: Ints, mask: int, mark: int,
    out: Places, room: int, w: int,
) -> int:  # fmt: skip
    """A family from text `start` on, as `verifying.family` resolves it from the first.

    A pair is looked at once, in the turn of its lower text y, which may be a partner of x at once; y's own partners
    among later texts are known at the end of its turn. `waits` (classes, count) says which texts lack a partner in each
    class; `best` (3, classes) is -1, `tried` 0, `mark` is above any that was used before, and `w` pairs stand in `out`.
    """
    for y in range(start, count):
        mine, first, cost = -1, ends[y - 1] if y > 0 else 0, 0
        for k in range(first, ends[y]):
            cost += heads[np.int64(lists[k]) + 1] - heads[np.int64(lists[k])]
        every = cost > count
        for k in range(first, min(first + 1, ends[y]) if every else ends[y]):
            one = np.int64(lists[k])
            low, high = (0, count) if every else (heads[one], heads[one + 1])
            middle = start if every else _until(members, low, high, start)
            again = y + 1 if every else _behind(members, low, high, y)
            for step in range(middle - low + high - again):
                j = low + step if step < middle - low else again + step - (middle - low)
                x = j if every else np.int64(members[j])
                if not every and not _met(tried, x, y, min(np.int64(needs[x]), np.int64(needs[y]))):
                    continue
                served = _wants(columns, y, classes, waits, x, count)
                if not served and (x < y or not _lowers(columns, x, classes, waits, y, count, best)):
                    continue
                limit = most_apart(grams(offsets[x + 1] - offsets[x]), grams(offsets[y + 1] - offsets[y]), num, den)
                if apart(bitmaps, x, y, np.uint64(limit)):
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
                if hits >= 0 and served:
                    w = _write(out, room, w, x, y, hits, mine + distinct[x] - hits)
                    _serve(columns, y, classes, waits, x, count)
                if hits >= 0 and x > y:
                    _remember(columns, x, classes, best, hits, mine + distinct[x] - hits)
        w = _settle(classes, waits, y, count, best, out, room, w)
    return w


HELPERS = (
    _distinct, _after, _sort, _deal, _wants, _lowers, _serve, _write, _until, _behind, _met, _remember,
    _settle,
)  # fmt: skip
KERNELS = {
    part_keys: "tqnIQiinnnQQBnnniqB",
    in_lists: "iqnqni",
    family_by_lists: "tqnnBnQnnBqiqqiBiqIIQiiiQiinnqnn",
}
