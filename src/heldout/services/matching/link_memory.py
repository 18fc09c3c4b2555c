"""What a scan may take over from an earlier one: inputs that were compared with each other, and their links.

Most of a second scan's inputs were in the first. What was found between those is the same, for it depends on their
texts and the method only; so neither are their texts normalised nor are they compared again
(`heldout.services.matching.warm`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.storage.caches.digest_index import Digests
from heldout.storage.caches.links import Compared, Rows

_LOOKS = 4  # blocks of inputs that are looked for in the cache before it is taken to know none


class LinkStore(Protocol):
    """Compared sets of one method (`heldout.storage.caches.links.LinkCache`)."""

    def __bool__(self) -> bool: ...

    def best(self, inputs: Digests) -> Compared | None: ...

    def add(self, compared: Compared) -> None: ...


class LinkMemory:
    """The one compared set that serves this scan, if any does: that of which the first inputs are."""

    def __init__(self, store: LinkStore) -> None:
        self._store = store
        self._looks = _LOOKS if store else 0
        self.known: Compared | None = None
        self._rows: Rows | None = None

    def recall(
        self, inputs: Digests, bands: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.bool_]]:  # fmt: skip
        """(lengths, band keys of shape (bands, n), whether they are known) of inputs; zeros where they are not."""
        lengths, keys = np.zeros(len(inputs), np.int64), np.zeros((bands, len(inputs)), np.uint64)
        rows = self.rows(inputs)
        found = np.flatnonzero(rows >= 0)
        if self.known is not None:
            lengths[found] = self.known.lengths[rows[found]]
            keys[:, found] = self.known.keys[rows[found]].T
        return lengths, keys, rows >= 0

    def bitmaps(self, inputs: Digests, into: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Put the bitmaps of known inputs into their rows of an array; which ones they are."""
        rows = self.rows(inputs)
        found = np.flatnonzero(rows >= 0)
        if self.known is not None:
            into[found] = self.known.bitmaps[rows[found]]
        return rows >= 0

    def rows(self, inputs: Digests) -> NDArray[np.int64]:
        """The rows of inputs in the compared set, -1 for those that are not in it."""
        if self.known is None and self._looks and len(inputs):
            self._looks -= 1
            self._use(self._store.best(inputs))
        return np.full(len(inputs), -1, np.int64) if self._rows is None else self._rows.find(inputs)

    def keep(self, compared: Compared) -> None:
        """For later scans, those of this process among them."""
        self._store.add(compared)
        self._use(compared)

    def _use(self, compared: Compared | None) -> None:
        self.known = compared
        self._rows = None if compared is None else Rows(compared.digests)
