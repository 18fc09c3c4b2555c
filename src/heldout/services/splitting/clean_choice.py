"""Which rows of one side leave: those that share an input, nearly an input, a key or a group with the other side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from heldout.services.checking.reading import Compared


@dataclass(frozen=True, slots=True)
class Leaving:
    """A row's partner on the other side, as the number of its row."""

    row: int
    partner: int
    kind: str
    similarity: Fraction | None = None


def leaving(
    found: Compared,
    leaves: NDArray[np.bool_],
    *,
    groups: Mapping[str, Sequence[str | None]],
    containment: bool,
) -> list[Leaving]:
    """The rows of the side `leaves` that have to go, in order, each with the best of its partners.

    Equal inputs before near ones, those by falling similarity, then keys, contained texts and groups; among equals the
    partner whose input digest is lowest, and of its rows the first. Families cut no decision short: each of their texts
    has a partner in every split that has any.
    """
    places = found.rows.places[0]
    stays = _first_rows(places, ~leaves, found.rows.inputs.size)
    chosen: dict[int, Leaving] = {}
    for item in _all(found, leaves, stays, groups, containment=containment):
        chosen.setdefault(item.row, item)
    return [chosen[row] for row in sorted(chosen)]


def _all(
    found: Compared,
    leaves: NDArray[np.bool_],
    stays: NDArray[np.int64],
    groups: Mapping[str, Sequence[str | None]],
    *,
    containment: bool,
) -> Iterator[Leaving]:
    places, links = found.rows.places[0], found.links
    for row in np.flatnonzero(leaves & (stays[places] >= 0)).tolist():
        yield Leaving(row, int(stays[places[row]]), "exact", Fraction(1))
    rows_of = _Rows(places, leaves)
    near = sorted(
        (-Fraction(both, either), x, y)
        for a, b, both, either in zip(
            links.pairs.a.tolist(),
            links.pairs.b.tolist(),
            links.pairs.intersection.tolist(),
            links.pairs.union.tolist(),
            strict=True,
        )
        for x, y in ((a, b), (b, a))
        if stays[y] >= 0
    )
    for minus, x, y in near:
        yield from (Leaving(row, int(stays[y]), "near", -minus) for row in rows_of.at(x))
    yield from _equal(_keys(found), leaves, "moved")
    if containment:
        inside = sorted(zip(links.inside.short.tolist(), links.inside.long.tolist(), strict=True))
        for short, long in inside:
            for x, y in ((short, long), (long, short)):
                if stays[y] >= 0:
                    yield from (Leaving(row, int(stays[y]), "containment") for row in rows_of.at(x))
    for values in groups.values():
        yield from _equal(values, leaves, "group_crosses_split")


def _first_rows(places: NDArray[np.int64], wanted: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """The first wanted row of each input; -1 where there is none."""
    first = np.full(count, -1, np.int64)
    rows = np.flatnonzero(wanted)[::-1]
    first[places[rows]] = rows  # of several, the one assigned last stays
    return first


class _Rows:
    """The rows of one side by their inputs."""

    def __init__(self, places: NDArray[np.int64], wanted: NDArray[np.bool_]) -> None:
        rows = np.flatnonzero(wanted)
        self._rows = rows[np.argsort(places[rows], kind="stable")]
        self._places = places[self._rows]

    def at(self, place: int) -> list[int]:
        first, end = np.searchsorted(self._places, [place, place + 1])
        found: list[int] = self._rows[first:end].tolist()
        return found


def _keys(found: Compared) -> list[str | None]:
    keys = found.rows.held[0].table.keys
    if keys.derived.all():
        return []
    every = keys.take(np.arange(keys.derived.size))
    return [None if derived else key for key, derived in zip(every, keys.derived.tolist(), strict=True)]


def _equal(values: Sequence[str | None], leaves: NDArray[np.bool_], kind: str) -> Iterator[Leaving]:
    """Rows whose value a row that stays has too."""
    first: dict[str, int] = {}
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for row, (value, goes) in enumerate(zip(values, leaves.tolist(), strict=False)):
        if value is None:
            continue
        if goes:
            waiting[value].append(row)
        else:
            first.setdefault(value, row)
    for value, rows in waiting.items():
        if value in first:
            yield from (Leaving(row, first[value], kind) for row in rows)
