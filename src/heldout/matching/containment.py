"""Containment: a text that stands whole inside a longer one.

Each text's rarest window of the guard length is its anchor; wherever that window occurs elsewhere, the whole text is
compared there. Rarity is counted by a part of the hash and hashes (`heldout.matching.rolling`) only propose: every
match is compared literally, so neither can change the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes
from heldout.matching.containment_matches import in_order, preferred, within_cap
from heldout.matching.kernels import kernels_for
from heldout.matching.ragged import blocks, segments
from heldout.matching.rolling import rolling_hash
from heldout.matching.texts import NormalisedTexts

POSITIONS = ("prefix", "suffix", "interior")
"""Names of the codes in `Containments.position`, in order of preference."""

_BLOCK = 1 << 20  # code points, or candidate occurrences, held at a time
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
class _Windows:
    """The hash of the window of `length` code points at each flat position; one that crosses texts means nothing."""

    texts: NormalisedTexts
    length: int
    hashes: NDArray[np.uint64]

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """(texts long enough, their numbers of windows, flat positions of all these windows), block by block."""
        for low, high in self.texts.blocks(_BLOCK):
            owners = low + np.flatnonzero(self.texts.lengths[low:high] >= self.length)
            counts = self.texts.lengths[owners] - self.length + 1
            if owners.size:
                yield owners, counts, segments(self.texts.offsets[owners], counts)


@dataclass(frozen=True, slots=True)
class _Anchors:
    """Short texts that may stand elsewhere, ordered by the hash of their anchor.

    `shifts` is where the anchor starts in the text. Group i, the anchors of hash `hashes[i]`, is
    `[starts[i], starts[i] + sizes[i])`. `filter` is True at the upper bits of every anchor's hash.
    """

    shorts: NDArray[np.int64]
    shifts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    filter: NDArray[np.bool_]
    drop: np.uint64


def containments(
    texts: NormalisedTexts,
    min_length: int,
    classes: Classes,
    max_matches: int,
    *,
    shorts: NDArray[np.bool_] | None = None,
) -> Containments:
    """Every pair in which a text of at least `min_length` code points is a proper substring of another.

    A short text inside more than `max_matches` longs yields only, for each class, the long of lowest index that has
    it. `shorts` (n) says which texts are looked for; all, if it is not given. Time is linear in all code points plus
    the occurrences of anchors; memory 8 bytes a code point plus blocks, and half a byte in the kernels.
    """
    if min_length < 1:
        raise ValueError("a containment guard of no characters would put every text inside every other")
    wanted = np.ones(len(texts), np.bool_) if shorts is None else shorts
    found, capped = listed(_matches(texts, min_length, wanted), len(texts), classes, max_matches)
    short, long, position, offset = by_pair(found)
    return Containments(short, long, position.astype(np.uint8), offset, aligned(texts, short, long, offset), capped)


def listed(
    matches: Iterator[NDArray[np.int64]], count: int, classes: Classes, max_matches: int, *, columns: int = 4
) -> tuple[NDArray[np.int64], int]:
    """Matches (short, long, ...) of `count` texts, those of crowded short texts thinned out, and how many are."""
    found, fresh, held = np.zeros((columns, 0), np.int64), [np.zeros((columns, 0), np.int64)], 0
    totals = np.zeros(count, np.int64)
    for block in matches:
        np.add.at(totals, block[0], 1)
        fresh.append(block)
        held += block.shape[1]
        if held > found.shape[1] + _BLOCK:
            found = within_cap(np.concatenate([found, *fresh], axis=1), totals > max_matches, classes)
            fresh, held = [], 0
    found = within_cap(np.concatenate([found, *fresh], axis=1), totals > max_matches, classes)
    return found, int((totals > max_matches).sum())


def by_pair(matches: NDArray[np.int64]) -> NDArray[np.int64]:
    """Matches (short, long, ...) in the order of their pairs."""
    return in_order(matches, 2)


def _matches(texts: NormalisedTexts, length: int, wanted: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """Blocks of (short, long, position code, offset), each pair once."""
    kernels = kernels_for(texts.codepoints.size)
    if kernels is not None:
        from heldout.matching.kernels.on_windows import matches

        yield from matches(kernels, texts, length, wanted)
        return
    windows = _windows(texts, length)
    anchors = _anchors(windows, wanted)
    for candidates in _candidates(windows, anchors):
        yield _preferred(texts, _verified(windows, candidates))


def _windows(texts: NormalisedTexts, length: int) -> _Windows:
    hashes = np.zeros(texts.codepoints.size, np.uint64)
    for low, high in texts.blocks(_BLOCK):
        part = rolling_hash(texts.part(low, high).codepoints).windows(length)
        hashes[texts.offsets[low] : texts.offsets[low] + part.size] = part
    return _Windows(texts, length, hashes)


def _anchors(windows: _Windows, wanted: NDArray[np.bool_]) -> _Anchors:
    """The rarest window of every wanted text that is long enough, the first of equally rare ones.

    A window whose count is 1 occurs nowhere else, so neither does its text, which is then left out.
    """
    bits = min(max(windows.hashes.size.bit_length(), 10), 24)
    drop = np.uint64(64 - bits)
    counts = np.zeros(1 << bits, np.uint32)
    for _, _, places in windows.blocks():
        np.add.at(counts, (windows.hashes[places] >> drop).astype(np.int64), np.uint32(1))
    kept = [np.zeros((2, 0), np.int64)]
    for owners, sizes, places in windows.blocks():
        shifts = places - np.repeat(windows.texts.offsets[owners], sizes)
        ranked = counts[windows.hashes[places] >> drop].astype(np.int64) << np.int64(32) | shifts
        rarest = np.minimum.reduceat(ranked, np.cumsum(sizes) - sizes)
        shared = (rarest >> np.int64(32) > 1) & wanted[owners]
        kept.append(np.stack([owners[shared], rarest[shared] & np.int64(0xFFFFFFFF)]))
    shorts, shifts = np.concatenate(kept, axis=1)
    hashes = windows.hashes[windows.texts.offsets[shorts] + shifts]
    order = np.argsort(hashes, kind="stable")
    distinct, starts, sizes = np.unique(hashes[order], return_index=True, return_counts=True)
    present = np.zeros(1 << bits, np.bool_)
    present[distinct >> drop] = True
    return _Anchors(shorts[order], shifts[order], distinct, starts, sizes, present, drop)


def _candidates(windows: _Windows, anchors: _Anchors) -> Iterator[NDArray[np.int64]]:
    """Blocks of (short, long, flat start), shape (3, k): where the anchor occurs and the short text would fit.

    All candidates of one (short, long) are in one block, and longs come in ascending order.
    """
    texts = windows.texts
    for _, _, everywhere in windows.blocks() if anchors.shorts.size else ():
        places = everywhere[anchors.filter[windows.hashes[everywhere] >> anchors.drop]]
        group = np.minimum(np.searchsorted(anchors.hashes, windows.hashes[places]), anchors.hashes.size - 1)
        same = anchors.hashes[group] == windows.hashes[places]
        yield from _fitting(texts, anchors, places[same], group[same])


def _fitting(
    texts: NormalisedTexts, anchors: _Anchors, places: NDArray[np.int64], group: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    """Candidates where anchors of the groups `group` occur at the ascending flat positions `places`."""
    owner = np.searchsorted(texts.offsets, places, side="right") - 1
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    if not firsts.size:
        return
    bounds = np.append(firsts, places.size)
    for low, high in blocks(np.add.reduceat(anchors.sizes[group], firsts), _BLOCK):
        rows = slice(bounds[low], bounds[high])
        sizes = anchors.sizes[group[rows]]
        members = segments(anchors.starts[group[rows]], sizes)
        short, long = anchors.shorts[members], np.repeat(owner[rows], sizes)
        start = np.repeat(places[rows], sizes) - anchors.shifts[members]
        lengths = texts.lengths[short]
        fits = (start >= texts.offsets[long]) & (start + lengths <= texts.offsets[long + 1])
        fits &= lengths < texts.lengths[long]
        yield np.stack([short, long, start])[:, fits]


def _verified(windows: _Windows, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    """The candidates that are matches; the first and last windows refuse most others before they are compared."""
    texts, hashes = windows.texts, windows.hashes
    short, _, start = candidates
    own, lengths = texts.offsets[short], texts.lengths[short]
    last = lengths - windows.length
    likely = np.flatnonzero((hashes[start] == hashes[own]) & (hashes[start + last] == hashes[own + last]))
    kept = [np.zeros(0, np.int64)]
    for low, high in blocks(lengths[likely], _BLOCK):
        rows = likely[low:high]
        counts = lengths[rows]
        theirs = texts.codepoints[segments(start[rows], counts)]
        equal = theirs == texts.codepoints[segments(own[rows], counts)]
        kept.append(rows[np.logical_and.reduceat(equal, np.cumsum(counts) - counts)])
    return candidates[:, np.concatenate(kept)]


def _preferred(texts: NormalisedTexts, matches: NDArray[np.int64]) -> NDArray[np.int64]:
    """(short, long, position code, offset) of each pair's preferred occurrence."""
    short, long, start = matches
    offset = start - texts.offsets[long]
    ends = offset + texts.lengths[short] == texts.lengths[long]
    position = np.where(offset == 0, 0, np.where(ends, 1, 2))
    return preferred(np.stack([short, long, position, offset]))


def aligned(
    texts: NormalisedTexts, short: NDArray[np.int64], long: NDArray[np.int64], offset: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the matches start and end at a word's edge."""
    start = texts.offsets[long] + offset
    end = start + texts.lengths[short]
    points, last = texts.codepoints, max(texts.codepoints.size - 1, 0)
    opens = (offset == 0) | (points[start - 1] == _SPACE)
    closes = (end == texts.offsets[long + 1]) | (points[np.minimum(end, last)] == _SPACE)
    both: NDArray[np.bool_] = opens & closes
    return both
