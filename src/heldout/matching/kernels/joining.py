# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels that join band keys: texts of one bucket, and the pairs in it that nothing rules out."""

from __future__ import annotations

import numpy as np

from heldout.matching.kernels.arithmetic import Ints, Longs, Places, apart, most_apart


def group(
    keys: Longs, present: Places, count: int, drop: int, heads: Ints, slots: Places,
    members: Places, starts: Places, sizes: Places,
) -> int:  # fmt: skip
    """Buckets of two or more texts with one key, texts ascending in each; returns how many buckets.

    Texts are counted into `heads` by the upper bits of their keys, which spreads them about one to a part, and each
    part is emptied key by key: nothing is sorted. `heads` has one more entry than there are parts, all 0; `drop` is
    64 less the bits. `members` holds the buckets one after the other.
    """
    shift = np.uint64(drop)
    for i in range(count):
        heads[np.int64(keys[present[i]] >> shift) + 1] += 1
    parts = np.int64(1) << (64 - drop)
    for part in range(parts):
        heads[part + 1] += heads[part]
    for i in range(count):
        part = np.int64(keys[present[i]] >> shift)
        slots[heads[part]] = present[i]
        heads[part] += 1
    found, w, low = 0, 0, 0
    for part in range(parts):
        end = np.int64(heads[part])
        left = end - low
        while left > 1:
            key, first, kept = keys[slots[low]], w, 0
            for i in range(left):
                text = slots[low + i]
                if keys[text] == key:
                    members[w] = text
                    w += 1
                else:
                    slots[low + kept] = text
                    kept += 1
            if w - first > 1:
                starts[found], sizes[found] = first, w - first
                found += 1
            else:
                w = first
            left = kept
        low = end
    return found


def join(
    members: Places, starts: Places, sizes: Places, buckets: int, keys: Longs, band: int, total: int,
    family: Places, bitmaps: Longs, positions: Places, num: int, den: int,
    state: Places, a: Places, b: Places, room: int,
) -> int:  # fmt: skip
    """Pairs of the buckets that first agree in this band, are not of one family and may reach num/den.

    Returns how many were written; `state` (bucket, place in it) says where to go on, the bucket being `buckets` at the
    end. `room` must hold the pairs of one text with its bucket.
    """
    w, bucket, place = 0, state[0], state[1]
    while bucket < buckets:
        size, first = sizes[bucket], starts[bucket]
        while place < size:
            if w + size > room:
                state[0], state[1] = bucket, place
                return w
            p = members[first + place]
            for other in range(place + 1, size):
                q = members[first + other]
                if family[p] >= 0 and family[p] == family[q]:
                    continue
                fresh = True
                for earlier in range(band):
                    if keys[earlier * total + p] == keys[earlier * total + q]:
                        fresh = False
                        break
                limit = most_apart(positions[p], positions[q], num, den)
                if fresh and not apart(bitmaps, p, q, np.uint64(limit)):
                    a[w], b[w] = p, q
                    w += 1
            place += 1
        bucket, place = bucket + 1, 0
    state[0], state[1] = bucket, 0
    return w


HELPERS = ()
KERNELS = {
    group: "Qqnniqqqq",
    join: "qqqnQnnqQqnnqqqn",
}
