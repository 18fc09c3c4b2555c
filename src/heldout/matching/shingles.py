"""Character 5-grams: as 32-bit hashes for signatures, and as exact identities for verification.

A text of 1 to 4 code points is one shingle, the whole text; the empty text has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import offsets_of, segments
from heldout.matching.texts import NormalisedTexts

SHINGLE = 5
"""Code points in a shingle. The hash below is defined for this length only: another length is another method."""

_MULTIPLIERS = tuple(np.uint32(m) for m in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHORT_TEXT = np.uint64(1 << 62)
_CODE_POINTS = 0x110000


def mix64(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """MurmurHash3's 64-bit finaliser (Appleby), a bijection that spreads every input bit over the output."""
    shift = np.uint64(33)
    mixed = (values ^ (values >> shift)) * _MIX_1
    mixed = (mixed ^ (mixed >> shift)) * _MIX_2
    return mixed ^ (mixed >> shift)


def shingle_hashes(texts: NormalisedTexts) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The 32-bit hash of every shingle position, as (flat values, row offsets); repeats within a text stay.

    With m the five odd multipliers (xxHash's 32-bit primes and the golden ratio) and c the code points, the hash is
    ((c0*m0) ^ (c0>>3)) + c1*m1 + c2*m2 + c3*m3 + c4*m4 modulo 2^32. It is fed to the signature unmixed: the affine32
    scheme mixes first. A short text's hash is the upper half of a 64-bit mix over its code points.
    """
    counts = shingle_counts(texts)
    points = np.concatenate([texts.codepoints, np.zeros(SHINGLE - 1, np.uint32)])
    size = texts.codepoints.size
    hashes = (points[:size] * _MULTIPLIERS[0]) ^ (points[:size] >> np.uint32(3))
    for position in range(1, SHINGLE):
        hashes += points[position : position + size] * _MULTIPLIERS[position]
    short = np.flatnonzero((texts.lengths > 0) & (texts.lengths < SHINGLE))
    if short.size:
        hashes[texts.offsets[short]] = _short_hashes(texts, short)
    return hashes[segments(texts.offsets[:-1], counts)], offsets_of(counts)


def shingle_counts(texts: NormalisedTexts) -> NDArray[np.int64]:
    """Shingle positions of each text: an upper bound of the number of distinct shingles."""
    return np.where(texts.lengths == 0, 0, np.maximum(texts.lengths - SHINGLE + 1, 1))


def _short_hashes(texts: NormalisedTexts, rows: NDArray[np.int64]) -> NDArray[np.uint32]:
    starts, lengths = texts.offsets[rows], texts.lengths[rows]
    state = np.zeros(rows.size, np.uint64)
    for position in range(SHINGLE - 1):
        live = np.flatnonzero(lengths > position)
        points = texts.codepoints[starts[live] + position].astype(np.uint64)
        state[live] = mix64(state[live] ^ points ^ _SHORT_TEXT)
    return (mix64(state) >> np.uint64(32)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class ShingleSets:
    """The exact shingle sets of some texts, as ranks.

    `rows` are the ascending text indices covered. `ranks` (flat int64, ascending within a set, no repeats) name
    shingles by number; two shingles have one rank if and only if they are the same characters, so sizes of
    intersections are exact for every script. `offsets` bound the sets; `universe` is one more than the largest rank.
    """

    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    offsets: NDArray[np.int64]
    universe: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def locate(self, texts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in `rows` of text indices that are all covered."""
        return np.searchsorted(self.rows, texts)


def shingle_sets(texts: NormalisedTexts, rows: NDArray[np.int64]) -> ShingleSets:
    """The exact shingle sets of the texts with these ascending indices."""
    chosen = texts.take(rows)
    codes, starts, base = _guarded_codes(chosen)
    counts = shingle_counts(chosen)
    names = _shingle_names(codes, base)[segments(starts, counts)]
    distinct, ranks = np.unique(names, return_inverse=True)
    tagged = np.repeat(np.arange(rows.size, dtype=np.int64), counts) << np.int64(32) | ranks.reshape(-1)
    tagged = _sorted_distinct(tagged)
    sizes = np.bincount(tagged >> np.int64(32), minlength=rows.size)
    return ShingleSets(rows, tagged & np.int64(0xFFFFFFFF), offsets_of(sizes), int(distinct.size))


def _sorted_distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    values.sort()
    fresh = np.ones(values.size, np.bool_)
    fresh[1:] = values[1:] != values[:-1]
    return values[fresh]


def _guarded_codes(texts: NormalisedTexts) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Code points renumbered from 1, each text followed by four zeros; with text starts and the number base.

    Renumbering keeps the numbers small, so that five of them usually fit into 63 bits. The zeros stand for "past the
    end": they set a short text's only shingle apart from every 5-gram.
    """
    present = np.zeros(_CODE_POINTS, np.bool_)
    present[texts.codepoints] = True
    alphabet = np.flatnonzero(present)
    number = np.zeros(_CODE_POINTS, np.int64)
    number[alphabet] = np.arange(1, alphabet.size + 1)
    starts = texts.offsets[:-1] + (SHINGLE - 1) * np.arange(len(texts), dtype=np.int64)
    codes = np.zeros(texts.codepoints.size + (SHINGLE - 1) * len(texts), np.int64)
    codes[segments(starts, texts.lengths)] = number[texts.codepoints]
    return codes, starts, int(alphabet.size) + 1


def _shingle_names(codes: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """One integer per position that names the five codes from there on, without collisions.

    Up to 6,208 different characters the five digits fit into 63 bits. Beyond (large CJK corpora) the first three and
    the last two are each replaced by their rank among those that occur, and the two ranks make the name.
    """
    size = max(codes.size - SHINGLE + 1, 0)
    column = [codes[position : position + size] for position in range(SHINGLE)]
    if base**SHINGLE < 1 << 63:
        names = column[0].copy()
        for digits in column[1:]:
            names *= base
            names += digits
        return names
    _, front = np.unique((column[0] * base + column[1]) * base + column[2], return_inverse=True)
    tails, back = np.unique(column[3] * base + column[4], return_inverse=True)
    ranked: NDArray[np.int64] = front.reshape(-1).astype(np.int64)
    ranked *= tails.size
    ranked += back.reshape(-1)
    return ranked
