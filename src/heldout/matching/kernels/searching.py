# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels that find texts inside others by windows of a fixed length (`heldout.matching.kernels.on_windows`).

The hash of a window is a polynomial in its code points modulo 2^64, rolled along the text. Hashes only propose.
"""

from __future__ import annotations

import numpy as np

from heldout.matching.kernels.arithmetic import Bytes, Ints, Longs, Places, Shorts, Words, point

_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD1342543DE82EF95)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_S29, _S61, _S6, _S63 = (np.uint64(bits) for bits in (29, 61, 6, 63))
_LOW = np.uint64(0xFFFFFFFF)


def _power(length: int) -> np.uint64:
    value = _ONE
    for _ in range(length):
        value *= _BASE
    return value


def _first(b8: Bytes, b16: Shorts, b32: Words, width: int, start: int, length: int) -> np.uint64:
    value = _ZERO
    for i in range(start, start + length):
        value = value * _BASE + point(b8, b16, b32, width, i)
    return value


def _next(
    b8: Bytes, b16: Shorts, b32: Words, width: int, value: np.uint64, place: int, length: int, power: np.uint64
) -> np.uint64:
    """The hash of the window one further than the one at `place`."""
    entering, leaving = point(b8, b16, b32, width, place + length), point(b8, b16, b32, width, place)
    return value * _BASE + (entering - leaving * power)


def _again(mixed: np.uint64) -> np.uint64:
    """A second hash of a window, for a table whose places say nothing about a filter by the first."""
    return (mixed ^ (mixed >> _S29)) * _MIX


def sample(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, low: int, high: int, length: int, rate: int,
    samples: Words, ends: Places,
) -> int:  # fmt: skip
    """32 bits of the hash of each window whose hash is a sampled one, text by text; returns how many.

    One window in eight is sampled, or every one when `rate` is 0. Whether it is depends on its characters only.
    """
    power, w = _power(length), 0
    bar = np.uint64(rate)
    for d in range(low, high):
        start, end = offsets[d], offsets[d + 1]
        if end - start >= length:
            value = _first(b8, b16, b32, width, start, length)
            for i in range(start, end - length + 1):
                mixed = value * _MIX
                samples[w] = np.uint32((mixed >> _S29) & _LOW)
                w += 1 if ((mixed >> _S61) & bar) == _ZERO else 0
                if i < end - length:
                    value = _next(b8, b16, b32, width, value, i, length, power)
        ends[d - low] = w
    return w


def tally(samples: Words, count: int, drop: int, counts: Bytes) -> int:
    """How often each sample occurs, by its upper bits, up to 255."""
    shift = np.uint32(drop)
    for i in range(count):
        slot = np.int64(samples[i] >> shift)
        if counts[slot] < 255:
            counts[slot] += 1
    return 0


def choose(
    samples: Words, offsets: Places, count: int, wanted: Bytes, drop: int, counts: Bytes, best: Bytes, chosen: Words
) -> int:
    """The sample of lowest count of each wanted text, the first of equals; `best` is 0 where it has none."""
    shift = np.uint32(drop)
    for d in range(count):
        lowest, value = 256, np.uint32(0)
        if wanted[d] != 0:
            for i in range(offsets[d], offsets[d + 1]):
                times = np.int64(counts[np.int64(samples[i] >> shift)])
                if times < lowest:
                    lowest, value = times, samples[i]
        best[d] = lowest if lowest < 256 else 0
        chosen[d] = value
    return 0


def lowest(hashes: Words, starts: Places, count: int, drop: int, counts: Bytes, times: Places, places: Places) -> int:
    """The window of lowest count of each text, the first of equals: its count and its place; 0 where it has none."""
    shift = np.uint32(drop)
    for d in range(count):
        best, place = 256, starts[d]
        for i in range(starts[d], starts[d + 1]):
            found = np.int64(counts[np.int64(hashes[i] >> shift)])
            if found < best:
                best, place = found, i
                if best == 1:
                    break
        times[d] = best if best < 256 else 0
        places[d] = place - starts[d]
    return 0


def locate(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, texts: Places, count: int, length: int,
    rate: int, chosen: Words, shifts: Places, hashes: Longs,
) -> int:  # fmt: skip
    """Where the chosen sample of each text first stands in it, and the whole hash there."""
    power, bar = _power(length), np.uint64(rate)
    for k in range(count):
        start, end = offsets[texts[k]], offsets[texts[k] + 1]
        value = _first(b8, b16, b32, width, start, length)
        for i in range(start, end - length + 1):
            mixed = value * _MIX
            if ((mixed >> _S61) & bar) == _ZERO and np.uint32((mixed >> _S29) & _LOW) == chosen[k]:
                shifts[k], hashes[k] = i - start, mixed
                break
            if i < end - length:
                value = _next(b8, b16, b32, width, value, i, length, power)
    return 0


def mark(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, texts: Places, count: int, length: int,
    drop: int, filter_: Longs,
) -> int:  # fmt: skip
    """Set a bit of the filter for every window of the given texts, by the hash's upper bits."""
    power, shift = _power(length), np.uint64(drop)
    for k in range(count):
        start, end = offsets[texts[k]], offsets[texts[k] + 1]
        value = _first(b8, b16, b32, width, start, length)
        for i in range(start, end - length + 1):
            slot = (value * _MIX) >> shift
            filter_[np.int64(slot >> _S6)] |= _ONE << (slot & _S63)
            if i < end - length:
                value = _next(b8, b16, b32, width, value, i, length, power)
    return 0


def tally_marked(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, low: int, high: int, length: int,
    drop: int, filter_: Longs, drop2: int, counts: Ints,
) -> int:  # fmt: skip
    """How often each window that is in the filter occurs, by the upper bits of a second hash."""
    power, shift, shift2 = _power(length), np.uint64(drop), np.uint64(drop2)
    for d in range(low, high):
        start, end = offsets[d], offsets[d + 1]
        if end - start < length:
            continue
        value = _first(b8, b16, b32, width, start, length)
        for i in range(start, end - length + 1):
            mixed = value * _MIX
            slot = mixed >> shift
            if (filter_[np.int64(slot >> _S6)] >> (slot & _S63)) & _ONE != _ZERO:
                counts[np.int64(_again(mixed) >> shift2)] += 1
            if i < end - length:
                value = _next(b8, b16, b32, width, value, i, length, power)
    return 0


def rarest(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, texts: Places, count: int, length: int,
    drop: int, counts: Ints, times: Places, shifts: Places, hashes: Longs,
) -> int:  # fmt: skip
    """The rarest window of each text, the first of equals: its count, its place and its hash."""
    power, shift = _power(length), np.uint64(drop)
    for k in range(count):
        start, end = offsets[texts[k]], offsets[texts[k] + 1]
        value = _first(b8, b16, b32, width, start, length)
        times[k] = np.int64(1) << 62
        for i in range(start, end - length + 1):
            mixed = value * _MIX
            found = np.int64(counts[np.int64(_again(mixed) >> shift)])
            if found < times[k]:
                times[k], shifts[k], hashes[k] = found, i - start, mixed
            if i < end - length:
                value = _next(b8, b16, b32, width, value, i, length, power)
    return 0


def index(hashes: Longs, count: int, slots: Ints, mask: int, drop: int, filter_: Longs) -> int:
    """Enter distinct hashes into an open-addressing table of -1, and into the filter."""
    shift = np.uint64(drop)
    for k in range(count):
        at = np.int64(hashes[k] >> _S29) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = k
        slot = hashes[k] >> shift
        filter_[np.int64(slot >> _S6)] |= _ONE << (slot & _S63)
    return 0


def _same(b8: Bytes, b16: Shorts, b32: Words, width: int, i: int, j: int, length: int) -> bool:
    k = 0
    while k < length and point(b8, b16, b32, width, i + k) == point(b8, b16, b32, width, j + k):
        k += 1
    return k == length


def occurrences(
    b8: Bytes, b16: Shorts, b32: Words, width: int, offsets: Places, state: Places, high: int, length: int,
    rate: int, samples: Words, sample_offsets: Places, drop: int, filter_: Longs,
    slots: Ints, mask: int, hashes: Longs, starts: Places, sizes: Places, shorts: Places, shifts: Places,
    row_of: Places, out: Places, room: int,
) -> int:  # fmt: skip
    """Matches (short, long, position code, offset) in the texts [state[0], high), each pair once, into `out` (4, room).

    Anchors of one hash are a group: `starts`, `sizes` into `shorts` and `shifts`, found through the open-addressing
    table `slots` of group numbers, -1 where free. With `rate` the anchors are samples, and only texts that hold one
    of them are read. Stops before a text whose matches do not fit and leaves its number in `state[0]`.
    `row_of` (texts) is -1 or the last row of a short text in `out`.
    """
    power, bar, shift = _power(length), np.uint64(rate), np.uint64(drop)
    w = 0
    for d in range(state[0], high):
        start, end, before = offsets[d], offsets[d + 1], w
        if end - start < length:
            continue
        if rate != 0:
            met = False
            for k in range(sample_offsets[d], sample_offsets[d + 1]):
                slot = (np.uint64(samples[k]) << _S29) >> shift
                if (filter_[np.int64(slot >> _S6)] >> (slot & _S63)) & _ONE == _ZERO:
                    continue
                at = np.int64(samples[k]) & mask
                while slots[at] >= 0 and np.uint32((hashes[slots[at]] >> _S29) & _LOW) != samples[k]:
                    at = (at + 1) & mask
                if slots[at] >= 0:
                    met = True
                    break
            if not met:
                continue
        value = _first(b8, b16, b32, width, start, length)
        for i in range(start, end - length + 1):
            mixed = value * _MIX
            if i < end - length:
                value = _next(b8, b16, b32, width, value, i, length, power)
            slot = mixed >> shift
            if ((mixed >> _S61) & bar) != _ZERO:
                continue
            if (filter_[np.int64(slot >> _S6)] >> (slot & _S63)) & _ONE == _ZERO:
                continue
            at = np.int64(mixed >> _S29) & mask
            while slots[at] >= 0 and hashes[slots[at]] != mixed:
                at = (at + 1) & mask
            if slots[at] < 0:
                continue
            group = np.int64(slots[at])
            for member in range(starts[group], starts[group] + sizes[group]):
                short = shorts[member]
                own, size = offsets[short], offsets[short + 1] - offsets[short]
                place = i - shifts[member]
                if place < start or place + size > end or size >= end - start:
                    continue
                if not _same(b8, b16, b32, width, own, place, size):
                    continue
                code = 0 if place == start else 1 if place + size == end else 2
                row = row_of[short]
                if row >= before and row < w and out[row] == short and out[room + row] == d:
                    if code < out[2 * room + row]:
                        out[2 * room + row], out[3 * room + row] = code, place - start
                    continue
                if w == room:
                    state[0] = d
                    return before
                out[w], out[room + w], out[2 * room + w], out[3 * room + w] = short, d, code, place - start
                row_of[short] = w
                w += 1
    state[0] = high
    return w


HELPERS = (_power, _first, _next, _again, _same)
KERNELS = {
    sample: "tqnnnnIq",
    tally: "InnB",
    choose: "IqnBnBBI",
    lowest: "IqnnBqq",
    locate: "tqqnnnIqQ",
    mark: "tqqnnnQ",
    tally_marked: "tqnnnnQni",
    rarest: "tqqnnniqqQ",
    index: "QninnQ",
    occurrences: "tqqnnnIqnQinQqqqqqqn",
}
