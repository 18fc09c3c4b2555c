# mypy: disable-error-code="arg-type,assignment"
# Whole numbers are 64 bits wide once compiled, whether Python calls them int or numpy int64.
"""Kernels that read texts: the collapse of runs, signatures, bitmaps and band keys."""

from __future__ import annotations

import numpy as np

from heldout.matching.kernels.arithmetic import GRAM, Bytes, Longs, Places, Shorts, Words, load, mix64

CHUNK = 4096
"""Shingles hashed at a time: with their hashes they stay in the first-level cache."""

_SPACE = np.uint32(32)
_P0, _P1, _P2, _P3, _P4 = (np.uint32(m) for m in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
_F1, _F2 = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)
_S3, _S13, _S16, _S22, _S6, _S63 = (np.uint32(bits) for bits in (3, 13, 16, 22, 6, 63))
_SHORT_TEXT = np.uint64(1 << 62)
_U32 = np.uint64(32)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_MOST = np.uint32(0xFFFFFFFF)


def collapse(
    plain: Bytes, wide: Words, is_wide: Bytes, starts: Places, lengths: Places, count: int,
    small: Bytes, table: Words, folded: Words, narrow: int, out8: Bytes, out32: Words, ends: Places,
) -> int:  # fmt: skip
    """Map each character to its letter or to a space, and write each run of spaces once; none at a text's ends.

    Text d stands in `plain` (ASCII) or in `wide`, where `is_wide` is 1 for characters as they came, which `table`
    folds, and 2 for a text folded before. Whether a space is kept is arithmetic and no branch: half of all words would
    be mispredicted. `out8` is written when `narrow`, else `out32`.
    """
    w = 0
    for d in range(count):
        first = w
        letter = 0
        if is_wide[d] != 0:
            for i in range(starts[d], starts[d] + lengths[d]):
                mapped = table[wide[i]] if is_wide[d] == 1 else folded[wide[i]]
                now = 1 if mapped != _SPACE else 0
                out32[w] = mapped
                w += now | letter
                letter = now
        elif narrow != 0:
            for i in range(starts[d], starts[d] + lengths[d]):
                byte = small[plain[i]]
                now = 1 if byte != 32 else 0
                out8[w] = byte
                w += now | letter
                letter = now
        else:
            for i in range(starts[d], starts[d] + lengths[d]):
                byte = small[plain[i]]
                now = 1 if byte != 32 else 0
                out32[w] = np.uint32(byte)
                w += now | letter
                letter = now
        if w > first and letter == 0:
            w -= 1
        ends[d] = w
    return w


def highest(points: Words, offsets: Places, count: int, table: Words, out: Words) -> int:
    """The largest entry of the table that each text meets."""
    for d in range(count):
        most = np.uint32(0)
        for i in range(offsets[d], offsets[d + 1]):
            most = np.uint32(max(most, table[points[i]]))
        out[d] = most
    return 0


def _mixed(value: np.uint32) -> np.uint32:
    """MurmurHash3's 32-bit finaliser."""
    value = np.uint32(value ^ (value >> _S16))
    value = np.uint32(value * _F1)
    value = np.uint32(value ^ (value >> _S13))
    value = np.uint32(value * _F2)
    return np.uint32(value ^ (value >> _S16))


def _short_hash(points: Words, length: int) -> np.uint32:
    state = _ZERO
    for i in range(length):
        state = mix64(state ^ np.uint64(points[i]) ^ _SHORT_TEXT)
    return np.uint32(mix64(state) >> _U32)


def _hash_chunk(points: Words, count: int, hashes: Words) -> None:
    for i in range(count):
        first = np.uint32(np.uint32(points[i] * _P0) ^ np.uint32(points[i] >> _S3))
        rest = np.uint32(points[i + 1] * _P1) + np.uint32(points[i + 2] * _P2)
        rest += np.uint32(points[i + 3] * _P3) + np.uint32(points[i + 4] * _P4)
        hashes[i] = _mixed(np.uint32(first + np.uint32(rest)))


def _lower_minima(hashes: Words, count: int, width: int, a: Words, b: Words, rows: Words, row: int) -> None:
    """Four permutations at a time, so that their minima and factors stay in registers."""
    for k in range(0, width, 4):
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        b0, b1, b2, b3 = b[k], b[k + 1], b[k + 2], b[k + 3]
        m0, m1, m2, m3 = rows[row + k], rows[row + k + 1], rows[row + k + 2], rows[row + k + 3]
        for j in range(count):
            h = hashes[j]
            m0 = np.uint32(min(m0, np.uint32(np.uint32(h * a0) + b0)))
            m1 = np.uint32(min(m1, np.uint32(np.uint32(h * a1) + b1)))
            m2 = np.uint32(min(m2, np.uint32(np.uint32(h * a2) + b2)))
            m3 = np.uint32(min(m3, np.uint32(np.uint32(h * a3) + b3)))
        rows[row + k], rows[row + k + 1], rows[row + k + 2], rows[row + k + 3] = m0, m1, m2, m3


def sign(
    b8: Bytes, b16: Shorts, b32: Words, width: int, starts: Places, lengths: Places, low: int, high: int,
    count: int, a: Words, b: Words, points: Words, hashes: Words, rows: Words, marked: int, bitmaps: Longs,
) -> int:  # fmt: skip
    """Signatures of the texts [low, high) into `rows`, unless `count` is 0, and bitmaps if `marked`.

    `points` and `hashes` are room for CHUNK + 4 values. Texts without code points keep the largest values.
    """
    for d in range(low, high):
        for k in range(count):
            rows[d * count + k] = _MOST
        for k in range(16 * marked):
            bitmaps[d * 16 + k] = _ZERO
        start, length = starts[d], lengths[d]
        positions = length - GRAM + 1
        if length > 0 and positions < 1:
            positions = 1
        done = 0
        while done < positions:
            size = min(positions - done, CHUNK)
            load(b8, b16, b32, width, start + done, min(size + GRAM - 1, length), points)
            if length < GRAM:
                hashes[0] = _mixed(_short_hash(points, length))
            else:
                _hash_chunk(points, size, hashes)
            for i in range(size * marked):
                bit = hashes[i] >> _S22
                bitmaps[d * 16 + np.int64(bit >> _S6)] |= _ONE << np.uint64(bit & _S63)
            _lower_minima(hashes, size, count, a, b, rows, d * count)
            done += size
    return 0


def keys(rows: Words, low: int, high: int, bands: int, height: int, total: int, out: Longs) -> int:
    """`heldout.matching.bands.band_keys` of the signatures [low, high) into `out`, shape (bands, total)."""
    for d in range(low, high):
        for band in range(bands):
            state = np.uint64(band + 1) * _SEED
            first = (d * bands + band) * height
            for k in range(0, height, 2):
                word = np.uint64(rows[first + k])
                if k + 1 < height:
                    word |= np.uint64(rows[first + k + 1]) << _U32
                state = mix64(state ^ word)
            out[band * total + d] = state
    return 0


HELPERS = (_mixed, _short_hash, _hash_chunk, _lower_minima)
KERNELS = {
    collapse: "BIBqqnBIInBIq",
    highest: "IqnII",
    sign: "tqqnnnIIIIInQ",
    keys: "InnnnnQ",
}
