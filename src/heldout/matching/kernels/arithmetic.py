# mypy: disable-error-code="arg-type,assignment,return-value"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Small pieces that several kernels are made of.

Kernels are plain Python over pointers, in the subset that numba compiles. Every constant that meets an unsigned value
is unsigned itself: mixed with a signed one, numba's result would be a float. A pointer is an array without a length;
whoever calls answers for the bounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Words = NDArray[np.uint32]
Longs = NDArray[np.uint64]
Ints = NDArray[np.int32]
Places = NDArray[np.int64]

GRAM = 5
_S33 = np.uint64(33)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_FLAG = np.uint64(1 << 63)
_SMALL = np.uint64(4096)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_U12, _U21, _U24, _U36, _U42, _U48, _U32 = (np.uint64(bits) for bits in (12, 21, 24, 36, 42, 48, 32))


def mix64(value: np.uint64) -> np.uint64:
    """MurmurHash3's 64-bit finaliser, as `heldout.matching.shingles.mix64`."""
    value ^= value >> _S33
    value *= _MIX_1
    value ^= value >> _S33
    value *= _MIX_2
    return value ^ (value >> _S33)


def load(b8: Bytes, b16: Shorts, b32: Words, width: int, start: int, count: int, points: Words) -> None:
    """Copy code points of any width into `points`. The three pointers are one address."""
    if width == 1:
        for i in range(count):
            points[i] = np.uint32(b8[start + i])
    elif width == 2:
        for i in range(count):
            points[i] = np.uint32(b16[start + i])
    else:
        for i in range(count):
            points[i] = b32[start + i]


def load_padded(b8: Bytes, b16: Shorts, b32: Words, width: int, start: int, count: int, points: Words) -> int:
    """As `load`, with zeros behind the text, which no text holds; returns its number of shingle positions."""
    load(b8, b16, b32, width, start, count, points)
    for i in range(count, count + GRAM - 1):
        points[i] = np.uint32(0)
    return grams(count)


def grams(length: int) -> int:
    """Shingle positions of a text of so many code points."""
    if length == 0:
        return 0
    return max(length - GRAM + 1, 1)


def point(b8: Bytes, b16: Shorts, b32: Words, width: int, place: int) -> np.uint64:
    if width == 1:
        return np.uint64(b8[place])
    if width == 2:
        return np.uint64(b16[place])
    return np.uint64(b32[place])


def gram(points: Words, i: int) -> np.uint64:
    """A name for the five code points from i on: the points themselves while all are below 4,096, else a hash.

    Hashes carry the top bit; two equal ones have to be compared literally (`same_gram`).
    """
    c0, c1 = np.uint64(points[i]), np.uint64(points[i + 1])
    c2, c3, c4 = np.uint64(points[i + 2]), np.uint64(points[i + 3]), np.uint64(points[i + 4])
    if (c0 | c1 | c2 | c3 | c4) < _SMALL:
        return (c0 << _U48) | (c1 << _U36) | (c2 << _U24) | (c3 << _U12) | c4
    first = mix64(c0 | (c1 << _U21) | (c2 << _U42))
    return mix64(first ^ (c3 | (c4 << _U21))) | _FLAG


def same_gram(name: np.uint64, left: Words, i: int, right: Words, j: int) -> bool:
    """Whether two shingles of one name are the same characters."""
    if name < _FLAG:
        return True
    differences = 0
    for k in range(GRAM):
        differences += 1 if left[i + k] != right[j + k] else 0
    return differences == 0


def slot_of(name: np.uint64, mask: int) -> int:
    """Where the search for a name begins in a table of mask + 1 slots."""
    return np.int64((name * _SPREAD) >> _U32) & mask


_H1, _H2, _H4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES, _U1, _U2, _U4, _U56 = np.uint64(0x0101010101010101), *(np.uint64(bits) for bits in (1, 2, 4, 56))


def ones(value: np.uint64) -> np.uint64:
    """How many bits are set; the compiler knows the pattern and uses the processor's instruction."""
    value -= (value >> _U1) & _H1
    value = (value & _H2) + ((value >> _U2) & _H2)
    value = (value + (value >> _U4)) & _H4
    return (value * _ONES) >> _U56


def apart(bitmaps: Longs, a: int, b: int, limit: np.uint64) -> bool:
    """Whether more bits differ between two bitmaps of 16 words than `limit`."""
    total = np.uint64(0)
    for word in range(16):
        total += ones(bitmaps[a * 16 + word] ^ bitmaps[b * 16 + word])
    return bool(total > limit)


def most_apart(p: int, q: int, num: int, den: int) -> int:
    """In how many shingles two sets of at most p and q may differ and reach num/den, as `heldout.matching.jaccard` says
    of its bounds."""
    return min((den - num) * (p + q) // (den + num), (den - num) * min(p, q) // num)


HELPERS = (mix64, load, grams, load_padded, point, gram, same_gram, slot_of, ones, apart, most_apart)
"""Every function that kernels of other modules call, the called before the calling."""
