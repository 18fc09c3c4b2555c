"""Findings in columns, so that a hundred thousand can be filtered while somebody types.

A listing is read once into arrays; a filter is then a few comparisons of small numbers, about ten milliseconds for
100,000 findings. Rows of a family stand together: those about one held-out example, or of one cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.listing import FindingListing, FindingRow

Mask = NDArray[np.bool_]
OPEN = "open"
"""The decision on a finding that nobody has decided on."""

_KINDS = tuple(Kind)
_SEVERITIES = tuple(Severity)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter. Empty sets ask for everything; `source` is a version's digest, `text` a piece of a key or of an id."""

    source: str | None = None
    kinds: frozenset[str] = frozenset()
    datasets: frozenset[str] = frozenset()
    splits: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    decisions: frozenset[str] = frozenset()
    holdout_only: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Selected:
    """Rows that a filter lets through, by their place in the listing and in the order in which they are shown.

    `families` counts the groups among them. `facets` counts, for each value of a column, the rows that the rest of the
    filter lets through: what a person would get by choosing it.
    """

    rows: NDArray[np.int32]
    families: int
    contaminations: int
    facets: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class FindingIndex:
    """One listing in columns. Immutable, so that any number of threads may ask it."""

    listing: FindingListing

    @property
    def rows(self) -> tuple[FindingRow, ...]:
        return self.listing.rows

    @cached_property
    def ids(self) -> list[str]:
        """Computed once: an id is a digest."""
        return [row.finding.id for row in self.rows]

    @cached_property
    def places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.ids)}

    @cached_property
    def clusters(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            if row.finding.cluster:
                found.setdefault(row.finding.cluster, []).append(place)
        return found

    @cached_property
    def families(self) -> NDArray[np.int32]:
        return _codes(self.rows, lambda row: family(row.finding))[0]

    @cached_property
    def family_sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.families) if len(self.rows) else np.zeros(0, np.int64)

    @cached_property
    def _kinds(self) -> NDArray[np.uint32]:
        bits = {kind: 1 << place for place, kind in enumerate(_KINDS)}
        return np.array([sum(bits[kind] for kind in row.finding.kinds) for row in self.rows], np.uint32)

    @cached_property
    def _severities(self) -> NDArray[np.int32]:
        codes = {severity: place for place, severity in enumerate(_SEVERITIES)}
        return np.array([codes[row.finding.severity] for row in self.rows], np.int32)

    @cached_property
    def contaminations(self) -> Mask:
        return np.array([row.finding.holdout_contamination for row in self.rows], np.bool_)

    @cached_property
    def _datasets(self) -> _Pair:
        return _Pair.of(self.rows, lambda side: side.dataset)

    @cached_property
    def _splits(self) -> _Pair:
        return _Pair.of(self.rows, lambda side: side.split)

    @cached_property
    def _sources(self) -> dict[str, Mask]:
        found: dict[str, Mask] = {}
        for place, row in enumerate(self.rows):
            for source in {*row.finding.a.versions, *row.finding.b.versions}:
                if source not in found:
                    found[source] = np.zeros(len(self.rows), np.bool_)
                found[source][place] = True
        return found

    @cached_property
    def _texts(self) -> list[str]:
        """What a search looks through: both names as they are shown, and the id."""
        return [
            f"{row.finding.a.label()}\n{row.finding.b.label()}\n{name}".casefold()
            for row, name in zip(self.rows, self.ids, strict=True)
        ]

    def warm(self) -> FindingIndex:
        """Every column made, so that the first filter is as fast as the others."""
        _ = (self.places, self.clusters, self.family_sizes, self._kinds, self._severities, self.contaminations)
        _ = (self._datasets, self._splits, self._sources, self._texts)
        return self

    def select(self, wanted: Wanted, decided: Decided) -> Selected:
        masks = self._masks(wanted, decided)
        every = _all(masks.values(), len(self.rows))
        rows = np.flatnonzero(every).astype(np.int32)
        rows, families = self._by_family(rows)
        facets = {
            name: count(_all((mask for other, mask in masks.items() if other != name), len(self.rows)))
            for name, count in self._counters(decided).items()
        }
        return Selected(rows, families, int(self.contaminations[rows].sum()), facets)

    def _masks(self, wanted: Wanted, decided: Decided) -> dict[str, Mask]:
        """One mask for each column that the filter asks about."""
        masks: dict[str, Mask] = {}
        if wanted.source is not None:
            masks["source"] = self._sources.get(wanted.source, np.zeros(len(self.rows), np.bool_))
        if wanted.kinds:
            bits = sum(1 << place for place, kind in enumerate(_KINDS) if kind.value in wanted.kinds)
            masks["kind"] = (self._kinds & np.uint32(bits)) != 0
        if wanted.datasets:
            masks["dataset"] = self._datasets.among(wanted.datasets)
        if wanted.splits:
            masks["split"] = self._splits.among(wanted.splits)
        if wanted.severities:
            codes = [place for place, severity in enumerate(_SEVERITIES) if severity.value in wanted.severities]
            masks["severity"] = np.isin(self._severities, codes)
        if wanted.decisions:
            masks["decision"] = np.isin(decided.codes, decided.codes_of(wanted.decisions))
        if wanted.holdout_only:
            masks["holdout"] = self.contaminations
        if wanted.text:
            piece = wanted.text.casefold()
            masks["text"] = np.fromiter((piece in text for text in self._texts), np.bool_, len(self.rows))
        return masks

    def _counters(self, decided: Decided) -> dict[str, Callable[[Mask], dict[str, int]]]:
        return {
            "kind": lambda mask: _counted(
                (kind.value, int(np.count_nonzero(self._kinds[mask] & np.uint32(1 << place))))
                for place, kind in enumerate(_KINDS)
            ),
            "dataset": self._datasets.counted,
            "split": self._splits.counted,
            "severity": lambda mask: _counted(
                (severity.value, int(np.count_nonzero(self._severities[mask] == place)))
                for place, severity in enumerate(_SEVERITIES)
            ),
            "decision": decided.counted,
            "holdout": lambda mask: {"contamination": int(np.count_nonzero(self.contaminations & mask))},
        }

    def _by_family(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
        """The same rows with those of a family together, where the first of them stands."""
        if not len(rows):
            return rows, 0
        _, first, inverse = np.unique(self.families[rows], return_index=True, return_inverse=True)
        return rows[np.argsort(first[inverse], kind="stable")], len(first)


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided on each row of an index: codes into `names`, of which the first is `open`."""

    codes: NDArray[np.int8]
    names: tuple[str, ...]

    @classmethod
    def of(cls, index: FindingIndex, decisions: Iterable[tuple[str, Sequence[int]]]) -> Decided:
        """`decisions` are (name, places of the rows it is about), those that others override first."""
        codes = np.zeros(len(index.rows), np.int8)
        names = [OPEN]
        for name, places in decisions:
            if name not in names:
                names.append(name)
            codes[list(places)] = names.index(name)
        return cls(codes, tuple(names))

    def name(self, place: int) -> str:
        return self.names[int(self.codes[place])]

    def codes_of(self, names: Iterable[str]) -> list[int]:
        return [self.names.index(name) for name in names if name in self.names]

    def counted(self, mask: Mask) -> dict[str, int]:
        found = np.bincount(self.codes[mask], minlength=len(self.names))
        return _counted((name, int(count)) for name, count in zip(self.names, found, strict=True))


@dataclass(frozen=True, slots=True)
class _Pair:
    """A column with a value for either side."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, rows: Sequence[FindingRow], value: Callable[[Side], str]) -> _Pair:
        codes, names = _codes([side for row in rows for side in (row.finding.a, row.finding.b)], value)
        return cls(codes[0::2], codes[1::2], names)

    def among(self, wanted: Iterable[str]) -> Mask:
        codes = [self.names.index(name) for name in wanted if name in self.names]
        return np.isin(self.a, codes) | np.isin(self.b, codes)

    def counted(self, mask: Mask) -> dict[str, int]:
        """Rows with the value on either side, each once."""
        a, b = self.a[mask], self.b[mask]
        size = len(self.names)
        found = np.bincount(a, minlength=size) + np.bincount(b[a != b], minlength=size)
        return _counted(sorted((name, int(count)) for name, count in zip(self.names, found, strict=True)))


def family(finding: Finding) -> tuple[str, ...]:
    """What rows of one family share: the cluster, else the example that is given away, else the scanned one."""
    if finding.cluster is not None:
        return ("cluster", finding.cluster)
    a, b = finding.a, finding.b
    return (b if b.held_out_in and not a.held_out_in else a).identity()


def _codes(items: Sequence[Item], value: Callable[[Item], object]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    names: dict[object, int] = {}
    codes = np.fromiter((names.setdefault(value(item), len(names)) for item in items), np.int32, len(items))
    return codes, tuple(map(str, names))


def _all(masks: Iterable[Mask], size: int) -> Mask:
    result = np.ones(size, np.bool_)
    for mask in masks:
        result &= mask
    return result


def _counted(found: Iterable[tuple[str, int]]) -> dict[str, int]:
    return {name: count for name, count in found if count}
