"""Connected components of a graph given by its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def components(count: int, edges: NDArray[np.int64], start: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """For each of the nodes 0 .. count - 1 the lowest node of its component, shape (count,).

    `edges` has shape (2, edges). `start` are components found before, to be joined further. Every round hooks the
    higher of two roots below the lower one and then lets every node point at its root (Shiloach and Vishkin, An
    O(log n) Parallel Connectivity Algorithm, 1982): a chain of n nodes takes some log n rounds, not n.
    """
    root = np.arange(count, dtype=np.int64) if start is None else start.copy()
    first, second = edges
    while True:
        one, other = root[first], root[second]
        apart = np.flatnonzero(one != other)
        if not apart.size:
            return root
        first, second = first[apart], second[apart]
        low, high = np.minimum(one[apart], other[apart]), np.maximum(one[apart], other[apart])
        np.minimum.at(root, high, low)
        while not np.array_equal(following := root[root], root):
            root = following
