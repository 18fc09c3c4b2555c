"""Numbers for distinct inputs: a digest's ordinal is how many others were met before it.

A dictionary of a million digests takes 200 MB; sorted runs of their first eight bytes take 12 and are compared in full
only where those agree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DIGEST = 32
"""Bytes of a SHA-256 digest."""

Digests = NDArray[np.uint8]
"""Digests as rows of 32 bytes, shape (n, 32)."""


class DigestIndex:
    """Runs of (first eight bytes, ordinal), each ascending and at least twice as long as the next one."""

    def __init__(self) -> None:
        self._room = np.empty((1024, DIGEST), np.uint8)
        self._count = 0
        self._runs: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return len(self) * (DIGEST + 16)

    def digests(self) -> Digests:
        """All digests by ordinal."""
        return self._room[: self._count]

    def add(self, block: Digests) -> NDArray[np.int64]:
        """The ordinals of digests, new ones numbered in the order of the block."""
        block = np.ascontiguousarray(block)
        ordinals = self.find(block)
        missing = np.flatnonzero(ordinals < 0)
        if missing.size:
            _, first, inverse = np.unique(_items(block[missing]), return_index=True, return_inverse=True)
            order = np.argsort(first, kind="stable")
            rank = np.empty(order.size, np.int64)
            rank[order] = np.arange(order.size) + len(self)
            ordinals[missing] = rank[inverse.reshape(-1)]
            self._extend(block[missing[first[order]]])
        return ordinals

    def find(self, block: Digests) -> NDArray[np.int64]:
        """The ordinals of digests, -1 for those that were never added."""
        block = np.ascontiguousarray(block)
        result = np.full(len(block), -1, np.int64)
        if not self._runs or not len(block):
            return result
        known, wanted = self.digests(), prefixes(block)
        for run, ordinals in self._runs:
            rows = np.flatnonzero(result < 0)
            places = np.searchsorted(run, wanted[rows])
            while rows.size:
                inside = places < run.size
                inside[inside] = run[places[inside]] == wanted[rows[inside]]
                rows, places = rows[inside], places[inside]
                found = ordinals[places]
                same = (known[found] == block[rows]).all(axis=1)
                result[rows[same]] = found[same]
                # Two digests that agree in eight bytes only: look at the next of the run.
                rows, places = rows[~same], places[~same] + 1
        return result

    def _extend(self, fresh: Digests) -> None:
        starts = prefixes(fresh)
        order = np.argsort(starts, kind="stable")
        run = (starts[order], order + len(self))
        end = self._count + len(fresh)
        if end > len(self._room):
            grown = np.empty((max(end, len(self._room) * 5 // 4), DIGEST), np.uint8)
            grown[: self._count] = self.digests()
            self._room = grown
        self._room[self._count : end] = fresh
        self._count = end
        while self._runs and self._runs[-1][0].size < 2 * run[0].size:
            older = self._runs.pop()
            merged = np.concatenate([older[0], run[0]])
            order = np.argsort(merged, kind="stable")  # two ascending runs: linear
            run = (merged[order], np.concatenate([older[1], run[1]])[order])
        self._runs.append(run)


def prefixes(digests: Digests) -> NDArray[np.uint64]:
    """The first eight bytes of each digest as a number, in the order of the digests."""
    return np.ascontiguousarray(digests[:, :8]).view(">u8").reshape(-1).astype(np.uint64)


def in_order(digests: Digests) -> NDArray[np.int64]:
    """The permutation that sorts digests, equal ones in the order they stand in."""
    starts = prefixes(digests)
    order = np.argsort(starts, kind="stable")
    ties = np.flatnonzero(starts[order[1:]] == starts[order[:-1]])
    if ties.size and (digests[order[ties]] != digests[order[ties + 1]]).any():
        words = np.ascontiguousarray(digests).view(">u8").astype(np.uint64)
        order = np.lexsort(words.T[::-1])
    return order.astype(np.int64, copy=False)


def _items(digests: Digests) -> NDArray[np.bytes_]:
    """Digests as single items. NumPy's S ignores zero bytes at an item's end, which loses nothing at one length."""
    return np.ascontiguousarray(digests).view(f"S{DIGEST}").reshape(-1)
