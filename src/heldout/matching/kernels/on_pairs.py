"""Candidate pairs through the kernels: joined from band keys, verified, and resolved in families."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import in_threads
from heldout.matching.kernels.on_texts import even

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.matching.bands import Band, BandIndex
    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_PAIRS = 1 << 18  # pairs a band holds before they are handed on
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


class _Tables(NamedTuple):
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


def _tables(longest: int) -> _Tables:
    size = 1 << max(2 * longest, 16).bit_length()
    ints, room = (size, np.int32), longest + 8
    return _Tables(
        np.empty(room, np.uint32), np.empty(room, np.uint32),
        np.empty(size, np.uint64), np.zeros(*ints), np.empty(*ints), np.zeros(*ints),
        np.empty(size, np.uint64), np.zeros(*ints), np.empty(*ints), size - 1,
    )  # fmt: skip


def verified(
    kernels: Kernels, texts: NormalisedTexts, a: NDArray[np.int64], b: NDArray[np.int64], threshold: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(intersection or -1, union) of each pair."""
    order = np.lexsort((b, a))
    left, right = np.ascontiguousarray(a[order], np.int64), np.ascontiguousarray(b[order], np.int64)
    shared, union = np.empty(a.size, np.int64), np.empty(a.size, np.int64)
    lengths = texts.lengths
    distinct = np.full(len(texts), -1, np.int64)

    def run(low: int, high: int) -> int:
        longest = int(max(lengths[left[low:high]].max(), lengths[right[low:high]].max()))
        return kernels.verify(
            texts.codepoints, texts.offsets, left[low:high], right[low:high], high - low, *threshold, distinct,
            *_tables(longest), shared[low:high], union[low:high],
        )  # fmt: skip

    in_threads(run, even(a.size, _VERIFIED))
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return shared[back], union[back]


def family(
    kernels: Kernels,
    texts: NormalisedTexts,
    columns: NDArray[np.bool_],
    bitmaps: NDArray[np.uint64],
    threshold: tuple[int, int],
) -> NDArray[np.int64]:
    """Partner pairs of a family, its texts alone in `texts`, as rows (x, y, shared, union) of positions."""
    count, classes = columns.shape
    waiting = np.tile(np.arange(count, dtype=np.int32), (classes, 1))
    waiters = np.full(classes, count, np.int64)
    out = np.empty((4, count * classes), np.int64)
    found = kernels.family(
        texts.codepoints, texts.offsets, count, np.ascontiguousarray(columns).view(np.uint8), classes,
        np.ascontiguousarray(bitmaps), *threshold, waiting, waiters, np.zeros(count, np.int32),
        np.full(count, -1, np.int64), *_tables(int(texts.lengths.max(initial=0))), out, count * classes,
    )  # fmt: skip
    return out[:, :found]
