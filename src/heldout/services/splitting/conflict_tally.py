"""Label conflicts out of links: which rows share an input, or nearly, and expect different outputs."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from heldout.domain.splitting.conflicts import Holder, Tallied
from heldout.services.matching.pool import Links
from heldout.services.matching.rows import PoolRows

_WITHOUT = -1


def tallied(rows: PoolRows, links: Links) -> Tallied:
    """Conflicts of the scanned version with itself."""
    answers = _answers(rows)
    holders = _Holders(rows, answers)
    result = Tallied()
    for place in holders.divided().tolist():
        members = holders.of(place)
        result.add(members, members, Fraction(1))
    pairs = links.pairs
    columns = (pairs.a, pairs.b, pairs.intersection, pairs.union)
    for a, b, both, either in zip(*(column.tolist() for column in columns), strict=True):
        result.add(holders.of(a), holders.of(b), Fraction(both, either))
    return result


def unlabelled(rows: PoolRows) -> int:
    return int((~rows.held[0].table.has_expected).sum())


def _answers(rows: PoolRows) -> NDArray[np.int64]:
    """A number for each row's expected output, equal for equal ones; -1 for none."""
    table = rows.held[0].table
    answers = np.full(len(table), _WITHOUT, np.int64)
    if table.expected.size:
        digests = np.ascontiguousarray(table.expected).view("S32").reshape(-1)
        answers[table.has_expected] = np.unique(digests, return_inverse=True)[1].reshape(-1)
    return answers


class _Holders:
    """The rows of each input, together where split and expected output are equal."""

    def __init__(self, rows: PoolRows, answers: NDArray[np.int64]) -> None:
        table = rows.held[0].table
        self._splits = table.splits
        kept = np.flatnonzero(answers != _WITHOUT)
        places = rows.places[0][kept]
        order = np.lexsort((kept, answers[kept], table.split[kept], places))
        self._rows, self._places = kept[order], places[order]
        self._split, self._answers = table.split[self._rows], answers[self._rows]
        self._known: dict[int, tuple[Holder, ...]] = {}

    def divided(self) -> NDArray[np.int64]:
        """Inputs that two rows hold with different expected outputs."""
        opens = np.flatnonzero(np.diff(self._places, prepend=-1))
        if not opens.size:
            return opens
        low, high = (way.reduceat(self._answers, opens) for way in (np.minimum, np.maximum))
        found: NDArray[np.int64] = self._places[opens[low != high]]
        return found

    def of(self, place: int) -> tuple[Holder, ...]:
        if place not in self._known:
            first, end = np.searchsorted(self._places, [place, place + 1])
            groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
            for at in range(first, end):
                groups[int(self._split[at]), int(self._answers[at])].append(int(self._rows[at]))
            self._known[place] = tuple(
                Holder(self._splits[split], answer, members[0], len(members))
                for (split, answer), members in groups.items()
            )
        return self._known[place]
