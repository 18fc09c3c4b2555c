"""Families through the kernels: all against all while that is quick, as among near texts, else by rare shingles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels.on_pairs import tables

if TYPE_CHECKING:
    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_LOOKS = 2048  # pairs a text that are looked at before the lists of rare shingles are worth making
_COUNTED = 22  # bits of a hash by which shingles are counted
_LISTS = 22  # and by which they have lists


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
    waiters, state = np.full(classes, count, np.int64), np.zeros(2, np.int64)
    out = np.empty((4, count * classes), np.int64)
    own, marks = np.ascontiguousarray(columns).view(np.uint8), np.ascontiguousarray(bitmaps)
    room = (np.zeros(count, np.int32), np.full(count, -1, np.int64), *tables(int(texts.lengths.max(initial=0))))
    found = kernels.family(
        texts.codepoints, texts.offsets, count, own, classes, marks, *threshold, waiting, waiters, *room, out,
        count * classes, count * _LOOKS, state,
    )  # fmt: skip
    if state[0] < count:
        waits = np.zeros((classes, count), np.uint8)
        for one, places, size in zip(waits, waiting, waiters.tolist(), strict=True):
            one[places[:size]] = 1
        lists = _by_rare_shingles(kernels, texts, threshold)
        found = kernels.family_by_lists(
            texts.codepoints, texts.offsets, state[0], count, own, classes, marks, *threshold, waits, *lists, *room,
            state[1], out, count * classes, found,
        )  # fmt: skip
    return out[:, :found]


def _by_rare_shingles(
    kernels: Kernels, texts: NormalisedTexts, threshold: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """(lists of the texts one after the other, their ends, where each list begins, its texts)."""
    num, den = threshold
    longest, count = int(texts.lengths.max(initial=0)), len(texts)
    points, counts = np.empty(longest + 8, np.uint32), np.zeros(1 << _COUNTED, np.int32)
    flat = (texts.codepoints, texts.offsets, count, points, counts, 64 - _COUNTED)
    kernels.count_grams(*flat)
    most = int(((den - num) * texts.lengths // den + 1).sum())
    lists, ends = np.empty(most, np.int32), np.empty(count, np.int64)
    used = kernels.first_grams(*flat, *threshold, (1 << _LISTS) - 1, np.empty(longest + 8, np.uint64), lists, ends)
    heads, members = np.zeros((1 << _LISTS) + 2, np.int64), np.empty(used, np.int32)
    kernels.in_lists(lists, ends, count, heads, 1 << _LISTS, members)
    return lists, ends, heads, members
