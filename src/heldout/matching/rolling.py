"""Hashes of substrings from prefix sums modulo 2^64, after Karp and Rabin (1987).

The base is odd, so it has an inverse modulo 2^64: the hash of any substring is one subtraction and one multiplication,
whatever its length and place. Equal substrings have equal hashes; the reverse must be checked literally, because
polynomial hashes modulo a power of two can be made to collide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.shingles import mix64
from heldout.matching.texts import CodePoint

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


@dataclass(frozen=True, slots=True)
class RollingHash:
    """`sums` (size + 1) are prefix sums of each mixed code point times the base to its index, `inverse` (size + 1) the
    powers of the base's inverse; both uint64 that wrap around."""

    sums: NDArray[np.uint64]
    inverse: NDArray[np.uint64]

    def of(self, starts: NDArray[np.int64], lengths: NDArray[np.int64] | int) -> NDArray[np.uint64]:
        """Hashes of the substrings that start at flat positions `starts`."""
        hashes: NDArray[np.uint64] = self.sums[starts + lengths]
        hashes -= self.sums[starts]
        hashes *= self.inverse[starts]
        return hashes

    def windows(self, length: int) -> NDArray[np.uint64]:
        """Hashes of every substring of one length, by start."""
        count = max(self.sums.size - length, 0)
        return (self.sums[length:] - self.sums[:count]) * self.inverse[:count]


def rolling_hash(codepoints: NDArray[CodePoint]) -> RollingHash:
    size = codepoints.size
    sums = np.zeros(size + 1, np.uint64)
    np.cumsum(mix64(codepoints.astype(np.uint64) + np.uint64(1)) * _powers(_BASE, size)[:size], out=sums[1:])
    return RollingHash(sums, _powers(_INVERSE, size))


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    """base to the power 0..count modulo 2^64."""
    factors = np.full(count + 1, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, out=factors)
