"""Splits made of clusters: rows that belong together go to one split whole, and splits come out as large as wanted.

The rule is greedy, as iterative stratification is (Sechidis, Tsoumakas and Vlahavas, On the Stratification of
Multi-Label Data, ECML PKDD 2011): the rarest stratum first, each example to the subset that lacks most of it. Here the
examples are clusters, the largest first, as in Graham's longest-processing-time rule (Bounds on Multiprocessing Timing
Anomalies, 1969), and to lack most is measured by Webster's method of apportionment (half of the new seats counted), so
that clusters of every size are spread over the splits by their shares instead of filling the largest split first.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm


@dataclass(frozen=True, slots=True)
class Clump:
    """Rows that belong together. `name` tells it from all others wherever it stands (the lowest input digest in it);
    `strata` counts its rows by stratum."""

    name: str
    strata: Mapping[str, int]

    @property
    def size(self) -> int:
        return sum(self.strata.values())


@dataclass(frozen=True, slots=True)
class Part:
    """One split that was made: its wanted share of all rows, and its rows by stratum."""

    name: str
    wanted: Fraction
    strata: Mapping[str, int]
    file: str = ""

    @property
    def rows(self) -> int:
        return sum(self.strata.values())


@dataclass(frozen=True, slots=True)
class SplitMade:
    """How a split came out. `tied` counts the rows that share a cluster with others; `repeated_keys` the keys that
    several rows of one split have; `rounds` how often splits were made until no link crossed (1 without families)."""

    parts: tuple[Part, ...]
    clusters: int
    largest: int
    tied: int
    seed: int
    tolerance: Fraction
    stratify: str | None
    held_together: Mapping[str, int]
    repeated_keys: int = 0
    rounds: int = 1

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    def stratum_totals(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        for part in self.parts:
            totals.update(part.strata)
        return totals


def assigned(clumps: Sequence[Clump], shares: Mapping[str, Fraction], seed: int) -> tuple[str, ...]:
    """The split of each clump, in their order; `shares` of all rows sum to 1.

    A function of what the clumps are, the shares and the seed, in whole numbers: neither the order of the clumps nor
    the machine matters. Clumps come largest first, then by their rarest stratum, then by a hash of seed and name. Each
    goes to the split that has least of its strata for its share, among those with room for it; ties go to the split
    that has the fewest rows for its share, then by a hash of seed, name and split. Where no split has room, it goes to
    the one that lacks most rows.
    """
    totals: Counter[str] = Counter()
    for clump in clumps:
        totals.update(clump.strata)
    filling = _Filling(shares, totals, seed)
    result = [""] * len(clumps)
    order = sorted(range(len(clumps)), key=lambda at: _turn(clumps[at], totals, seed))
    for at in order:
        result[at] = filling.place(clumps[at])
    return tuple(result)


def deviation(sizes: Mapping[str, int], shares: Mapping[str, Fraction]) -> Fraction:
    """How far the split that missed its share most is from it, as a share of all rows.

    Less than one row is nothing: rows cannot be cut.
    """
    total = sum(sizes.values())
    missed = max((abs(sizes.get(name, 0) - share * total) for name, share in shares.items()), default=Fraction(0))
    return missed / total if missed >= 1 else Fraction(0)


def parts_of(
    clumps: Iterable[Clump], splits: Iterable[str], shares: Mapping[str, Fraction], files: Mapping[str, str]
) -> tuple[Part, ...]:
    strata: dict[str, Counter[str]] = {name: Counter() for name in shares}
    for clump, split in zip(clumps, splits, strict=True):
        strata[split].update(clump.strata)
    return tuple(Part(name, share, strata[name], files.get(name, "")) for name, share in shares.items())


def _turn(clump: Clump, totals: Mapping[str, int], seed: int) -> tuple[int, int, str, str]:
    rarest = min((totals[stratum], stratum) for stratum in clump.strata)
    return (-clump.size, *rarest, _hash(seed, clump.name))


def _hash(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


class _Filling:
    """The splits while they are filled."""

    def __init__(self, shares: Mapping[str, Fraction], totals: Mapping[str, int], seed: int) -> None:
        self._seed = seed
        self._totals = totals
        rows = sum(totals.values())
        self._wanted = {name: share * rows for name, share in shares.items()}
        self._room = {name: ceil(wanted) for name, wanted in self._wanted.items()}
        unit = lcm(*(share.denominator for share in shares.values()))
        parts = {name: int(share * unit) for name, share in shares.items()}
        common = lcm(*parts.values())
        self._weight = {name: common // part for name, part in parts.items()}  # proportional to 1 / share
        self._strata: dict[str, Counter[str]] = {name: Counter() for name in shares}

    def place(self, clump: Clump) -> str:
        size = clump.size
        open_splits = [name for name, room in self._room.items() if room >= size]
        if open_splits:
            first, *others = open_splits
            chosen = min(open_splits, key=lambda name: self._rank(clump, size, name)) if others else first
        else:
            chosen = min(self._room, key=lambda name: (self._filled(name) - self._wanted[name], name))
        self._strata[chosen].update(clump.strata)
        self._room[chosen] -= size
        return chosen

    def _rank(self, clump: Clump, size: int, name: str) -> tuple[int | Fraction, int, str]:
        have, weight = self._strata[name], self._weight[name]
        lack: int | Fraction
        if len(clump.strata) == 1:
            (stratum,) = clump.strata
            lack = (2 * have[stratum] + size) * weight
        else:
            terms = (
                Fraction(count * (2 * have[stratum] + count), self._totals[stratum])
                for stratum, count in clump.strata.items()
            )
            lack = sum(terms, Fraction(0)) * weight
        return lack, (2 * self._filled(name) + size) * weight, _hash(self._seed, clump.name, name)

    def _filled(self, name: str) -> int:
        return ceil(self._wanted[name]) - self._room[name]
