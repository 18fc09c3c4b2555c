"""An index of held-out texts against which any number of foreign texts stream by, a block at a time.

Nothing of the foreign side is kept, so its size does not matter. The pairs are those that `near_pairs` and
`containments` would find between the two sides, without their caps: whoever reports them decides how many to list. The
index is a handful of arrays: it pickles, and is sent once to every process or executor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import band_keys
from heldout.matching.holdout_pieces import Filter, Pieces, index_pieces, inside_items, inside_rows
from heldout.matching.jaccard import Bounds, bounds, intersections, reaches
from heldout.matching.kernels import kernels_for
from heldout.matching.minhash import signatures
from heldout.matching.parameters import NearParameters
from heldout.matching.ragged import blocks, offsets_of, segments
from heldout.matching.shingles import shingle_sets
from heldout.matching.sketch import sketch
from heldout.matching.texts import NormalisedTexts

NEAR, ITEM_INSIDE_ROW, ROW_INSIDE_ITEM = 0, 1, 2
"""Codes of `Hits.kind`."""

_BLOCK = 1 << 20  # candidate pairs held at a time


@dataclass(frozen=True, slots=True)
class Hits:
    """Verified pairs of a foreign text (`row`, its position in the block) and an indexed one (`item`).

    Sorted by (row, item, kind), all of one length. A near pair has the sizes `intersection` and `union` of the shingle
    sets; the others have 0 there and say where the short text stands: `position` indexes
    `heldout.matching.containment.POSITIONS`, `offset` counts code points of the long text, `aligned` is whether it
    fills whole words.
    """

    row: NDArray[np.int64]
    item: NDArray[np.int64]
    kind: NDArray[np.uint8]
    intersection: NDArray[np.int64]
    union: NDArray[np.int64]
    position: NDArray[np.uint8]
    offset: NDArray[np.int64]
    aligned: NDArray[np.bool_]

    def __len__(self) -> int:
        return self.row.size


@dataclass(frozen=True, slots=True)
class HoldoutIndex:
    """Texts of held-out inputs, text i that of input i in digest order, and what finds them.

    `keys` (bands, n) uint64 are each band's hashes in ascending order, `members` (bands, n) int64 the texts they belong
    to; texts that say nothing are in neither. `buckets` refuses keys that no band has. `limits` are bitmaps of the
    texts that say something. `pieces` finds containments.
    """

    texts: NormalisedTexts
    parameters: NearParameters
    min_length: int
    keys: NDArray[np.uint64]
    members: NDArray[np.int64]
    buckets: Filter
    limits: Bounds
    pieces: Pieces

    @classmethod
    def build(cls, texts: NormalisedTexts, parameters: NearParameters, min_length: int) -> HoldoutIndex:
        """Index the texts of distinct inputs. `min_length` is the containment guard, in code points of the shorter."""
        present = np.flatnonzero(texts.lengths)
        keys = keys_of(texts, parameters)[:, present]
        order = np.argsort(keys, axis=1, kind="stable")
        limits = bounds(texts, present, parameters.threshold)
        pieces = index_pieces(texts, min_length)
        buckets = Filter.of(keys.reshape(-1))
        ordered = np.take_along_axis(keys, order, axis=1)
        return cls(texts, parameters, min_length, ordered, present[order], buckets, limits, pieces)

    def __len__(self) -> int:
        return len(self.texts)

    def probe(self, texts: NormalisedTexts) -> Hits:
        """Every near pair and containment between a block of foreign texts and the indexed ones; pure."""
        parts = [self._near(texts), *self._contained(texts)]
        columns = [np.concatenate([part[k] for part in parts]) for k in range(len(parts[0]))]
        order = np.lexsort((columns[2], columns[1], columns[0]))
        row, item, kind, intersection, union, position, offset, aligned = (column[order] for column in columns)
        return Hits(
            row, item, kind.astype(np.uint8), intersection, union,
            position.astype(np.uint8), offset, aligned.astype(np.bool_),
        )  # fmt: skip

    def _near(self, texts: NormalisedTexts) -> tuple[NDArray[np.int64], ...]:
        found = [np.zeros((4, 0), np.int64)]
        for row, item in self._candidates(texts):
            found.append(self._verified(texts, row, item))
        row, item, intersection, union = np.concatenate(found, axis=1)
        nothing = np.zeros_like(row)
        return row, item, np.full_like(row, NEAR), intersection, union, nothing, nothing, nothing

    def _candidates(self, texts: NormalisedTexts) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Blocks of distinct pairs that agree in a whole band; all pairs of one row are in one block."""
        present = np.flatnonzero(texts.lengths)
        if not present.size or not self.members.size:
            return
        asked = keys_of(texts, self.parameters)[:, present]
        low, sizes = np.zeros((2, *asked.shape), np.int64)
        for band, keys in enumerate(asked):
            # Most keys are in no bucket: one bit says so of nearly all of them.
            likely = np.flatnonzero(self.buckets.admits(keys))
            low[band, likely] = np.searchsorted(self.keys[band], keys[likely])
            high = np.searchsorted(self.keys[band], keys[likely], side="right")
            sizes[band, likely] = high - low[band, likely]
        hit = np.flatnonzero(sizes.any(axis=0))
        for first, last in blocks(sizes[:, hit].sum(axis=0), _BLOCK):
            chosen = hit[first:last]
            counts, starts = sizes[:, chosen], low[:, chosen]
            pairs = [
                np.repeat(present[chosen], counts[band]) * len(self.texts)
                + self.members[band][segments(starts[band], counts[band])]
                for band in range(counts.shape[0])
            ]
            distinct = np.unique(np.concatenate(pairs))
            yield distinct // len(self.texts), distinct % len(self.texts)

    def _verified(self, texts: NormalisedTexts, row: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pairs that reach the threshold, as rows (row, item, intersection, union)."""
        rows, a = np.unique(row, return_inverse=True)
        theirs = bounds(texts, rows, self.parameters.threshold)
        items, b = np.unique(item, return_inverse=True)
        ours = self.limits.only(items)
        both = Bounds(
            np.arange(rows.size + items.size, dtype=np.int64),
            np.concatenate([theirs.bitmaps, ours.bitmaps]),
            np.concatenate([theirs.sizes, ours.sizes]),
            self.parameters.threshold,
        )
        possible = both.admits(a, b + rows.size)
        return self._exact(texts, row[possible], item[possible])

    def _exact(self, texts: NormalisedTexts, row: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.int64]:
        rows, a = np.unique(row, return_inverse=True)
        items, b = np.unique(item, return_inverse=True)
        sides = joined(texts.take(rows), self.texts.take(items))
        sets = shingle_sets(sides, np.arange(len(sides), dtype=np.int64))
        intersection = intersections(sets, a, b + rows.size)
        union = sets.sizes[a] + sets.sizes[b + rows.size] - intersection
        found = np.stack([row, item, intersection, union])
        return found[:, reaches(intersection, union, self.parameters.threshold)]

    def _contained(self, texts: NormalisedTexts) -> Iterator[tuple[NDArray[np.int64], ...]]:
        grams = self.pieces.of(texts)
        for kind, found in (
            (ITEM_INSIDE_ROW, inside_rows(self.pieces, self.texts, texts, grams)),
            (ROW_INSIDE_ITEM, inside_items(self.pieces, self.texts, texts, grams)),
        ):
            nothing = np.zeros_like(found.row)
            yield (
                found.row, found.item, np.full_like(found.row, kind), nothing, nothing,
                found.position.astype(np.int64), found.offset, found.aligned.astype(np.int64),
            )  # fmt: skip


def keys_of(texts: NormalisedTexts, parameters: NearParameters) -> NDArray[np.uint64]:
    """Band keys, shape (bands, n); compiled where that is loaded, and then in one pass over the code points."""
    if kernels_for(0) is not None:
        return sketch(texts, parameters, keep_signatures=False).keys
    return band_keys(signatures(texts, count=parameters.permutations, seed=parameters.seed), parameters.bands)


def joined(first: NormalisedTexts, second: NormalisedTexts) -> NormalisedTexts:
    """The texts of both, in order."""
    points = np.concatenate([first.codepoints, second.codepoints])
    return NormalisedTexts(points, offsets_of(np.concatenate([first.lengths, second.lengths])))
