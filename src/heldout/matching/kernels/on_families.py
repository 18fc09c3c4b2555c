"""Families through the kernels: all against all while that is quick, as among near texts, else by parts of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels.on_pairs import tables

if TYPE_CHECKING:
    from heldout.matching.kernels.loader import Kernels
    from heldout.matching.texts import NormalisedTexts

_LOOKS = 512  # pairs a text that are looked at before lists of texts that share a part are worth making
_MET = 26  # bits of a hash by which parts are counted
_LISTS = 22  # and by which they have lists


def family(
    kernels: Kernels,
    texts: NormalisedTexts,
    columns: NDArray[np.bool_],
    bitmaps: NDArray[np.uint64],
    threshold: tuple[int, int],
) -> NDArray[np.int64]:
    """Partner pairs of a family, its texts alone in `texts`, as rows (x, y, shared, union) of positions."""
    found, lists = _tried(kernels, texts, columns, bitmaps, threshold, _LOOKS)
    return found if lists else _tried(kernels, texts, columns, bitmaps, threshold, len(texts))[0]


def _tried(
    kernels: Kernels,
    texts: NormalisedTexts,
    columns: NDArray[np.bool_],
    bitmaps: NDArray[np.uint64],
    threshold: tuple[int, int],
    looks: int,
) -> tuple[NDArray[np.int64], bool]:
    """All against all for so many looks a text, then by lists; also whether that could be done."""
    count, classes = columns.shape
    waiting = np.tile(np.arange(count, dtype=np.int32), (classes, 1))
    waiters, state = np.full(classes, count, np.int64), np.zeros(2, np.int64)
    out = np.empty((4, count * classes), np.int64)
    own, marks = np.ascontiguousarray(columns).view(np.uint8), np.ascontiguousarray(bitmaps)
    room = (np.zeros(count, np.int32), np.full(count, -1, np.int64), *tables(int(texts.lengths.max(initial=0))))
    found = kernels.family(
        texts.codepoints, texts.offsets, count, own, classes, marks, *threshold, waiting, waiters, *room, out,
        count * classes, count * looks, state,
    )  # fmt: skip
    lists = _by_parts(kernels, texts, threshold) if state[0] < count else None
    if lists is not None:
        waits = np.zeros((classes, count), np.uint8)
        for one, places, size in zip(waits, waiting, waiters.tolist(), strict=True):
            one[places[:size]] = 1
        found = kernels.family_by_lists(
            texts.codepoints, texts.offsets, state[0], count, own, classes, marks, *threshold, waits,
            np.full(3 * classes, -1, np.int64), *lists, np.zeros(count, np.int32), *room[1:], state[1], out,
            count * classes, found,
        )  # fmt: skip
    return out[:, :found], state[0] == count or lists is not None


def _by_parts(
    kernels: Kernels, texts: NormalisedTexts, threshold: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]] | None:
    """(lists of the texts one after the other, their ends, where each list begins, its texts, how many a text shares);
    None if it won't do."""
    num, den = threshold
    longest, count = int(texts.lengths.max(initial=0)), len(texts)
    made = tables(longest)
    room = np.empty(longest + 8, np.uint64), np.empty(2 * longest + 32, np.uint64)
    flat = (texts.codepoints, texts.offsets, count, made.points, made.names, made.stamps, made.places, made.mask)
    met, ends, needs = np.zeros(1 << _MET, np.uint8), np.empty(count, np.int64), np.empty(count, np.uint8)
    lists = np.empty(0, np.int32)
    for keep in (0, 1):
        used = kernels.part_keys(
            *flat, num, den, *room, met, 64 - _MET, keep, (1 << _LISTS) - 1, lists, ends, needs
        )  # fmt: skip
        if used < 0:
            return None
        if not keep:
            lists = np.empty(int((4 * texts.lengths + 40).sum()), np.int32)  # more than any text has, never touched
    del met
    heads, members = np.zeros((1 << _LISTS) + 2, np.int64), np.empty(used, np.int32)
    kernels.in_lists(lists, ends, count, heads, 1 << _LISTS, members)
    return lists[:used], ends, heads, members, needs
