"""The longest piece that two texts share, to show a person what a finding rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.matching.rolling import RollingHash, rolling_hash


@dataclass(frozen=True, slots=True)
class Span:
    """A common substring as code point offsets into the two normalised texts; length 0 when they share nothing."""

    start_a: int
    start_b: int
    length: int


def longest_shared_span(a: str, b: str) -> Span:
    """The longest common substring; of equally long ones the first in `a`, then its first place in `b`.

    Texts that share a piece of length k share one of every smaller length, so a binary search over k needs one look-up
    of window hashes a step: O(n log n log k). The hash proposes; the piece is compared literally before it counts.
    """
    hashes = _rolling(a), _rolling(b)
    best = Span(0, 0, 0)
    low, high = 1, min(len(a), len(b))
    while low <= high:
        length = (low + high) // 2
        span = _shared(a, b, hashes, length)
        if span is None:
            high = length - 1
        else:
            best, low = span, length + 1
    return best


def _shared(a: str, b: str, hashes: tuple[RollingHash, RollingHash], length: int) -> Span | None:
    asked, known = hashes[0].windows(length), np.sort(hashes[1].windows(length))
    near = known[np.minimum(np.searchsorted(known, asked), known.size - 1)]
    for start in np.flatnonzero(near == asked).tolist():
        piece = a[start : start + length]
        place = b.find(piece)
        if place >= 0:
            return Span(start, place, length)
    return None


def _rolling(text: str) -> RollingHash:
    return rolling_hash(np.frombuffer(text.encode("utf-32-le"), np.dtype("<u4")).astype(np.uint32))
