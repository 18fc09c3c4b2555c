"""Rows of different lengths in one flat array: row i is `flat[offsets[i]:offsets[i + 1]]` (CSR)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


def offsets_of(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """The n + 1 row boundaries for n row lengths."""
    offsets = np.zeros(counts.size + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def segments(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The flat positions of the segments [start, start + count), one after the other; empty ones are fine."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    places = np.arange(total, dtype=np.int64)
    places += np.repeat(starts - (ends - counts), counts)
    return places


def blocks(sizes: NDArray[np.int64], budget: int) -> Iterator[tuple[int, int]]:
    """Consecutive row ranges [low, high) of at most `budget` elements each; a larger row is a block of its own.

    This is what bounds memory: every step that multiplies its input works on one block at a time.
    """
    ends = np.cumsum(sizes)
    low = 0
    while low < sizes.size:
        done = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, done + budget, side="right")))
        yield low, high
        low = high


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The values in ascending order, each once. NumPy's `unique` puts them into a hash table, which takes five times as
    long where most are distinct."""
    ordered = np.sort(values)
    fresh = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]
