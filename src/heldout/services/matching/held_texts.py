"""Normalised texts in memory, in as few bytes a character as each needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.matching.width import narrowest

_TOGETHER = 1 << 20  # code points normalised at a time
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
        if texts.codepoints.itemsize == 1 and texts.offsets[0] == 0 and texts.codepoints.base is None:
            self._keep(numbers, texts)
            return
        wide = np.zeros(numbers.size, np.bool_)
        if texts.codepoints.itemsize > 1:
            filled = np.flatnonzero(texts.lengths)
            wide[filled] = np.maximum.reduceat(texts.codepoints, texts.offsets[filled]) > _ONE_BYTE
        for rows in (np.flatnonzero(~wide), np.flatnonzero(wide)):
            if rows.size:
                part = texts.take(rows)  # a copy, of no more than these texts
                points = narrowest(part.codepoints.astype(np.uint32)) if wide.any() else part.codepoints
                self._keep(numbers[rows], NormalisedTexts(points, part.offsets))

    def _keep(self, numbers: NDArray[np.int64], texts: NormalisedTexts) -> None:
        self._blocks.append((numbers, texts))
        self.nbytes += texts.codepoints.nbytes + texts.offsets.nbytes + numbers.nbytes

    def add_raw(self, numbers: NDArray[np.int64], texts: Sequence[str]) -> None:
        """Texts with other numbers than those before, as they were read."""
        if numbers.size:
            self._raw.append((numbers, texts))
            self.nbytes += _raw_bytes(numbers, texts)

    def settle(self) -> None:
        """Normalise what is held as it was read."""
        waiting, self._raw = self._raw[::-1], []
        while waiting:  # each block is let go of once it is done
            numbers, texts = waiting.pop()
            self.nbytes -= _raw_bytes(numbers, texts)
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
        yield from self._normalised(numbers)

    def _normalised(self, numbers: NDArray[np.int64]) -> Iterator[Block]:
        """Of what is held as it was read, some at a time."""
        wanted, texts, size = list[NDArray[np.int64]](), list[str](), 0
        for held, raw in self._raw:
            low, high = np.searchsorted(numbers, (held[0], held[-1] + 1))
            places = np.searchsorted(held, numbers[low:high])
            same = held[places] == numbers[low:high]
            if not same.any():
                continue
            wanted.append(numbers[low:high][same])
            chosen = [raw[place] for place in places[same].tolist()]
            texts += chosen
            size += sum(map(len, chosen))
            if size > _TOGETHER:
                yield np.concatenate(wanted), normalise_batch(texts)
                wanted, texts, size = [], [], 0
        if wanted:
            yield np.concatenate(wanted), normalise_batch(texts)


def _raw_bytes(numbers: NDArray[np.int64], texts: Sequence[str]) -> int:
    return sum(map(sys.getsizeof, texts)) + 16 * numbers.size
