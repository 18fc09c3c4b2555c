"""Containment against an index: which indexed texts stand whole in a foreign one, and the reverse.

Both directions go by the minimisers of the guard length (`heldout.matching.minimisers`). Each indexed text has an
anchor, its rarest minimiser; wherever that comes by, the whole text is compared. A foreign text can stand in an indexed
one only if all of its minimisers are known, and is compared where the rarest of them is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.minimisers import Minimisers, minimisers
from heldout.matching.occurrences import preferred, stands, word_aligned
from heldout.matching.ragged import blocks, segments
from heldout.matching.texts import NormalisedTexts

_BLOCK = 1 << 20  # candidate occurrences held at a time


@dataclass(frozen=True, slots=True)
class Filter:
    """One bit for each value of the upper bits of a hash: cleared means that no such hash is there."""

    bits: NDArray[np.uint8]
    drop: np.uint64

    @classmethod
    def of(cls, hashes: NDArray[np.uint64]) -> Filter:
        width = min(max(hashes.size.bit_length() + 4, 10), 30)
        drop = np.uint64(64 - width)
        marks = np.zeros(1 << width, np.bool_)
        marks[hashes >> drop] = True
        return cls(np.packbits(marks, bitorder="little"), drop)

    def admits(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        places = hashes >> self.drop
        found: NDArray[np.uint8] = self.bits[places >> np.uint64(3)] >> (places & np.uint64(7)).astype(np.uint8)
        return (found & np.uint8(1)).astype(np.bool_)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where grams with a hash are: group i, of hash `hashes[i]`, is `places[starts[i]:starts[i + 1]]`, with the texts
    `owners` they are in."""

    hashes: NDArray[np.uint64]
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    filter: Filter

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], places: NDArray[np.int64], owners: NDArray[np.int64]) -> Occurrences:
        order = np.argsort(hashes, kind="stable")
        distinct, starts = np.unique(hashes[order], return_index=True)
        return cls(distinct, np.append(starts, hashes.size), places[order], owners[order], Filter.of(distinct))

    def find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(positions in `hashes` of those that are here, their groups)."""
        likely = np.flatnonzero(self.filter.admits(hashes))
        if not self.hashes.size:
            return likely[:0], likely[:0]
        asked = hashes[likely]
        group = np.minimum(np.searchsorted(self.hashes, asked), self.hashes.size - 1)
        same = self.hashes[group] == asked
        return likely[same], group[same]

    def sizes(self, group: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.starts[group + 1] - self.starts[group]

    def members(self, group: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(places, owners) of all members of the groups, one group after the other."""
        rows = segments(self.starts[group], self.sizes(group))
        return self.places[rows], self.owners[rows]


@dataclass(frozen=True, slots=True)
class Pieces:
    """`everywhere` are the minimisers of the indexed texts, `anchors` one of each text that is long enough."""

    min_length: int
    longest: int
    everywhere: Occurrences
    anchors: Occurrences

    def of(self, texts: NormalisedTexts) -> Minimisers:
        return minimisers(texts, self.min_length)


@dataclass(frozen=True, slots=True)
class Contained:
    """Pairs, each once; the long one is the row or the item, by direction."""

    row: NDArray[np.int64]
    item: NDArray[np.int64]
    position: NDArray[np.uint8]
    offset: NDArray[np.int64]
    aligned: NDArray[np.bool_]


def index_pieces(texts: NormalisedTexts, min_length: int) -> Pieces:
    grams = minimisers(texts, min_length)
    everywhere = Occurrences.of(grams.hashes, grams.places, grams.owners)
    group = np.searchsorted(everywhere.hashes, grams.hashes)
    rarest = _first_smallest(everywhere.sizes(group), grams.owners)
    anchors = Occurrences.of(grams.hashes[rarest], grams.places[rarest], grams.owners[rarest])
    longest = int(texts.lengths.max()) if len(texts) else 0
    return Pieces(min_length, longest, everywhere, anchors)


def inside_rows(pieces: Pieces, items: NormalisedTexts, rows: NormalisedTexts, grams: Minimisers) -> Contained:
    """Indexed texts that are proper parts of foreign ones."""
    found = [np.zeros((3, 0), np.int64)]
    gram, group = pieces.anchors.find(grams.hashes)
    sizes = pieces.anchors.sizes(group)
    for low, high in blocks(sizes, _BLOCK):
        anchor, item = pieces.anchors.members(group[low:high])
        chosen = np.repeat(gram[low:high], sizes[low:high])
        row = grams.owners[chosen]
        start = grams.places[chosen] - (anchor - items.offsets[item])
        found.append(_preferred(_matches(items, item, rows, row, start), items, rows)[:3])
    item, row, offset, position = _preferred(np.concatenate(found, axis=1), items, rows)
    aligned = word_aligned(rows, row, offset, items.lengths[item])
    return Contained(row, item, position.astype(np.uint8), offset, aligned)


def inside_items(pieces: Pieces, items: NormalisedTexts, rows: NormalisedTexts, grams: Minimisers) -> Contained:
    """Foreign texts that are proper parts of indexed ones."""
    found = [np.zeros((3, 0), np.int64)]
    gram, group = _least_known(pieces, rows, grams)
    sizes = pieces.everywhere.sizes(group)
    for low, high in blocks(sizes, _BLOCK):
        place, item = pieces.everywhere.members(group[low:high])
        chosen = np.repeat(gram[low:high], sizes[low:high])
        row = grams.owners[chosen]
        start = place - (grams.places[chosen] - rows.offsets[row])
        found.append(_matches(rows, row, items, item, start))
    row, item, offset, position = _preferred(np.concatenate(found, axis=1), rows, items)
    aligned = word_aligned(items, item, offset, rows.lengths[row])
    return Contained(row, item, position.astype(np.uint8), offset, aligned)


def _preferred(matches: NDArray[np.int64], shorts: NormalisedTexts, longs: NormalisedTexts) -> NDArray[np.int64]:
    """One of the matches (short, long, offset) of each pair, with its position's code as a fourth row."""
    short, long, offset = matches
    chosen, position = preferred(short, long, offset, shorts.lengths[short], longs.lengths[long])
    return np.concatenate([matches[:, chosen], position[None].astype(np.int64)])


def _matches(
    shorts: NormalisedTexts,
    short: NDArray[np.int64],
    longs: NormalisedTexts,
    long: NDArray[np.int64],
    start: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The candidates that are proper containments, as rows (short, long, offset in the long)."""
    lengths = shorts.lengths[short]
    fits = (start >= longs.offsets[long]) & (start + lengths <= longs.offsets[long + 1])
    fits &= lengths < longs.lengths[long]
    short, long, start = short[fits], long[fits], start[fits]
    kept = stands(shorts, short, longs, start)
    return np.stack([short[kept], long[kept], start[kept] - longs.offsets[long[kept]]])


def _least_known(
    pieces: Pieces, rows: NormalisedTexts, grams: Minimisers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row that may stand in an item its rarest minimiser, as (positions in grams, groups)."""
    short = rows.lengths[grams.owners] < pieces.longest
    gram, group = pieces.everywhere.find(grams.hashes[short])
    gram = np.flatnonzero(short)[gram]
    known = np.bincount(grams.owners[gram], minlength=len(rows))
    whole = known == np.bincount(grams.owners, minlength=len(rows))
    kept = whole[grams.owners[gram]]
    gram, group = gram[kept], group[kept]
    rarest = _first_smallest(pieces.everywhere.sizes(group), grams.owners[gram])
    return gram[rarest], group[rarest]


def _first_smallest(values: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each owner's smallest value, the first of equal ones; `owners` is ascending."""
    if not values.size:
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    ranked = values << np.int64(32) | np.arange(values.size, dtype=np.int64)
    chosen: NDArray[np.int64] = np.minimum.reduceat(ranked, starts) & np.int64(0xFFFFFFFF)
    return chosen
