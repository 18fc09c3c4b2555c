"""Containments as columns while they are looked for: rows (short, long, position code, offset), and more below."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heldout.matching.classes import Classes


def preferred(matches: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each pair's preferred occurrence: the prefix if there is one, else the suffix, else the first inside."""
    ranked = in_order(matches, 4)
    first = np.ones(ranked.shape[1], np.bool_)
    first[1:] = (ranked[:2, 1:] != ranked[:2, :-1]).any(axis=0)
    return ranked[:, first]


def within_cap(matches: NDArray[np.int64], over: NDArray[np.bool_], classes: Classes) -> NDArray[np.int64]:
    """Matches with the short texts marked in `over` thinned out to the first long of each class."""
    crowded = over[matches[0]]
    if not crowded.any():
        return matches
    thick = in_order(matches[:, crowded], 2)
    owners, ids = classes.expand(thick[1])
    # Sorted by (short, long), so the first row of a (short, class) group is its long of lowest index.
    _, first = np.unique(np.stack([thick[0, owners], ids.astype(np.int64)]), axis=1, return_index=True)
    return np.concatenate([matches[:, ~crowded], thick[:, np.unique(owners[first])]], axis=1)


def in_order(columns: NDArray[np.int64], keys: int) -> NDArray[np.int64]:
    """The columns sorted by their first `keys` rows."""
    return columns[:, np.lexsort(columns[keys - 1 :: -1])]
