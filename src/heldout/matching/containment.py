"""Containment: a text that stands whole inside a longer one.

Each text's rarest window of the guard length is its anchor; wherever that window occurs elsewhere, the whole text is
compared there. Hashes (`heldout.matching.rolling`) only propose: every match is compared literally.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes
from heldout.matching.ragged import blocks, segments
from heldout.matching.rolling import RollingHash, rolling_hash
from heldout.matching.texts import NormalisedTexts

POSITIONS = ("prefix", "suffix", "interior")
"""Names of the codes in `Containments.position`, in order of preference."""

_BLOCK = 1 << 20  # candidate occurrences, or code points compared, at a time
_SPACE = 32


@dataclass(frozen=True, slots=True)
class Containments:
    """Pairs (short, long) of text indices, sorted, each once.

    `position` (uint8) indexes `POSITIONS`; `offset` is where in the long text, in code points, the reported occurrence
    starts: the prefix if there is one, else the suffix, else the first inside. `aligned` says that it starts and ends
    at a word's edge. `capped` counts short texts that stand in more longs than were listed.
    """

    short: NDArray[np.int64]
    long: NDArray[np.int64]
    position: NDArray[np.uint8]
    offset: NDArray[np.int64]
    aligned: NDArray[np.bool_]
    capped: int

    def __len__(self) -> int:
        return self.short.size


@dataclass(frozen=True, slots=True)
class _Anchors:
    """For each short text in `shorts`: where its anchor starts in it, and its group of equal windows, which is
    `places[starts:starts + sizes]`, flat positions into the code points."""

    shorts: NDArray[np.int64]
    shifts: NDArray[np.int64]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


def containments(texts: NormalisedTexts, min_length: int, classes: Classes, max_matches: int) -> Containments:
    """Every pair in which a text of at least `min_length` code points is a proper substring of another.

    A short text inside more than `max_matches` longs yields only, for each class, the long of lowest index that has
    it. Time is O(N log N) in all code points plus the occurrences of anchors; memory about 70 bytes a code point.
    """
    if min_length < 1:
        raise ValueError("a containment guard of no characters would put every text inside every other")
    none = np.zeros((4, 0), np.int64)
    found, capped = [none], 0
    if int((texts.lengths >= min_length).sum()) > 1:
        hashes = rolling_hash(texts.codepoints)
        for candidates in _candidates(texts, _anchors(texts, hashes, min_length)):
            matches = _preferred(texts, _verified(texts, hashes, candidates))
            matches, over = _within_cap(matches, classes, max_matches)
            found.append(matches)
            capped += over
    short, long, position, offset = _sorted(np.concatenate(found, axis=1), 2)
    aligned = _aligned(texts, short, long, offset)
    return Containments(short, long, position.astype(np.uint8), offset, aligned, capped)


def _anchors(texts: NormalisedTexts, hashes: RollingHash, window: int) -> _Anchors:
    """The rarest window of every text that is long enough, the first of equally rare ones."""
    owners = np.flatnonzero(texts.lengths >= window)
    counts = texts.lengths[owners] - window + 1
    places = segments(texts.offsets[owners], counts)
    values = hashes.of(places, window)
    order = np.argsort(values)
    ordered = values[order]
    opens = np.ones(order.size, np.bool_)
    opens[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(opens)
    sizes = np.diff(starts, append=order.size)
    group = np.empty(order.size, np.int64)
    group[order] = np.cumsum(opens) - 1
    firsts = np.cumsum(counts) - counts
    shifts = np.arange(order.size, dtype=np.int64) - np.repeat(firsts, counts)
    rarest = np.minimum.reduceat(sizes[group] << np.int64(32) | shifts, firsts) & np.int64(0xFFFFFFFF)
    chosen = group[firsts + rarest]
    shared = sizes[chosen] > 1
    chosen = chosen[shared]
    return _Anchors(owners[shared], rarest[shared], places[order], starts[chosen], sizes[chosen])


def _candidates(texts: NormalisedTexts, anchors: _Anchors) -> Iterator[NDArray[np.int64]]:
    """Blocks of (short, long, flat start), shape (3, k): where the anchor occurs and the short text would fit.

    All candidates of one short text are in one block.
    """
    for low, high in blocks(anchors.sizes, _BLOCK):
        sizes = anchors.sizes[low:high]
        short = np.repeat(anchors.shorts[low:high], sizes)
        places = anchors.places[segments(anchors.starts[low:high], sizes)]
        long = np.searchsorted(texts.offsets, places, side="right") - 1
        start = places - np.repeat(anchors.shifts[low:high], sizes)
        lengths = texts.lengths[short]
        fits = (start >= texts.offsets[long]) & (start + lengths <= texts.offsets[long + 1])
        fits &= lengths < texts.lengths[long]
        yield np.stack([short, long, start])[:, fits]


def _verified(texts: NormalisedTexts, hashes: RollingHash, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    short, _, start = candidates
    lengths = texts.lengths[short]
    likely = np.flatnonzero(hashes.of(start, lengths) == hashes.of(texts.offsets[short], lengths))
    kept = []
    for low, high in blocks(lengths[likely], _BLOCK):
        rows = likely[low:high]
        counts = lengths[rows]
        theirs = texts.codepoints[segments(start[rows], counts)]
        own = texts.codepoints[segments(texts.offsets[short[rows]], counts)]
        kept.append(rows[np.logical_and.reduceat(theirs == own, np.cumsum(counts) - counts)])
    return candidates[:, np.concatenate(kept)] if kept else candidates[:, :0]


def _preferred(texts: NormalisedTexts, matches: NDArray[np.int64]) -> NDArray[np.int64]:
    """(short, long, position code, offset) of each pair's preferred occurrence."""
    short, long, start = matches
    offset = start - texts.offsets[long]
    ends = offset + texts.lengths[short] == texts.lengths[long]
    position = np.where(offset == 0, 0, np.where(ends, 1, 2))
    ranked = _sorted(np.stack([short, long, position, offset]), 4)
    first = np.ones(ranked.shape[1], np.bool_)
    first[1:] = (ranked[:2, 1:] != ranked[:2, :-1]).any(axis=0)
    return ranked[:, first]


def _within_cap(matches: NDArray[np.int64], classes: Classes, max_matches: int) -> tuple[NDArray[np.int64], int]:
    """Thin out short texts with too many longs to the first long of each class; and how many such texts there are."""
    shorts, counts = np.unique(matches[0], return_counts=True)
    over = shorts[counts > max_matches]
    if not over.size:
        return matches, 0
    crowded = np.isin(matches[0], over)
    rows = np.flatnonzero(crowded)
    owners, ids = classes.expand(matches[1, rows])
    # Matches are sorted by (short, long), so the first row of a (short, class) group is its long of lowest index.
    _, first = np.unique(np.stack([matches[0, rows[owners]], ids.astype(np.int64)]), axis=1, return_index=True)
    kept = np.union1d(np.flatnonzero(~crowded), rows[owners[first]])
    return matches[:, kept], int(over.size)


def _aligned(
    texts: NormalisedTexts, short: NDArray[np.int64], long: NDArray[np.int64], offset: NDArray[np.int64]
) -> NDArray[np.bool_]:
    start = texts.offsets[long] + offset
    end = start + texts.lengths[short]
    points = np.concatenate([texts.codepoints, np.zeros(1, np.uint32)])
    opens = (offset == 0) | (points[start - 1] == _SPACE)
    closes = (end == texts.offsets[long + 1]) | (points[end] == _SPACE)
    aligned: NDArray[np.bool_] = opens & closes
    return aligned


def _sorted(columns: NDArray[np.int64], keys: int) -> NDArray[np.int64]:
    return columns[:, np.lexsort(columns[keys - 1 :: -1])]
