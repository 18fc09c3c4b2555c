"""Texts that need not all be in memory: the form in which pools of any size are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.matching.texts import NormalisedTexts


class TextFeed(Protocol):
    """n texts in digest order. `lengths` (n) int64 are in code points, 0 for a text that says nothing.

    Each call may read from a disk or parse a file: callers ask for as many texts at a time as memory allows.
    """

    @property
    def lengths(self) -> NDArray[np.int64]: ...

    def blocks(self, rows: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NormalisedTexts]]:
        """The texts with these ascending indices, some at a time, in any order, each block with its indices."""
        ...

    def fetch(self, rows: NDArray[np.int64]) -> NormalisedTexts:
        """The texts with these ascending indices, in that order."""
        ...

    def put_bitmaps(self, rows: NDArray[np.int64], into: NDArray[np.uint64]) -> None:
        """Put `heldout.matching.jaccard.bitmaps` of the texts with these ascending indices into these rows of an array
        for all texts."""
        ...


def pair_groups(
    lengths: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], budget: int
) -> Iterator[NDArray[np.int64]]:
    """Positions of the pairs, in groups whose texts have at most `budget` code points together (one pair at least).

    Pairs that hang together by shared texts stand side by side, so most texts are in one group.
    """
    label = _components(first, second)
    order = np.lexsort((second, first, label))
    # Repeats inside a run of pairs of one first text are counted once; others as often as they come.
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = first[order[1:]] != first[order[:-1]]
    cost = lengths[second[order]] + np.where(fresh, lengths[first[order]], 0)
    total = np.cumsum(cost)
    low = 0
    while low < order.size:
        done = int(total[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(total, done + budget, side="right")))
        yield order[low:high]
        low = high


def _components(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each pair, equal for pairs that are connected; a few rounds, which may leave long chains apart."""
    if not first.size:
        return first
    nodes, ends = np.unique(np.concatenate([first, second]), return_inverse=True)
    left, right = ends.reshape(2, -1)
    label = np.arange(nodes.size)
    for _ in range(16):
        lowest = np.minimum(label[left], label[right])
        before = label.copy()
        np.minimum.at(label, left, lowest)
        np.minimum.at(label, right, lowest)
        label = label[label]
        if np.array_equal(label, before):
            break
    return label[left]
