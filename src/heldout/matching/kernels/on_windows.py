"""Containment through the kernels: which texts stand whole inside others, by an anchor of each.

Any window of a text will do as its anchor; a rare one saves comparisons. Windows are counted by a sample that depends
on their characters only, one in eight, so a text whose rarest sample occurs once stands nowhere else and needs no look
at the others: in most pools that is nearly every text. Texts that have no sample, or so many whose samples all occur so
often that to compare them everywhere would take long, get their rarest window by a second count of theirs alone. A pool
of short texts is counted in full at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import in_threads, threads
from heldout.matching.ragged import offsets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_SAMPLED = 7  # the bits of a hash that are 0 in a sample
_FEW_WINDOWS = 128  # a text of fewer may have no sample
_OFTEN = 16
_MOST = 255  # where counts end
_PIECE = 1 << 20  # samples looked at together
_ROOM = 1 << 14  # matches held before they are handed on


class _Samples(NamedTuple):
    rate: int
    values: NDArray[np.uint32]
    offsets: NDArray[np.int64]


class _Anchors(NamedTuple):
    """Texts that may stand elsewhere; `hashes` are of the windows `shifts` into them."""

    rate: int
    texts: NDArray[np.int64]
    shifts: NDArray[np.int64]
    hashes: NDArray[np.uint64]


def matches(
    kernels: Kernels, texts: NormalisedTexts, length: int, wanted: NDArray[np.bool_]
) -> Iterator[NDArray[np.int64]]:
    """Blocks of (short, long, position code, offset) of all pairs whose short text is wanted, each pair once."""
    long_enough = texts.lengths >= length
    wanted = wanted & long_enough
    if not wanted.any():
        return
    samples = _sampled(kernels, texts, length, long_enough)
    best, chosen = _rarest_samples(kernels, samples, wanted)
    rare = best > 1
    if samples.rate:
        rare &= (best <= _OFTEN) | _affordable(samples, wanted & (best > _OFTEN), best, chosen)
        others = np.flatnonzero(wanted & ~rare & (best != 1))
        yield from _found(kernels, texts, length, _second_choice(kernels, texts, length, others), samples)
    places = np.flatnonzero(rare)
    shifts, hashes = np.zeros(places.size, np.int64), np.zeros(places.size, np.uint64)
    kernels.locate(
        texts.codepoints, texts.offsets, places, places.size, length, samples.rate, chosen[places], shifts, hashes
    )
    yield from _found(kernels, texts, length, _Anchors(samples.rate, places, shifts, hashes), samples)


def _sampled(kernels: Kernels, texts: NormalisedTexts, length: int, long_enough: NDArray[np.bool_]) -> _Samples:
    windows = np.where(long_enough, texts.lengths - length + 1, 0)
    rate = _SAMPLED if windows.sum() > _FEW_WINDOWS * long_enough.sum() else 0

    def run(low: int, high: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        values, ends = np.empty(int(windows[low:high].sum()) + 1, np.uint32), np.empty(high - low, np.int64)
        size = kernels.sample(texts.codepoints, texts.offsets, low, high, length, rate, values, ends)
        return values[:size].copy(), np.diff(ends, prepend=0)

    parts = in_threads(run, list(texts.blocks(1 << 20)))
    return _Samples(
        rate, np.concatenate([values for values, _ in parts]), offsets_of(np.concatenate([own for _, own in parts]))
    )


def _rarest_samples(
    kernels: Kernels, samples: _Samples, wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """How often each wanted text's rarest sample occurs, up to 255 (0: it has none), and the sample."""
    bits = min(max(samples.values.size.bit_length() + 1, 10), 26)
    counts = np.zeros(1 << bits, np.uint8)
    kernels.tally(samples.values, samples.values.size, 32 - bits, counts)
    best, chosen = np.empty(wanted.size, np.uint8), np.empty(wanted.size, np.uint32)
    mask = np.ascontiguousarray(wanted).view(np.uint8)
    kernels.choose(samples.values, samples.offsets, wanted.size, mask, 32 - bits, counts, best, chosen)
    return best, chosen


def _affordable(
    samples: _Samples, often: NDArray[np.bool_], best: NDArray[np.uint8], chosen: NDArray[np.uint32]
) -> bool:
    """Whether comparing these texts wherever their samples occur takes less time than counting anew."""
    budget = samples.values.size // 4
    if int(best[often].sum(dtype=np.int64)) > budget:
        return False
    values, texts = np.unique(chosen[often & (best == _MOST)], return_counts=True)
    if not values.size:
        return True
    marked = np.zeros(1 << 24, np.bool_)
    marked[values >> np.uint32(8)] = True
    total = 0
    for low in range(0, samples.values.size, _PIECE):
        part = samples.values[low : low + _PIECE]
        part = part[marked[part >> np.uint32(8)]]
        places = np.minimum(np.searchsorted(values, part), values.size - 1)
        total += int(texts[places[values[places] == part]].sum())
        if total > budget:
            return False
    return True


def _second_choice(kernels: Kernels, texts: NormalisedTexts, length: int, places: NDArray[np.int64]) -> _Anchors:
    """The rarest of all windows of these texts, of which the windows are counted wherever they occur."""
    count = places.size
    times, shifts, hashes = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint64)
    if count:
        marked, bits = _marked(kernels, texts, length, places)
        counted = min(bits + 3, 24)

        def run(low: int, high: int) -> NDArray[np.int32]:
            counts = np.zeros(1 << counted, np.int32)
            kernels.tally_marked(
                texts.codepoints, texts.offsets, low, high, length, 64 - bits, marked, 64 - counted, counts
            )
            return counts

        budget = max(1 << 20, texts.codepoints.size // threads() + 1)
        counts = np.sum(in_threads(run, list(texts.blocks(budget))), axis=0, dtype=np.int32)
        kernels.rarest(
            texts.codepoints, texts.offsets, places, count, length, 64 - counted, counts, times, shifts, hashes
        )
    kept = times > 1
    return _Anchors(0, places[kept], shifts[kept], hashes[kept])


def _marked(
    kernels: Kernels, texts: NormalisedTexts, length: int, places: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], int]:
    """A filter of the windows of these texts, and the bits of a hash that it takes.

    Texts of one template have most windows in common. The filter is made again in the size that the distinct ones
    need, so that all texts can be held against it within the processor's cache.
    """
    bits = min(max(int((texts.lengths[places] - length + 1).sum()).bit_length() + 1, 10), 28)
    marked = np.zeros(1 << (bits - 6), np.uint64)
    kernels.mark(texts.codepoints, texts.offsets, places, places.size, length, 64 - bits, marked)
    fewer = max(int(np.bitwise_count(marked).sum()).bit_length() + 5, 10)
    if fewer < bits:
        bits, marked = fewer, np.zeros(1 << (fewer - 6), np.uint64)
        kernels.mark(texts.codepoints, texts.offsets, places, places.size, length, 64 - bits, marked)
    return marked, bits


def _found(
    kernels: Kernels, texts: NormalisedTexts, length: int, anchors: _Anchors, samples: _Samples
) -> Iterator[NDArray[np.int64]]:
    """What stands where the anchors occur."""
    if not anchors.texts.size:
        return
    order = np.argsort(anchors.hashes, kind="stable")
    shorts, shifts = anchors.texts[order], anchors.shifts[order]
    hashes, starts, sizes = np.unique(anchors.hashes[order], return_index=True, return_counts=True)
    mask = (1 << (2 * hashes.size).bit_length()) - 1
    # The upper three bits of a sample are 0.
    bits = min(max(hashes.size.bit_length() + 4, 10), 24) + (3 if anchors.rate else 0)
    slots, filter_ = np.full(mask + 1, -1, np.int32), np.zeros(1 << (bits - 6), np.uint64)
    kernels.index(hashes, hashes.size, slots, mask, 64 - bits, filter_)

    def run(low: int, high: int) -> list[NDArray[np.int64]]:
        state, found, room = np.array([low], np.int64), [], _ROOM
        row_of = np.full(len(texts), -1, np.int64)
        while state[0] < high:
            before, out = int(state[0]), np.empty((4, room), np.int64)
            size = kernels.occurrences(
                texts.codepoints, texts.offsets, state, high, length, anchors.rate, samples.values, samples.offsets,
                64 - bits, filter_, slots, mask, hashes, starts, sizes, shorts, shifts, row_of, out, room,
            )  # fmt: skip
            if size:
                found.append(out[:, :size].copy())
            elif state[0] == before:
                room *= 2
        return found

    budget = max(1 << 20, texts.codepoints.size // (4 * threads()))
    for parts in in_threads(run, list(texts.blocks(budget))):
        yield from parts
