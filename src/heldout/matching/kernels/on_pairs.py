"""Candidate pairs through the kernels: joined from band keys, and verified."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import in_threads
from heldout.matching.kernels.on_texts import even
from heldout.matching.ragged import offsets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.matching.bands import Band, BandIndex
    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_PAIRS = 1 << 18  # pairs a band holds before they are handed on
_LONG = 2048  # shingle positions from which bitmaps of 1,024 bits say little
_VERIFIED = 1 << 12  # pairs one thread verifies at a time

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def grouped(
    kernels: Kernels, keys: NDArray[np.uint64], present: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """(members, starts, sizes) of the buckets of each band, as `heldout.matching.bands.Band` has them."""
    bits = min(max(int(present.size).bit_length(), 4), 24)

    def run(band: int, _: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        heads = np.zeros((1 << bits) + 1, np.int32)
        slots, members = np.empty(present.size, np.int64), np.empty(present.size + 1, np.int64)
        starts, sizes = np.empty(present.size // 2 + 1, np.int64), np.empty(present.size // 2 + 1, np.int64)
        row = np.ascontiguousarray(keys[band])
        found = kernels.group(row, present, present.size, 64 - bits, heads, slots, members, starts, sizes)
        used = int(starts[found - 1] + sizes[found - 1]) if found else 0
        return members[:used].copy(), starts[:found].copy(), sizes[:found].copy()

    return in_threads(run, [(band, band + 1) for band in range(keys.shape[0])])


def candidates(
    kernels: Kernels,
    index: BandIndex,
    opened: list[Band],
    bitmaps: NDArray[np.uint64],
    positions: NDArray[np.int64],
    threshold: tuple[int, int],
) -> Iterator[Pairs]:
    """Blocks of pairs of `BandIndex.candidates` that the bitmaps admit.

    `opened` are the bands without buckets that lie in one family. `bitmaps` and `positions` cover every text, with
    anything for those in no bucket.
    """
    keys = np.ascontiguousarray(index.keys)

    def run(number: int, _: int) -> list[Pairs]:
        band, found = opened[number], []
        room = max(_PAIRS, 2 * int(band.sizes.max(initial=0)))
        state = np.zeros(2, np.int64)
        while state[0] < band.starts.size:
            a, b = np.empty(room, np.int64), np.empty(room, np.int64)
            size = kernels.join(
                band.members, band.starts, band.sizes, band.starts.size, keys, number, keys.shape[1], index.family,
                bitmaps, positions, *threshold, state, a, b, room,
            )  # fmt: skip
            found.append((np.minimum(a[:size], b[:size]), np.maximum(a[:size], b[:size])))
        return found

    for parts in in_threads(run, [(number, number + 1) for number in range(len(opened))]):
        yield from parts


class Tables(NamedTuple):
    """Room for two texts and their shingle sets, in the order in which the kernels take it."""

    own: NDArray[np.uint32]
    points: NDArray[np.uint32]
    names: NDArray[np.uint64]
    stamps: NDArray[np.int32]
    places: NDArray[np.int32]
    seen: NDArray[np.int32]
    names2: NDArray[np.uint64]
    stamps2: NDArray[np.int32]
    places2: NDArray[np.int32]
    mask: int


def tables(longest: int) -> Tables:
    size = 1 << max(2 * longest, 16).bit_length()
    ints, room = (size, np.int32), longest + 8
    return Tables(
        np.empty(room, np.uint32), np.empty(room, np.uint32),
        np.empty(size, np.uint64), np.zeros(*ints), np.empty(*ints), np.zeros(*ints),
        np.empty(size, np.uint64), np.zeros(*ints), np.empty(*ints), size - 1,
    )  # fmt: skip


def verified(
    kernels: Kernels, texts: NormalisedTexts, a: NDArray[np.int64], b: NDArray[np.int64], threshold: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(intersection or -1, union) of each pair."""
    lengths = texts.lengths
    distinct = np.full(len(texts), -1, np.int64)
    likely = _admitted(kernels, texts, a, b, threshold, distinct)
    order = likely[np.lexsort((b[likely], a[likely]))]
    left, right = np.ascontiguousarray(a[order], np.int64), np.ascontiguousarray(b[order], np.int64)
    shared, union = np.empty(order.size, np.int64), np.empty(order.size, np.int64)

    def run(low: int, high: int) -> int:
        longest = int(max(lengths[left[low:high]].max(), lengths[right[low:high]].max()))
        return kernels.verify(
            texts.codepoints, texts.offsets, left[low:high], right[low:high], high - low, *threshold, distinct,
            *tables(longest), shared[low:high], union[low:high],
        )  # fmt: skip

    in_threads(run, even(order.size, _VERIFIED))
    all_shared, all_union = np.full(a.size, -1, np.int64), np.zeros(a.size, np.int64)
    all_shared[order], all_union[order] = shared, union
    return all_shared, all_union


def _admitted(
    kernels: Kernels,
    texts: NormalisedTexts,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    threshold: tuple[int, int],
    distinct: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Ascending positions of the pairs that may be near; `distinct` gets sizes of sets that were counted for it.

    The bitmaps that candidates passed have 1,024 bits, which a long document fills. Pairs of such documents are held
    against bitmaps of two to four bits a shingle first: a quarter to half a byte a code point, and as lossless. A
    document that repeats itself has fewer shingles than positions, and differs in fewer: where many pairs are left of
    few documents, these are counted, and bound the pairs anew.
    """
    positions = np.maximum(texts.lengths - 4, 0)
    pairs = np.flatnonzero((positions[a] >= _LONG) & (positions[b] >= _LONG))
    rows = np.unique(np.concatenate([a[pairs], b[pairs]]))
    if pairs.size <= 2 * rows.size:
        return np.arange(a.size, dtype=np.int64)
    marks = _marks(kernels, texts, rows, positions[rows])
    left, right = np.searchsorted(rows, a[pairs]), np.searchsorted(rows, b[pairs])
    kept = np.flatnonzero(_differ_little(kernels, left, right, marks, positions[rows], threshold))
    counted = np.unique(np.concatenate([left[kept], right[kept]]))
    if kept.size > 2 * counted.size:
        _count(kernels, texts, rows[counted], distinct)
        kept = kept[_differ_little(kernels, left[kept], right[kept], marks, distinct[rows], threshold)]
    refused = np.zeros(a.size, np.bool_)
    refused[pairs] = True
    refused[pairs[kept]] = False
    return np.flatnonzero(~refused)


def _marks(
    kernels: Kernels, texts: NormalisedTexts, rows: NDArray[np.int64], positions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Where the bitmap of each of these texts, of so many shingle positions, starts, and the words of all."""
    sizes = np.array([1 << int(count).bit_length() for count in (positions // 32).tolist()], np.int64)
    starts = offsets_of(sizes)
    bitmaps = np.empty(int(starts[-1]), np.uint64)

    def fill(low: int, high: int) -> int:
        room = np.empty(int(texts.lengths[rows[low:high]].max()) + 8, np.uint32)
        return kernels.spread(texts.codepoints, texts.offsets, rows, low, high, room, starts, bitmaps)

    in_threads(fill, even(rows.size, 64))
    return starts, bitmaps


def _differ_little(
    kernels: Kernels,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    marks: tuple[NDArray[np.int64], NDArray[np.uint64]],
    most: NDArray[np.int64],
    threshold: tuple[int, int],
) -> NDArray[np.bool_]:
    """Which pairs of bitmaps may be near; of each, `most` is no less than the size of its set."""
    keep = np.empty(a.size, np.uint8)

    def admit(low: int, high: int) -> int:
        return kernels.admit(a[low:high], b[low:high], high - low, *marks, most, *threshold, keep[low:high])

    in_threads(admit, even(a.size, _VERIFIED))
    return keep.astype(np.bool_)


def _count(kernels: Kernels, texts: NormalisedTexts, rows: NDArray[np.int64], distinct: NDArray[np.int64]) -> None:
    """Put the sizes of the sets of these texts to their places in `distinct`."""

    def run(low: int, high: int) -> int:
        own, _, names, stamps, places, *_, mask = tables(int(texts.lengths[rows[low:high]].max()))
        return kernels.sizes(
            texts.codepoints, texts.offsets, rows, low, high, own, names, stamps, places, mask, distinct
        )

    in_threads(run, even(rows.size, 64))
