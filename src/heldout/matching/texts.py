"""Normalised texts as one flat array of code points: the form every matching step reads.

What is left after normalisation are letters, numbers and spaces, so most pools fit into one byte a character.

The definition is `heldout.domain.text.normalise`; this computes the same for a batch. ASCII texts, most of them in
practice, never pass through Python's Unicode functions; the collapsing of runs is arithmetic over the whole batch.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.domain.text import drop_unassigned
from heldout.domain.unicode14 import ASSIGNED, LETTERS_AND_NUMBERS, ranges
from heldout.matching.folding import Folding
from heldout.matching.kernels import kernels_for
from heldout.matching.ragged import blocks, offsets_of, segments
from heldout.matching.width import CodePoint, narrowest

if TYPE_CHECKING:
    from heldout.matching.kernels.loader import Kernels

__all__ = ["CodePoint", "NormalisedTexts", "normalise_batch"]

_CODE_POINTS = 0x110000
_BLOCK = 1 << 22  # code points normalised at a time, about 100 MB of working memory
_TAKEN = 1 << 18  # code points copied at a time: their positions take eight times the room
_SPACE = 32
_CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}  # no surrogates: they are not letters


@dataclass(frozen=True, slots=True)
class NormalisedTexts:
    """n texts. `codepoints` holds all texts one after the other; `offsets` int64 has n + 1 boundaries.

    Code points are uint8, uint16 or uint32, whichever is the narrowest that holds them all.
    """

    codepoints: NDArray[CodePoint]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Code points of each text; 0 is a text that says nothing and is never near another."""
        return np.diff(self.offsets)

    def text(self, index: int) -> str:
        points = self.codepoints[self.offsets[index] : self.offsets[index + 1]]
        return points.tobytes().decode(_CODECS[points.itemsize])

    def part(self, low: int, high: int) -> NormalisedTexts:
        """Texts [low, high), sharing memory."""
        first = self.offsets[low]
        return NormalisedTexts(self.codepoints[first : self.offsets[high]], self.offsets[low : high + 1] - first)

    def take(self, rows: NDArray[np.int64]) -> NormalisedTexts:
        """A copy of the texts with these indices, in their order."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        points = np.empty(int(offsets[-1]), self.codepoints.dtype)
        for low, high in blocks(lengths, _TAKEN):
            places = segments(self.offsets[rows[low:high]], lengths[low:high])
            np.take(self.codepoints, places, out=points[offsets[low] : offsets[high]])
        return NormalisedTexts(points, offsets)

    def blocks(self, budget: int) -> Iterator[tuple[int, int]]:
        """Ranges of texts with at most `budget` code points each (one text at least)."""
        return blocks(self.lengths, budget)


def normalise_batch(texts: Sequence[str]) -> NormalisedTexts:
    """`heldout.domain.text.normalise` of every text, in order."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    kernels = kernels_for(int(sizes.sum()), fresh=True)
    if kernels is not None:
        return _normalised_by(kernels, texts)
    parts = [_normalise_block(texts[low:high]) for low, high in blocks(sizes, _BLOCK)]
    if not parts:
        return NormalisedTexts(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    lengths = np.concatenate([part.lengths for part in parts])
    return NormalisedTexts(np.concatenate([part.codepoints for part in parts]), offsets_of(lengths))


def _normalised_by(kernels: Kernels, texts: Sequence[str]) -> NormalisedTexts:
    from heldout.matching.kernels.on_texts import normalised_blocks

    # Put together as they come: blocks that waited for the last one would be fresh memory twice, which costs more than
    # the work where a machine has to be given it. What is not written of an empty array is no memory.
    points: NDArray[CodePoint] = np.empty(sum(map(len, texts)), np.uint8)
    lengths, size = [np.zeros(0, np.int64)], 0
    for block, ends in normalised_blocks(kernels, texts, _folding, _folded):
        end, kind = size + block.size, np.promote_types(points.dtype, block.dtype)
        if kind != points.dtype or end > points.size:
            before, points = points, np.empty(max(points.size, 2 * end if end > points.size else 0), kind)
            points[:size] = before[:size]
        points[size:end] = block
        size = end
        lengths.append(np.diff(ends, prepend=0))
    return NormalisedTexts(points[:size], offsets_of(np.concatenate(lengths)))


def _normalise_block(texts: Sequence[str]) -> NormalisedTexts:
    folded = _fold(texts)
    points = _encode(folded)
    offsets = offsets_of(np.fromiter(map(len, folded), np.int64, len(folded)))
    mapped = _letters()[points]
    kept = np.flatnonzero(mapped)
    # Row boundaries counted in kept characters; a kept character that opens its text never takes a space before it.
    bounds = np.searchsorted(kept, offsets)
    spaced = np.zeros(kept.size, np.bool_)
    spaced[1:] = np.diff(kept) > 1
    opening = bounds[:-1]
    spaced[opening[opening < bounds[1:]]] = False
    spaces = np.cumsum(spaced)
    out = np.full(kept.size + int(spaced.sum()), _SPACE, np.uint32)
    out[np.arange(kept.size) + spaces] = mapped[kept]
    return NormalisedTexts(narrowest(out), bounds + np.concatenate(([0], spaces))[bounds])


def _fold(texts: Sequence[str]) -> list[str]:
    """NFKC and lower case of the texts that are not ASCII; the letter table lowers the ASCII ones."""
    folded = list(texts)
    wide = [index for index, text in enumerate(folded) if not text.isascii()]
    if not wide:
        return folded
    lengths = np.fromiter((len(folded[index]) for index in wide), np.int64, len(wide))
    unassigned = ~_assigned()[_encode([folded[index] for index in wide])]
    strange = np.add.reduceat(unassigned, offsets_of(lengths)[:-1], dtype=np.int64) > 0
    for index, drop in zip(wide, strange.tolist(), strict=True):
        folded[index] = _folded(folded[index]) if drop else unicodedata.normalize("NFKC", folded[index]).lower()
    return folded


def _folded(text: str) -> str:
    kept = text if _assigned()[_encode([text])].all() else drop_unassigned(text)
    return unicodedata.normalize("NFKC", kept).lower()


@cache
def _folding() -> Folding:
    return Folding(_letters(), _assigned())


def _encode(texts: Sequence[str]) -> NDArray[np.uint32]:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.dtype("<u4")).astype(
        np.uint32, copy=False
    )


@cache
def _letters() -> NDArray[np.uint32]:
    """For each code point itself where it is a letter or number, else 0; ASCII capitals map to small letters."""
    table = np.where(_members(LETTERS_AND_NUMBERS), np.arange(_CODE_POINTS, dtype=np.uint32), np.uint32(0))
    table[ord("A") : ord("Z") + 1] += np.uint32(32)
    return table


@cache
def _assigned() -> NDArray[np.bool_]:
    return _members(ASSIGNED)


def _members(table: str) -> NDArray[np.bool_]:
    members = np.zeros(_CODE_POINTS, np.bool_)
    for first, last in ranges(table):
        members[first : last + 1] = True
    return members
