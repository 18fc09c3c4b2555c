# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels that decide pairs exactly, on sets of shingles built when they are needed and kept for one text."""

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
    most_apart,
    ones,
    same_gram,
    slot_of,
)  # fmt: skip

_NONE, _ONE, _U6, _U32, _U63 = (np.uint64(value) for value in (0, 1, 6, 32, 63))
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def _build(points: Words, positions: int, names: Longs, stamps: Ints, places: Ints, mask: int, stamp: int) -> int:
    """Put a text's shingles into an open-addressing table under a stamp of its own; returns how many are distinct."""
    distinct = 0
    for i in range(positions):
        name = gram(points, i)
        slot = slot_of(name, mask)
        while stamps[slot] == stamp and not (
            names[slot] == name and same_gram(name, points, np.int64(places[slot]), points, i)
        ):
            slot = (slot + 1) & mask
        if stamps[slot] != stamp:
            stamps[slot], names[slot], places[slot] = stamp, name, i
            distinct += 1
    return distinct


def _shared(
    own: Words, points: Words, positions: int, need: int, names: Longs, stamps: Ints, places: Ints, seen: Ints,
    mask: int, stamp: int, mark: int,
) -> int:  # fmt: skip
    """Distinct shingles that a text shares with the table's, or -1 as soon as `need` is out of reach."""
    hits, spare = 0, positions - need
    for i in range(positions):
        name = gram(points, i)
        slot = slot_of(name, mask)
        while stamps[slot] == stamp and not (
            names[slot] == name and same_gram(name, own, np.int64(places[slot]), points, i)
        ):
            slot = (slot + 1) & mask
        if stamps[slot] == stamp and seen[slot] != mark:
            seen[slot] = mark
            hits += 1
        else:
            spare -= 1
            if spare < 0:
                return -1
    return hits


def _decide(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, other: int, mine: int, num: int, den: int,
    distinct: Places, own: Words, points: Words, names: Longs, stamps: Ints, places: Ints, seen: Ints,
    names2: Longs, stamps2: Ints, places2: Ints, mask: int, stamp: int, mark: int,
) -> int:  # fmt: skip
    """Shingles that text `other` shares with the table's text of `mine` shingles, or -1 below num/den.

    A set is at most as large as its positions, and the smaller set bounds what is shared: most pairs that are not near
    end there or early in the count. `distinct` remembers the sizes of sets, -1 where unknown.
    """
    length = offsets[other + 1] - offsets[other]
    theirs = distinct[other]
    if theirs >= 0:
        if min(mine, theirs) * den < num * max(mine, theirs):
            return -1
        need = (num * (mine + theirs) + num + den - 1) // (num + den)
    else:
        if grams(length) * den < num * mine:
            return -1
        need = (num * mine + den - 1) // den
    positions = load_padded(b8, b16, b32, width, offsets[other], length, points)
    hits = _shared(own, points, positions, need, names, stamps, places, seen, mask, stamp, mark)
    if hits < 0:
        return -1
    if theirs < 0:
        theirs = _build(points, positions, names2, stamps2, places2, mask, mark)
        distinct[other] = theirs
    if den * hits < num * (mine + theirs - hits):
        return -1
    return hits


def spread(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, texts: Places, low: int, high: int,
    points: Words, starts: Places, bitmaps: Longs,
) -> int:  # fmt: skip
    """A bitmap of its own size for each of the given texts: words [starts[k], starts[k + 1]), a power of two of them.

    One bit a shingle, by the lower bits of a hash, so that two halves laid over one another are the smaller bitmap.
    """
    for k in range(low, high):
        text = texts[k]
        positions = load_padded(b8, b16, b32, width, offsets[text], offsets[text + 1] - offsets[text], points)
        first, mask = starts[k], np.uint64((starts[k + 1] - starts[k]) * 64 - 1)
        for word in range(first, starts[k + 1]):
            bitmaps[word] = _NONE
        for i in range(positions):
            bit = ((gram(points, i) * _SPREAD) >> _U32) & mask
            bitmaps[first + np.int64(bit >> _U6)] |= _ONE << (bit & _U63)
    return 0


def sizes(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, texts: Places, low: int, high: int,
    points: Words, names: Longs, stamps: Ints, places: Ints, mask: int, distinct: Places,
) -> int:  # fmt: skip
    """How many distinct shingles each of the given texts has, at its own place in `distinct`; stamps are 0."""
    for k in range(low, high):
        text = texts[k]
        positions = load_padded(b8, b16, b32, width, offsets[text], offsets[text + 1] - offsets[text], points)
        distinct[text] = _build(points, positions, names, stamps, places, mask, k - low + 1)
    return 0


def _differing(bitmaps: Longs, x: int, y: int, words: int, size: int, other: int) -> np.uint64:
    """Bits in which so many words of two bitmaps differ, the second one, of `other` words, folded to `size`."""
    total = _NONE
    if other == size:  # the common case, in a loop that the compiler can do four words at a time
        for k in range(words):
            total += ones(bitmaps[x + k] ^ bitmaps[y + k])
        return total
    for k in range(words):
        folded = _NONE
        for part in range(0, other, size):
            folded |= bitmaps[y + k + part]
        total += ones(bitmaps[x + k] ^ folded)
    return total


def admit(
    a: Places, b: Places, count: int, starts: Places, bitmaps: Longs, most: Places, num: int, den: int, keep: Bytes
) -> int:
    """Which pairs of bitmaps differ in few enough bits for num/den; the larger is folded to the smaller's size. `most`
    is what each set holds, or more."""
    kept = 0
    for k in range(count):
        x, y = a[k], b[k]
        if starts[x + 1] - starts[x] > starts[y + 1] - starts[y]:
            x, y = y, x
        size, other = starts[x + 1] - starts[x], starts[y + 1] - starts[y]
        limit, total = np.uint64(most_apart(most[x], most[y], num, den)), _NONE
        word = 0
        while word < size and total <= limit:
            total += _differing(bitmaps, starts[x] + word, starts[y] + word, min(64, size - word), size, other)
            word += 64
        keep[k] = 1 if total <= limit else 0
        kept += keep[k]
    return kept


def verify(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, a: Places, b: Places, count: int,
    num: int, den: int, distinct: Places, own: Words, points: Words, names: Longs, stamps: Ints, places: Ints,
    seen: Ints, names2: Longs, stamps2: Ints, places2: Ints, mask: int, shared: Places, union: Places,
) -> int:  # fmt: skip
    """Exact sizes of the intersection and union of each pair, `shared` being -1 below num/den; returns how many reach.

    Fastest when pairs of one `a` follow one another. Tables have mask + 1 slots, twice the shingles of any text, and
    their stamps are 0.
    """
    current, mine, stamp, reached = -1, 0, 0, 0
    for k in range(count):
        if a[k] != current:
            current = a[k]
            stamp += 1
            positions = load_padded(b8, b16, b32, width, offsets[current], offsets[current + 1] - offsets[current], own)
            mine = _build(own, positions, names, stamps, places, mask, stamp)
            distinct[current] = mine
        shared[k] = _decide(
            b8, b16, b32, width, offsets, b[k], mine, num, den, distinct, own, points, names, stamps, places, seen,
            names2, stamps2, places2, mask, stamp, k + 1,
        )  # fmt: skip
        union[k] = 0
        if shared[k] >= 0:
            union[k] = mine + distinct[b[k]] - shared[k]
            reached += 1
    return reached


def family(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, count: int, columns: Bytes, classes: int,
    bitmaps: Longs, num: int, den: int, waiting: Ints, waiters: Places, tried: Ints,
    distinct: Places, own: Words, points: Words, names: Longs, stamps: Ints, places: Ints, seen: Ints,
    names2: Longs, stamps2: Ints, places2: Ints, mask: int, out: Places, room: int, limit: int, state: Places,
) -> int:  # fmt: skip
    """One family resolved as `heldout.matching.families` defines it; returns how many pairs were written to `out`.

    Stops before a text once it has looked at more than `limit` pairs. `state` says how far it came: the text, `count`
    when it is done, and the last mark.

    `columns` (count, classes) says which texts have which classes, `waiting` (classes, count) lists the texts that lack
    a partner in each class and `waiters` counts them. `tried` (count) is 0. `out` is (4, room): x, y, shared, union.
    """
    w, mark, looked = 0, 0, 0
    for y in range(count):
        if looked > limit:
            state[0], state[1] = y, mark
            return w
        mine = -1
        for c in range(classes):
            if columns[y * classes + c] == 0:
                continue
            kept = 0
            looked += waiters[c]
            for j in range(waiters[c]):
                x = np.int64(waiting[c * count + j])
                if x != y and abs(tried[x]) != y + 1:
                    tried[x] = -(y + 1)
                    limit = most_apart(grams(offsets[x + 1] - offsets[x]), grams(offsets[y + 1] - offsets[y]), num, den)
                    if not apart(bitmaps, x, y, np.uint64(limit)):
                        if mine < 0:
                            positions = load_padded(b8, b16, b32, width, offsets[y], offsets[y + 1] - offsets[y], own)
                            mine = _build(own, positions, names, stamps, places, mask, y + 1)
                            distinct[y] = mine
                        mark += 1
                        hits = _decide(
                            b8, b16, b32, width, offsets, x, mine, num, den, distinct, own, points, names, stamps,
                            places, seen, names2, stamps2, places2, mask, y + 1, mark,
                        )  # fmt: skip
                        if hits >= 0:
                            tried[x] = y + 1
                            out[w], out[room + w] = x, y
                            out[2 * room + w], out[3 * room + w] = hits, mine + distinct[x] - hits
                            w += 1
                if x == y or tried[x] != y + 1:
                    waiting[c * count + kept] = x
                    kept += 1
            waiters[c] = kept
    state[0], state[1] = count, mark
    return w


HELPERS = (_build, _shared, _decide, _differing)
KERNELS = {
    spread: "tqqnnIqQ",
    sizes: "tqqnnIQiinq",
    admit: "qqnqQqnnB",
    verify: "tqqqnnnqIIQiiiQiinqq",
    family: "tqnBnQnniqiqIIQiiiQiinqnnq",
}
