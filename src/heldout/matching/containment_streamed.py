"""Containment in texts that stream by: what `containments` finds, without all of them in memory.

Each text's rarest window, by counts made when the texts were read first, is its anchor. The texts stream by twice: once
to choose anchors, once to look them up, where the hash of the whole short text has to agree as well. What is left is
compared literally. A text that stands in too many others to list meets all of them once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes
from heldout.matching.containment import Containments
from heldout.matching.containment_matches import in_order, preferred, within_cap
from heldout.matching.feed import TextFeed, pair_groups
from heldout.matching.ragged import blocks, segments
from heldout.matching.texts import NormalisedTexts
from heldout.matching.window_counts import BlockWindows, WindowCounts

_BLOCK = 1 << 20  # code points, or candidate occurrences, held at a time
_SPACE = 32
_MATCH = 5  # rows of a table of matches: short, long, position, offset, aligned


@dataclass(frozen=True, slots=True)
class _Anchors:
    """Short texts ordered by the hash of their anchor: group i, of hash `hashes[i]`, is `[starts[i], +sizes[i])`.

    `shifts` is where the anchor starts in the text, `first` and `last` are the hashes of the text's first and last
    windows, `lengths` its code points. `filter` is True at the upper bits of every anchor's hash.
    """

    shorts: NDArray[np.int64]
    shifts: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    lengths: NDArray[np.int64]
    hashes: NDArray[np.uint32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    filter: NDArray[np.bool_]
    drop: np.uint32

    @classmethod
    def of(cls, rows: NDArray[np.int64], budget: int) -> _Anchors:
        """`rows` are short text, shift, hash, first, last and length, shape (6, anchors)."""
        shorts, shifts, keys, first, last, lengths = rows[:, np.argsort(rows[2], kind="stable")]
        opens = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: keys.size])
        bits = min(max(int(opens.size).bit_length() + 5, 10), max(budget.bit_length() - 2, 16), 28)
        drop = np.uint32(32 - bits)
        hashes = keys[opens].astype(np.uint32)
        present = np.zeros(1 << bits, np.bool_)
        present[hashes >> drop] = True
        sizes = np.diff(opens, append=keys.size)
        return cls(shorts, shifts, first, last, lengths, hashes, opens, sizes, present, drop)

    def only(self, shorts: NDArray[np.int64], budget: int) -> _Anchors:
        """The anchors of some texts."""
        keys = np.repeat(self.hashes, self.sizes).astype(np.int64)
        rows = np.stack([self.shorts, self.shifts, keys, self.first, self.last, self.lengths])
        return _Anchors.of(rows[:, np.isin(self.shorts, shorts)], budget)


def containments_streamed(
    feed: TextFeed, counts: WindowCounts, classes: Classes, max_matches: int, budget: int
) -> Containments:
    """`counts` are of all windows of the feed's texts at least; which further ones are in them changes nothing.

    `budget` bytes bound what is read of texts at a time, save where one pair is larger.
    """
    long_enough = np.flatnonzero(feed.lengths >= counts.length)
    anchors = _anchors(feed, counts, long_enough, budget)
    found, crowded = _probed(feed, counts, anchors, long_enough, max_matches)
    matches = _verified(feed, found, budget)
    capped = 0
    if crowded.size:
        thick, capped = _crowded(feed, counts, anchors.only(crowded, budget), long_enough, (classes, max_matches))
        matches = np.concatenate([matches, thick], axis=1)
    short, long, position, offset, aligned = in_order(matches, 2)
    return Containments(short, long, position.astype(np.uint8), offset, aligned.astype(np.bool_), capped)


def _windows(
    feed: TextFeed, counts: WindowCounts, rows: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], BlockWindows]]:
    """(indices of texts, their windows), block by block."""
    for indices, texts in feed.blocks(rows):
        for low, high in texts.blocks(_BLOCK):
            yield indices[low:high], counts.windows(texts.part(low, high))


def _anchors(feed: TextFeed, counts: WindowCounts, rows: NDArray[np.int64], budget: int) -> _Anchors:
    """The rarest window of every text, the first of equally rare ones; a window counted once is nowhere else, so
    neither is its text, which is left out."""
    kept = [np.zeros((6, 0), np.int64)]
    for indices, windows in _windows(feed, counts, rows):
        times, shifts = counts.rarest(windows)
        shared = np.flatnonzero(times > 1)
        starts, ends = windows.starts[shared], windows.starts[shared + 1]
        places = (starts + shifts[shared], starts, ends - 1)
        hashes = [windows.hashes[place].astype(np.int64) for place in places]
        kept.append(np.stack([indices[shared], shifts[shared], *hashes, windows.texts.lengths[shared]]))
    return _Anchors.of(np.concatenate(kept, axis=1), budget)


def _probed(
    feed: TextFeed, counts: WindowCounts, anchors: _Anchors, rows: NDArray[np.int64], max_matches: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Occurrences by hash, as a table of matches, and the texts that have too many of them to list."""
    totals = np.zeros(feed.lengths.size, np.int64)
    found, fresh, held = np.zeros((_MATCH, 0), np.int64), [np.zeros((_MATCH, 0), np.int64)], 0
    for indices, windows in _windows(feed, counts, rows) if anchors.shorts.size else ():
        for candidates in _candidates(windows, anchors, counts.length):
            matches = _described(indices, windows.texts, candidates, feed.lengths)
            pairs = np.unique(matches[0] * totals.size + matches[1])
            np.add.at(totals, pairs // totals.size, 1)
            matches = matches[:, totals[matches[0]] <= max_matches]
            fresh.append(matches)
            held += matches.shape[1]
            if held > found.shape[1] + _BLOCK:
                found = np.concatenate([found, *fresh], axis=1)
                found, fresh, held = found[:, totals[found[0]] <= max_matches], [], 0
    found = np.concatenate([found, *fresh], axis=1)
    return found[:, totals[found[0]] <= max_matches], np.flatnonzero(totals > max_matches)


def _candidates(windows: BlockWindows, anchors: _Anchors, length: int) -> Iterator[NDArray[np.int64]]:
    """(short, long as a position in the block, start in the long text), shape (3, k).

    All candidates of one long text are in one piece.
    """
    places = np.flatnonzero(anchors.filter[windows.hashes >> anchors.drop])
    group = np.minimum(np.searchsorted(anchors.hashes, windows.hashes[places]), anchors.hashes.size - 1)
    same = anchors.hashes[group] == windows.hashes[places]
    group, places = group[same], places[same]
    owner = np.searchsorted(windows.starts, places, side="right") - 1
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    if not firsts.size:
        return
    bounds = np.append(firsts, places.size)
    for low, high in blocks(np.add.reduceat(anchors.sizes[group], firsts), _BLOCK):
        part = slice(bounds[low], bounds[high])
        sizes = anchors.sizes[group[part]]
        members = segments(anchors.starts[group[part]], sizes)
        long, at = np.repeat(owner[part], sizes), np.repeat(places[part], sizes)
        start = at - windows.starts[long] - anchors.shifts[members]
        lengths, around = anchors.lengths[members], windows.texts.lengths[long]
        fits = np.flatnonzero((start >= 0) & (start + lengths <= around) & (lengths < around))
        members, long, start = members[fits], long[fits], start[fits]
        opens = windows.starts[long] + start
        same = windows.hashes[opens] == anchors.first[members]
        same &= windows.hashes[opens + anchors.lengths[members] - length] == anchors.last[members]
        yield np.stack([anchors.shorts[members], long, start])[:, same]


def _described(
    indices: NDArray[np.int64], texts: NormalisedTexts, candidates: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Candidates as a table of matches."""
    short, long, offset = candidates
    start = texts.offsets[long] + offset
    end = start + lengths[short]
    position = np.where(offset == 0, 0, np.where(end == texts.offsets[long + 1], 1, 2))
    points = np.append(texts.codepoints, np.zeros(1, texts.codepoints.dtype))
    opens = (offset == 0) | (points[start - 1] == _SPACE)
    closes = (end == texts.offsets[long + 1]) | (points[end] == _SPACE)
    return np.stack([short, indices[long], position, offset, (opens & closes).astype(np.int64)])


def _verified(feed: TextFeed, matches: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """The matches that are literal, of each pair the preferred one."""
    kept = [np.zeros((_MATCH, 0), np.int64)]
    for group in pair_groups(feed.lengths, matches[0], matches[1], budget // 4):
        part = matches[:, group]
        rows = np.unique(part[:2])
        texts = feed.fetch(rows)
        short, long = np.searchsorted(rows, part[:2])
        kept.append(part[:, _equal(texts, short, texts, texts.offsets[long] + part[3])])
    return preferred(np.concatenate(kept, axis=1))


def _equal(
    shorts: NormalisedTexts, short: NDArray[np.int64], longs: NormalisedTexts, start: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Positions at which the short text stands literally in the long ones' code points from `start` on."""
    lengths = shorts.lengths[short]
    kept = [np.zeros(0, np.int64)]
    for low, high in blocks(lengths, _BLOCK):
        counts = lengths[low:high]
        own = shorts.codepoints[segments(shorts.offsets[short[low:high]], counts)]
        equal = longs.codepoints[segments(start[low:high], counts)] == own
        kept.append(low + np.flatnonzero(np.logical_and.reduceat(equal, np.cumsum(counts) - counts)))
    return np.concatenate(kept)


def _crowded(
    feed: TextFeed,
    counts: WindowCounts,
    anchors: _Anchors,
    rows: NDArray[np.int64],
    thinning: tuple[Classes, int],
) -> tuple[NDArray[np.int64], int]:
    """Matches of texts that stand in too many others, compared while these stream by and thinned out on the way."""
    classes, max_matches = thinning
    known = np.sort(anchors.shorts)
    shorts = feed.fetch(known)
    totals = np.zeros(feed.lengths.size, np.int64)
    found, fresh, held = np.zeros((_MATCH, 0), np.int64), [np.zeros((_MATCH, 0), np.int64)], 0
    for indices, windows in _windows(feed, counts, rows):
        texts = windows.texts
        for candidates in _candidates(windows, anchors, counts.length):
            starts = texts.offsets[candidates[1]] + candidates[2]
            equal = _equal(shorts, np.searchsorted(known, candidates[0]), texts, starts)
            matches = preferred(_described(indices, texts, candidates[:, equal], feed.lengths))
            np.add.at(totals, matches[0], 1)
            fresh.append(matches)
            held += matches.shape[1]
            if held > found.shape[1] + _BLOCK:
                found = within_cap(np.concatenate([found, *fresh], axis=1), totals > max_matches, classes)
                fresh, held = [], 0
    found = within_cap(np.concatenate([found, *fresh], axis=1), totals > max_matches, classes)
    return found, int((totals > max_matches).sum())
