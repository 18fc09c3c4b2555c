"""Hashes of a fifth of a text's short pieces: enough to say, without the text, that it can neither stand in another nor
hold it.

As `heldout.matching.minimisers`, after Schleimer, Wilkerson and Aiken (2003): of every window of the guard length the
piece of 8 code points with the smallest hash is kept. A text that stands whole in another has all its windows there, so
whatever is kept of it is kept of the other too. The other way round proves nothing: hashes have 32 bits, and code
points beyond a byte are folded into one. What is proposed here has to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import kernels_for
from heldout.matching.ragged import distinct, offsets_of, segments
from heldout.matching.texts import NormalisedTexts

PIECE = 8  # code points, a byte each

_BLOCK = 1 << 16  # code points at a time: what is made of them stays in the processor's cache
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint32(0x9E3779B1)


@dataclass(frozen=True, slots=True)
class Winnowed:
    """What is kept of some texts, in any order: `counts[i]` values (uint32) belong to the text `owners[i]`, as many of
    them in `values` as come before it. Texts shorter than the window have none and are not among the owners."""

    owners: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    values: NDArray[np.uint32]

    def only(self, place: NDArray[np.int64]) -> Winnowed:
        """Of the texts whose `place` is not negative, under that number."""
        moved = place[self.owners]
        kept = moved >= 0
        return Winnowed(moved[kept].astype(np.uint32), self.counts[kept], self.values[np.repeat(kept, self.counts)])

    def of(self, positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(how many, which of `values`) belong to the owners at these positions."""
        counts = self.counts.astype(np.int64)
        firsts = np.cumsum(counts) - counts
        return counts[positions], segments(firsts[positions], counts[positions])


@dataclass(frozen=True, slots=True)
class Rarity:
    """How often values occur, counted by their upper bits (`times`, a power of two of them, up to 255): never less than
    a value's own number below that. `anchors[i]` is the rarest value of the i-th owner."""

    times: NDArray[np.uint8]
    anchors: NDArray[np.uint32]

    @classmethod
    def of(cls, pieces: Winnowed) -> Rarity:
        bits = min(max(pieces.values.size.bit_length() - 1, 10), 26)
        kernels = kernels_for(pieces.values.size)
        if kernels is None:
            tally = np.bincount(pieces.values >> np.uint32(32 - bits), minlength=1 << bits)
            times = np.minimum(tally, 255).astype(np.uint8)
        else:
            times = np.zeros(1 << bits, np.uint8)
            kernels.tally(np.ascontiguousarray(pieces.values), pieces.values.size, 32 - bits, times)
        return cls(times, _rarest(times, pieces)[1])

    def rarest(self, pieces: Winnowed) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """(how often, value) of the rarest value of each owner, by what was counted here."""
        return _rarest(self.times, pieces)


def _rarest(times: NDArray[np.uint8], pieces: Winnowed) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """The first of equally rare ones."""
    size, count = pieces.values.size, pieces.owners.size
    if not size:
        return np.zeros(0, np.uint8), np.zeros(0, np.uint32)
    drop, offsets = 33 - times.size.bit_length(), offsets_of(pieces.counts)
    kernels = kernels_for(size)
    if kernels is None:
        ranked = times[pieces.values >> np.uint32(drop)].astype(np.int64) << np.int64(40) | np.arange(size)
        lowest = np.minimum.reduceat(ranked, offsets[:-1])
        return (lowest >> np.int64(40)).astype(np.uint8), pieces.values[lowest & np.int64((1 << 40) - 1)]
    best, chosen = np.empty(count, np.uint8), np.empty(count, np.uint32)
    every, values = np.ones(count, np.uint8), np.ascontiguousarray(pieces.values)
    kernels.choose(values, offsets, count, every, drop, times, best, chosen)
    return best, chosen


def winnowed(texts: NormalisedTexts, owners: NDArray[np.int64], window: int) -> Winnowed:
    """Of every window of `window` code points that lies in one text; `owners` are numbers of the texts."""
    if window < PIECE:
        raise ValueError(f"a window has {PIECE} code points at least")
    counts, parts = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)]
    for low, high in texts.blocks(_BLOCK):
        values, own = _lowest(texts.part(low, high), window)
        counts.append(own)
        parts.append(values)
    every = np.concatenate(counts)
    filled = every > 0
    return Winnowed(owners[filled].astype(np.uint32), every[filled].astype(np.uint32), np.concatenate(parts))


def joined(parts: Sequence[Winnowed]) -> Winnowed:
    """All of them in one."""
    none = np.zeros(0, np.uint32)
    return Winnowed(
        np.concatenate([none, *(part.owners for part in parts)]),
        np.concatenate([none, *(part.counts for part in parts)]),
        np.concatenate([none, *(part.values for part in parts)]),
    )


def _lowest(texts: NormalisedTexts, window: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """(values, how many of each text): each run of windows with the same lowest hash once."""
    size = texts.codepoints.size
    if size < window:
        return np.zeros(0, np.uint32), np.zeros(len(texts), np.int64)
    flat = np.ascontiguousarray(_bytes(texts))
    pieces = np.ndarray((size - PIECE + 1,), np.uint64, flat.data, 0, (1,))
    # The upper half of a product by an odd number: the only half in which each byte of the piece counts.
    hashes = np.ascontiguousarray((pieces * _FACTOR).view(np.uint32)[1::2])
    lowest, reach = hashes, 1
    while reach < window - PIECE + 1:
        step = min(reach, window - PIECE + 1 - reach)
        lowest, reach = np.minimum(lowest[:-step], lowest[step:]), reach + step
    kept = np.ones(size, np.bool_)
    np.not_equal(lowest[1:], lowest[:-1], out=kept[1 : lowest.size])
    kept[texts.offsets[:-1][texts.lengths > 0]] = True
    tails = np.minimum(texts.lengths, window - 1)  # windows that begin there cross into the next text
    kept[segments(texts.offsets[1:] - tails, tails)] = False
    places = np.flatnonzero(kept)
    return lowest[places], np.diff(np.searchsorted(places, texts.offsets))


def _bytes(texts: NormalisedTexts) -> NDArray[np.uint8]:
    points = texts.codepoints
    if points.itemsize == 1:
        return points.astype(np.uint8, copy=False)
    wide = points.astype(np.uint32)
    folded = np.where(wide < 256, wide, (wide * _FOLD) >> np.uint32(24))
    return folded.astype(np.uint8)


def may_stand_in(old: Winnowed, rarity: Rarity, new: Winnowed) -> NDArray[np.int64]:
    """Ascending positions of the old owners that may stand in one of the new texts: those of which each value is one of
    theirs. One is asked for first, the rarest."""
    known = distinct(new.values)
    likely = np.flatnonzero(_among(rarity.anchors, known))
    counts, places = old.of(likely)
    if not likely.size:
        return likely
    whole = np.logical_and.reduceat(_among(old.values[places], known), np.cumsum(counts) - counts)
    return likely[whole]


def may_hold(old: Winnowed, rarity: Rarity, new: Winnowed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (position of an old owner, position of a new one) in which the new text may stand in the old: the old one
    has the rarest of its values."""
    times, values = rarity.rarest(new)
    asked = np.flatnonzero(times)
    asked = asked[np.argsort(values[asked], kind="stable")]
    wanted = values[asked]
    places = np.flatnonzero(_among(old.values, distinct(wanted)))
    low = np.searchsorted(wanted, old.values[places])
    sizes = np.searchsorted(wanted, old.values[places], side="right") - low
    holder = np.searchsorted(np.cumsum(old.counts, dtype=np.int64), places, side="right")
    return np.repeat(holder, sizes), asked[segments(low, sizes)]


def _among(values: NDArray[np.uint32], known: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of the values are known; `known` ascends. A table of bits refuses nearly all others."""
    found = np.zeros(values.size, np.bool_)
    if not known.size:
        return found
    bits = min(max(known.size.bit_length() + 5, 10), 24)
    drop = np.uint32(32 - bits)
    marked = np.zeros(1 << bits, np.bool_)
    marked[known >> drop] = True
    likely = np.concatenate(
        [low + np.flatnonzero(marked[values[low : low + _BLOCK] >> drop]) for low in range(0, values.size, _BLOCK)]
        or [np.zeros(0, np.int64)]
    )
    at = np.minimum(np.searchsorted(known, values[likely]), known.size - 1)
    found[likely[known[at] == values[likely]]] = True
    return found
