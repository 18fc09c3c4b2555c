"""Pairs and hits between splits, counted from links and not from findings.

Findings of a crowd (one text a thousand times in each of two splits) are cut short; here the numbers of examples are
multiplied instead, so a count is exact whatever was listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from heldout.domain.finding import CONTAMINATING, Kind
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.domain.pool import Occurrence, Pool

_COUNTED = (Kind.EXACT, Kind.NEAR, Kind.MOVED, Kind.CONTAINMENT)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of examples across splits by kind, kinds independently of each other, and inside a split.

    A near pair is of two different inputs; `containment` counts near pairs that are contained too.
    """

    exact: int
    near: int
    moved: int
    containment: int
    intra_exact: int
    intra_near: int


@dataclass(frozen=True, slots=True)
class Hits:
    """Distinct examples that have a partner of a kind; `blocking` of any blocking kind, `any` of any kind at all."""

    exact: int
    near: int
    moved: int
    containment: int
    blocking: int
    any: int


@dataclass(frozen=True, slots=True)
class Rate:
    """How much of `target` has a partner in `source` (E31); `of` is the number of examples in `target`."""

    source: str
    target: str
    hits: Hits
    of: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.hits.any, self.of)


@dataclass(frozen=True, slots=True)
class Contamination:
    """What a holdout split shares with splits that are none; containment is left to a person's judgement."""

    split: str
    hits: Hits
    of: int


_Hit = tuple[str, int, str]
"""One or more examples of a split: (split, input's position, key), the key "" standing for all that hold the input."""


class Tally:
    """Counts over a pool with one version of one dataset.

    `sizes` are the examples of each split; without them the pool's own are counted, which needs all of them in it.
    """

    def __init__(
        self,
        pool: Pool,
        near: Iterable[NearLink],
        contained: Iterable[ContainmentLink],
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self._pool = pool
        self._splits = cache(self._count_splits)
        self._hits: defaultdict[tuple[str, str], dict[Kind, set[_Hit]]] = defaultdict(_no_hits)
        counted = (member.split for member in pool.subject.members)
        self.sizes: Counter[str] = Counter(counted) if sizes is None else Counter(sizes)
        exact = self._exact()
        linked = self._linked(Kind.NEAR, ((link.first, link.second) for link in near))
        inside = self._linked(Kind.CONTAINMENT, ((link.short, link.long) for link in contained))
        self.pairs = PairCounts(
            exact=exact[0],
            near=linked[0],
            moved=self._moved(),
            containment=inside[0],
            intra_exact=exact[1],
            intra_near=linked[1],
        )

    def rates(self, holdout: Collection[str]) -> tuple[Rate, ...]:
        """Both directions of every two splits that overlap or of which one is a holdout, larger target last."""
        wanted = set(self._hits)
        wanted |= {(a, b) for a in self.sizes for b in self.sizes if a != b and (a in holdout or b in holdout)}
        ordered = sorted(wanted, key=lambda pair: (*sorted(pair), self.sizes[pair[1]], pair))
        return tuple(
            Rate(source, target, self._count([self._hits.get((source, target), {})]), self.sizes[target])
            for source, target in ordered
        )

    def contamination(self, holdout: Sequence[str]) -> tuple[Contamination, ...]:
        """Per holdout split its examples with a partner in a split that is no holdout (B41)."""
        result = []
        for split in holdout:
            hits = [hits for (source, target), hits in self._hits.items() if target == split and source not in holdout]
            result.append(Contamination(split, self._count(hits), self.sizes[split]))
        return tuple(result)

    def _count_splits(self, position: int) -> Counter[str]:
        return Counter(item.split for item in self._pool.occurrences[position])

    def _exact(self) -> tuple[int, int]:
        across = inside = 0
        for position, occurrences in enumerate(self._pool.occurrences):
            if len(occurrences) < 2:
                continue
            splits = self._splits(position)
            own = sum(count * (count - 1) // 2 for count in splits.values())
            inside += own
            across += len(occurrences) * (len(occurrences) - 1) // 2 - own
            self._touch(Kind.EXACT, position, position)
        return across, inside

    def _linked(self, kind: Kind, links: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """(pairs across splits, pairs inside one)."""
        across = inside = 0
        for first, second in links:
            left, right = self._splits(first), self._splits(second)
            own = sum(count * right[split] for split, count in left.items())
            inside += own
            across += left.total() * right.total() - own
            self._touch(kind, first, second)
        return across, inside

    def _touch(self, kind: Kind, first: int, second: int) -> None:
        for left in self._splits(first):
            for right in self._splits(second):
                if left != right:
                    self._hits[left, right][kind].add((right, second, ""))
                    self._hits[right, left][kind].add((left, first, ""))

    def _moved(self) -> int:
        pairs = 0
        for group in self._pool.same_key():
            splits = Counter(item.split for item in group)
            pairs += sum(count * (len(group) - count) for count in splits.values()) // 2
            for item in group:
                for source in splits:
                    if source != item.split:
                        self._hits[source, item.split][Kind.MOVED].add(self._one(item))
        return pairs

    def _one(self, item: Occurrence) -> _Hit:
        return (item.split, self._pool.index[item.input], item.key)

    def _count(self, hits: Sequence[Mapping[Kind, set[_Hit]]]) -> Hits:
        found = {kind: set[_Hit]().union(*(item.get(kind, ()) for item in hits)) for kind in _COUNTED}
        blocking = set[_Hit]().union(*(found[kind] for kind in CONTAMINATING.intersection(found)))
        return Hits(
            **{kind.value: self._examples(found[kind]) for kind in _COUNTED},
            blocking=self._examples(blocking),
            any=self._examples(blocking | found[Kind.CONTAINMENT]),
        )

    def _examples(self, hits: set[_Hit]) -> int:
        """An example named by its key is left out where all that hold its input are counted already."""
        return sum(
            1 if key else self._splits(position)[split]
            for split, position, key in hits
            if not key or (split, position, "") not in hits
        )


def _no_hits() -> dict[Kind, set[_Hit]]:
    return {kind: set() for kind in _COUNTED}
