"""The texts of one pool out of a store that may hold more: numbered by the order of their inputs' digests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.jaccard import BITMAP
from heldout.matching.ragged import segments
from heldout.matching.texts import NormalisedTexts
from heldout.services.matching.held_texts import Block
from heldout.services.matching.texts import TextStore
from heldout.storage.columns import Column

_TOGETHER = 1 << 17  # texts whose bitmaps are read from a file at a time


@dataclass(frozen=True, slots=True)
class PoolTexts:
    """A `heldout.matching.feed.TextFeed`. `numbers` are the store's for each input of the pool, -1 for an input whose
    text no version of the pool holds."""

    store: TextStore
    numbers: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, store: TextStore, inputs: NDArray[np.int64], inline: NDArray[np.bool_]) -> PoolTexts:
        """`inputs` are ordinals in the order of their digests, `inline` those that some version of the pool holds."""
        numbers = np.where(inline, store.numbers(inputs), -1)
        lengths = np.zeros(inputs.size, np.int64)
        present = numbers >= 0
        lengths[present] = store.lengths[numbers[present]]
        return cls(store, numbers, lengths)

    def keys(self) -> NDArray[np.uint64]:
        """Band keys of all texts, shape (bands, n); in a file once texts have to be read again.

        Raises OSError where the disk is full. The file is mapped only once it is whole: writing through a map would end
        the process instead, by a signal, and count as memory of it.
        """
        shape = (self.store.bands, self.numbers.size)
        present = np.flatnonzero(self.numbers >= 0)
        if not (self.store.spilled and self.numbers.size):
            keys = np.zeros(shape, np.uint64)
            for band in range(shape[0]):
                self._put_keys(band, present, keys[band])
            return keys
        place = self.store.path("pool-keys")
        written = Column(np.uint64)
        written.move_to(place)
        row = np.zeros(self.numbers.size, np.uint64)
        for band in range(shape[0]):
            self._put_keys(band, present, row)
            written.append(row)
        return np.memmap(place, np.uint64, "r", shape=shape)

    def _put_keys(self, band: int, present: NDArray[np.int64], into: NDArray[np.uint64]) -> None:
        into[present] = self.store.keys(band)[self.numbers[present]]

    def bitmaps(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """`heldout.matching.jaccard.bitmaps` of the texts with these ascending indices."""
        result = np.empty((rows.size, BITMAP), np.uint64)
        self._put(rows, result, np.arange(rows.size))
        return result

    def put_bitmaps(self, rows: NDArray[np.int64], into: NDArray[np.uint64]) -> None:
        self._put(rows, into, rows)

    def _put(self, rows: NDArray[np.int64], into: NDArray[np.uint64], places: NDArray[np.int64]) -> None:
        order, numbers = self._in_store(rows)
        step = _TOGETHER if self.store.spilled else max(rows.size, 1)
        for low in range(0, rows.size, step):
            into[places[order[low : low + step]]] = self.store.bitmaps(numbers[low : low + step])

    def blocks(self, rows: NDArray[np.int64]) -> Iterator[Block]:
        """The texts of these inputs with their indices, as the store has them."""
        order, numbers = self._in_store(rows)
        for part, texts in self.store.blocks(numbers):
            yield rows[order[np.searchsorted(numbers, part)]], texts

    def fetch(self, rows: NDArray[np.int64]) -> NormalisedTexts:
        """The texts of these inputs, in that order; an input without text has an empty one."""
        with_text = rows[self.numbers[rows] >= 0]
        order, numbers = self._in_store(with_text)
        lengths = self.lengths[rows]
        offsets = np.zeros(rows.size + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        starts = offsets[np.searchsorted(rows, with_text)]
        points = np.zeros(int(offsets[-1]), np.uint8)
        for part, texts in self.store.blocks(numbers):
            if texts.codepoints.itemsize > points.itemsize:
                points = points.astype(texts.codepoints.dtype)
            places = starts[order[np.searchsorted(numbers, part)]]
            points[segments(places, texts.lengths)] = texts.codepoints
        return NormalisedTexts(points, offsets)

    def _in_store(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(order, ascending numbers): `rows[order]` have these numbers."""
        order = np.argsort(self.numbers[rows], kind="stable")
        return order, self.numbers[rows][order]
