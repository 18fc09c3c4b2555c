"""Which classes hold each text, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import segments


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of n texts; a class stands for a (dataset, split, version) whose members hold the text.

    `ids` int32 flat, `offsets` int64 with n + 1 boundaries; no class twice for one text. Where pairs are not
    enumerated, every text still learns of one partner in every class.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def matrix(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Membership of the texts `rows` in the classes they have, shape (rows, classes).

        Classes with the same members among these texts, such as unchanged versions of one dataset, share a column:
        they have the same partners.
        """
        owners, ids = self.expand(rows)
        present, columns = np.unique(ids, return_inverse=True)
        table = np.zeros((rows.size, present.size), np.bool_)
        table[owners, columns.reshape(-1)] = True
        return np.unique(table, axis=1)

    def expand(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(position in rows, class id) for every class of every given text."""
        counts = self.offsets[rows + 1] - self.offsets[rows]
        owners = np.repeat(np.arange(rows.size, dtype=np.int64), counts)
        return owners, self.ids[segments(self.offsets[rows], counts)]
