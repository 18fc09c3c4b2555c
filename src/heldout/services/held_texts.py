"""Normalised texts in memory, in as few bytes a character as each needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.matching.width import narrowest

_ONE_BYTE = 255  # the last code point that fits into one

Block = tuple[NDArray[np.int64], NormalisedTexts]
"""Some texts and their ascending numbers."""


class HeldTexts:
    """Texts by number. `nbytes` is what they take.

    Texts that may never be looked at are held as they were read, and normalised each time somebody asks for them.
    """

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._raw: list[tuple[NDArray[np.int64], Sequence[str]]] = []
        self.nbytes = 0

    def add(self, numbers: NDArray[np.int64], texts: NormalisedTexts) -> None:
        """Texts with other numbers than those before. Those of one byte a character are kept apart from others."""
        wide = np.zeros(numbers.size, np.bool_)
        if texts.codepoints.itemsize > 1:
            filled = np.flatnonzero(texts.lengths)
            wide[filled] = np.maximum.reduceat(texts.codepoints, texts.offsets[filled]) > _ONE_BYTE
        for rows in (np.flatnonzero(~wide), np.flatnonzero(wide)):
            if rows.size:
                part = texts.take(rows)  # a copy, of no more than these texts
                points = narrowest(part.codepoints.astype(np.uint32)) if wide.any() else part.codepoints
                self._blocks.append((numbers[rows], NormalisedTexts(points, part.offsets)))
                self.nbytes += points.nbytes + part.offsets.nbytes + rows.nbytes

    def add_raw(self, numbers: NDArray[np.int64], texts: Sequence[str]) -> None:
        """Texts with other numbers than those before, as they were read."""
        if numbers.size:
            self._raw.append((numbers, texts))
            self.nbytes += sum(map(sys.getsizeof, texts)) + 16 * numbers.size

    def settle(self) -> None:
        """Normalise what is held as it was read."""
        raw, self._raw = self._raw, []
        for at, (numbers, texts) in enumerate(raw):
            raw[at] = numbers, ()  # each block is let go of once it is done
            self.nbytes -= sum(map(sys.getsizeof, texts)) + 16 * numbers.size
            self.add(numbers, normalise_batch(texts))

    def keep(self, wanted: Callable[[int], bool]) -> None:
        """Drop the blocks whose first number is not wanted."""
        self._blocks = [block for block in self._blocks if wanted(int(block[0][0]))]

    def blocks(self, numbers: NDArray[np.int64]) -> Iterator[Block]:
        """The texts with these ascending numbers, block by block."""
        for held, texts in self._blocks:
            low, high = np.searchsorted(numbers, (held[0], held[-1] + 1))
            wanted = numbers[low:high]
            places = np.searchsorted(held, wanted)
            same = held[places] == wanted
            wanted, places = wanted[same], places[same]
            if wanted.size == held.size:
                yield held, texts
            elif wanted.size:
                yield wanted, texts.take(places)
        for held, raw in self._raw:
            low, high = np.searchsorted(numbers, (held[0], held[-1] + 1))
            places = np.searchsorted(held, numbers[low:high])
            same = held[places] == numbers[low:high]
            if same.any():
                yield numbers[low:high][same], normalise_batch([raw[place] for place in places[same].tolist()])
