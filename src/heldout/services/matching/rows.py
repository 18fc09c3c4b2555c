"""The rows of a scan as columns: which inputs they hold, and which of them take part in anything that can be found.

Most rows share nothing with any other. Only those that do become objects of the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.domain.pool import Holding, Pool
from heldout.matching.classes import Classes
from heldout.matching.ragged import distinct, offsets_of
from heldout.matching.shingles import mix64
from heldout.storage.caches.digest_index import in_order
from heldout.storage.member_table import MemberTable


@dataclass(frozen=True, slots=True)
class Held:
    """A version's rows, and what `Holding` says of it."""

    dataset: str
    source: str
    table: MemberTable
    holdout: frozenset[str]
    complete: bool = True

    def holding(self, rows: NDArray[np.int64]) -> Holding:
        """With the members of these rows only."""
        return Holding(self.dataset, self.source, tuple(self.table.take(rows)), self.holdout, self.complete)


@dataclass(frozen=True, slots=True)
class PoolRows:
    """The rows of the scanned version and of those it is compared with, which follow in the order of their sources.

    `inputs` are the distinct ordinals in the order of their digests, `places` for each version the place of each row's
    input among them. `inline` says which inputs some version holds as text.
    """

    held: tuple[Held, ...]
    inputs: NDArray[np.int64]
    places: tuple[NDArray[np.int64], ...]
    inline: NDArray[np.bool_]

    @classmethod
    def of(cls, subject: Held, others: Sequence[Held] = ()) -> PoolRows:
        held = (subject, *sorted(others, key=lambda item: item.source))
        known = subject.table.known
        present = np.zeros(len(known), np.bool_)
        for item in held:
            present[item.table.inputs] = True
        inputs = np.flatnonzero(present)
        inputs = inputs[in_order(known.digests()[inputs])]
        place = np.full(len(known), -1, np.int64)
        place[inputs] = np.arange(inputs.size)
        places = tuple(place[item.table.inputs] for item in held)
        inline = np.zeros(inputs.size, np.bool_)
        for item, where in zip(held, places, strict=True):
            inline[where[item.table.inline]] = True
        return cls(held, inputs, places, inline)

    def classes(self) -> Classes:
        """Numbers for the (dataset, split, version) groups of each input; they do not depend on which is scanned."""
        names = [(item.dataset, split, item.source) for item in self.held for split in item.table.splits]
        rank = {name: position for position, name in enumerate(sorted(names))}
        codes = []
        for item, where in zip(self.held, self.places, strict=True):
            number = np.array([rank[item.dataset, split, item.source] for split in item.table.splits], np.int64)
            codes.append(where * len(rank) + number[item.table.split])
        every = distinct(np.concatenate(codes))
        owners, ids = np.divmod(every, max(len(rank), 1))
        return Classes(ids.astype(np.int32), offsets_of(np.bincount(owners, minlength=self.inputs.size)))

    def concerned(self) -> NDArray[np.bool_]:
        """Which inputs the scanned version holds."""
        return self._marked([self.places[0]])

    def involved(self, linked: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ascending places of the inputs that any finding can be about: two examples share one, a link whose one end
        the scanned version holds has it, or one of its keys stands in another split too. Some more may be among them.
        """
        concerned = self.concerned()
        chosen = self._shared() & concerned
        touching = linked[:, (concerned[linked]).any(axis=0)]
        chosen[touching.reshape(-1)] = True
        chosen |= self._moved()
        return np.flatnonzero(chosen)

    def pool(self, involved: NDArray[np.int64]) -> Pool:
        """The pool of these inputs, with all who hold them."""
        chosen = np.zeros(self.inputs.size, np.bool_)
        chosen[involved] = True
        subject, *others = (
            item.holding(np.flatnonzero(chosen[where])) for item, where in zip(self.held, self.places, strict=True)
        )
        return Pool(subject, others)

    def _marked(self, places: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        marked = np.zeros(self.inputs.size, np.bool_)
        for where in places:
            marked[where] = True
        return marked

    def _addresses(self) -> list[NDArray[np.uint64]]:
        """A hash of (dataset, split) for each row; equal for equal ones."""
        known: dict[tuple[str, str], int] = {}
        result = []
        for item in self.held:
            numbers = [known.setdefault((item.dataset, split), len(known) + 1) for split in item.table.splits]
            result.append(np.array(numbers, np.uint64)[item.table.split])
        return result

    def _shared(self) -> NDArray[np.bool_]:
        """Inputs that two examples hold, which are not one example in two versions."""
        first = np.zeros(self.inputs.size, np.uint64)
        shared = np.zeros(self.inputs.size, np.bool_)
        for item, where, groups in zip(self.held, self.places, self._addresses(), strict=True):
            address = mix64(mix64(groups) ^ item.table.keys.marks().view(np.uint64)) | np.uint64(1)
            distinct, opens, inverse = np.unique(where, return_index=True, return_inverse=True)
            own = address[opens]
            shared[where[own[inverse.reshape(-1)] != address]] = True
            shared[distinct[(first[distinct] != 0) & (first[distinct] != own)]] = True
            first[distinct] = own
        return shared

    def _moved(self) -> NDArray[np.bool_]:
        """Inputs of rows whose key, a person's, stands in two splits of a dataset, once in the scanned version."""
        concerned = self.concerned()
        columns = []
        for item, where, groups in zip(self.held, self.places, self._addresses(), strict=True):
            rows = np.flatnonzero(~item.table.keys.derived)
            if rows.size and item.dataset == self.held[0].dataset:
                columns.append((item.table.keys.hashes[rows], groups[rows], where[rows]))
        chosen = np.zeros(self.inputs.size, np.bool_)
        if columns:
            key, split, where = (np.concatenate(parts) for parts in zip(*columns, strict=True))
            order = np.argsort(key, kind="stable")
            opens = np.flatnonzero(np.append(True, key[order][1:] != key[order][:-1])[: key.size])
            lowest, highest = (way.reduceat(split[order], opens) for way in (np.minimum, np.maximum))
            wanted = (lowest != highest) & np.logical_or.reduceat(concerned[where[order]], opens)
            chosen[where[order][np.repeat(wanted, np.diff(opens, append=key.size))]] = True
        return chosen
