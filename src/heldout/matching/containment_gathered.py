"""Containment by the kernels in texts that a feed holds: what `containments` finds, in a byte or so a code point.

The texts are put into one array in the order in which they come, and what is found is named by their indices. Where
some need more than a byte a code point, all are written as UTF-8: a text stands inside another just where its bytes
do, since no character's bytes stand inside or across others. An array as wide as its widest character would take up to
four times the room and the time for one emoji among a million texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes
from heldout.matching.containment import Containments, aligned, by_pair, listed
from heldout.matching.feed import TextFeed
from heldout.matching.ragged import blocks, segments
from heldout.matching.texts import NormalisedTexts

if TYPE_CHECKING:
    from heldout.matching.kernels.loader import Kernels

_BLOCK = 1 << 20  # code points encoded, or bytes looked through, at a time
_TOP, _FOLLOWS = np.uint8(0xC0), np.uint8(0x80)  # a byte that opens no character of UTF-8 is 10xxxxxx


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Texts in any order; `rows` are their indices in the feed. `offsets` of `texts` count bytes where `encoded`."""

    rows: NDArray[np.int64]
    texts: NormalisedTexts
    encoded: bool


def containments_gathered(
    kernels: Kernels, feed: TextFeed, min_length: int, classes: Classes, max_matches: int
) -> Containments:
    """As `heldout.matching.containment.containments` of all texts of the feed, which are read twice."""
    gathered = _gathered(feed)
    matches = _matches(kernels, gathered, min_length, feed.lengths[gathered.rows] >= min_length)
    found, capped = listed(matches, feed.lengths.size, classes, max_matches, columns=5)
    short, long, position, offset, at_words = by_pair(found)
    return Containments(short, long, position.astype(np.uint8), offset, at_words.astype(np.bool_), capped)


def _gathered(feed: TextFeed) -> _Gathered:
    wanted = np.flatnonzero(feed.lengths)
    sizes = [(part.codepoints.size, part.codepoints.itemsize) for _, part in feed.blocks(wanted)]
    widest = max((width for _, width in sizes), default=1)
    encoded = widest > 1
    rows = np.empty(wanted.size, np.int64)
    offsets = np.zeros(wanted.size + 1, np.int64)
    points = np.empty(_encoded_size(feed, wanted) if encoded else sum(size for size, _ in sizes), np.uint8)
    done = end = 0
    for indices, part in feed.blocks(wanted):
        for low, high in part.blocks(_BLOCK) if encoded else [(0, len(part))]:
            texts = _as_utf8(part.part(low, high)) if encoded else part
            rows[done : done + high - low] = indices[low:high]
            offsets[done + 1 : done + high - low + 1] = end + texts.offsets[1:]
            points[end : end + texts.codepoints.size] = texts.codepoints
            done, end = done + high - low, end + texts.codepoints.size
    return _Gathered(rows, NormalisedTexts(points, offsets), encoded)


def _encoded_size(feed: TextFeed, wanted: NDArray[np.int64]) -> int:
    size = 0
    for _, part in feed.blocks(wanted):
        points = part.codepoints
        size += points.size
        for most in (0x7F, 0x7FF, 0xFFFF)[: 1 if points.itemsize == 1 else 3]:
            size += int(np.count_nonzero(points > most))
    return size


def _as_utf8(texts: NormalisedTexts) -> NormalisedTexts:
    """The texts' bytes, and where each starts in them."""
    if texts.codepoints.max(initial=0) < 0x80:  # ASCII
        return NormalisedTexts(texts.codepoints.astype(np.uint8, copy=False), texts.offsets)
    whole = NormalisedTexts(texts.codepoints, np.array([0, texts.codepoints.size])).text(0)
    data = np.frombuffer(whole.encode(), np.uint8)
    opens = np.append(np.flatnonzero((data & _TOP) != _FOLLOWS), data.size)
    return NormalisedTexts(data, opens[texts.offsets])


def _matches(
    kernels: Kernels, gathered: _Gathered, length: int, wanted: NDArray[np.bool_]
) -> Iterator[NDArray[np.int64]]:
    """Blocks of (short, long, position code, offset, aligned), named by the feed's indices."""
    from heldout.matching.kernels.on_windows import matches

    texts, rows = gathered.texts, gathered.rows
    for short, long, position, offset in matches(kernels, texts, length, wanted):
        at_words = aligned(texts, short, long, offset)
        places = _characters(texts, long, offset) if gathered.encoded else offset
        yield np.stack([rows[short], rows[long], position, places, at_words.astype(np.int64)])


def _characters(texts: NormalisedTexts, long: NDArray[np.int64], offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets in code points for offsets in bytes."""
    result = offset.copy()
    for low, high in blocks(offset, _BLOCK):
        sizes = offset[low:high]
        inside = np.flatnonzero(sizes) + low
        if inside.size:
            data = texts.codepoints[segments(texts.offsets[long[inside]], offset[inside])]
            firsts = np.cumsum(offset[inside]) - offset[inside]
            result[inside] -= np.add.reduceat((data & _TOP) == _FOLLOWS, firsts, dtype=np.int64)
    return result
