"""The deterministic sample of a slice (decisions A15, A16): no draw depends on order, machine or run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from heldout.domain.canonical import canonical_json
from heldout.domain.example import JSON
from heldout.domain.slicing.definition import Sample

_Item: TypeAlias = "tuple[bytes, str, str]"  # hash, key, split: a key that is in two splits is in both in this order


@dataclass(frozen=True, slots=True)
class Stratum:
    """`value` is the canonical text of the metadata value; `null` for missing and null alike."""

    value: str
    matched: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a sample took: (split, key) pairs in ascending order of their hash.

    `matched` is how many it was drawn from. `partial` says that other examples could not be checked, so a complete
    sample may differ. `strata` is empty for a sample that is not stratified, else in order of value.
    """

    members: tuple[tuple[str, str], ...]
    size: int
    matched: int
    partial: bool
    strata: tuple[Stratum, ...] = ()

    @property
    def is_short(self) -> bool:
        """Fewer matched than the sample asks for: it took them all."""
        return self.matched < self.size

    @property
    def empty_strata(self) -> tuple[Stratum, ...]:
        """Strata with matching examples of which the shares left none: a warning."""
        return tuple(stratum for stratum in self.strata if not stratum.drawn)


class Draw:
    """Takes matching examples one by one, in any order, and keeps at most a few times the sample's size of them.

    draw = Draw(sample)
    for example in matching: draw.add(example.split, example.key, example.metadata)
    drawn = draw.result(unevaluable=tally.unevaluable)
    """

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._seed = sample.seed.encode("utf-8")
        self._strata: dict[str, _Lowest] = {}

    def add(self, split: str, key: str, metadata: Mapping[str, JSON]) -> None:
        """One example that matches: with True of a compiled definition, never with unknown."""
        name = self._sample.stratify
        stratum = "" if name is None else _label(metadata.get(name))
        lowest = self._strata.get(stratum)
        if lowest is None:
            lowest = self._strata[stratum] = _Lowest(self._sample.size)
        lowest.add((sha256(self._seed + key.encode("utf-8")).digest(), key, split))

    def result(self, *, unevaluable: int = 0) -> Drawn:
        """`unevaluable` is how many examples nobody could check: more than none makes the sample partial."""
        sizes = {stratum: lowest.seen for stratum, lowest in self._strata.items()}
        shared = shares(sizes, self._sample.size)
        chosen = sorted(item for stratum, lowest in self._strata.items() for item in lowest.first(shared[stratum]))
        strata = (
            ()
            if self._sample.stratify is None
            else tuple(Stratum(stratum, sizes[stratum], shared[stratum]) for stratum in sorted(sizes))
        )
        members = tuple((split, key) for _, key, split in chosen)
        return Drawn(members, self._sample.size, sum(sizes.values()), unevaluable > 0, strata)


class _Lowest:
    """The `size` lowest of the items seen so far; holds at most twice as many, and a few."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._limit = 2 * size + 100
        self._items: list[_Item] = []
        self.seen = 0

    def add(self, item: _Item) -> None:
        self.seen += 1
        self._items.append(item)
        if len(self._items) > self._limit:
            self._cut()

    def first(self, count: int) -> list[_Item]:
        self._cut()
        return self._items[:count]

    def _cut(self) -> None:
        self._items.sort()
        del self._items[self._size :]


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many of `size` each stratum gives, by the largest remainder: ties to the larger stratum, then by its text.

    Whole numbers only, so that no rounding of a quotient decides. All of every stratum when there are not more.
    """
    total = sum(sizes.values())
    if total <= size:
        return dict(sizes)
    result = {stratum: size * count // total for stratum, count in sizes.items()}
    left = size - sum(result.values())
    by_remainder = sorted(sizes, key=lambda stratum: (-(size * sizes[stratum] % total), -sizes[stratum], stratum))
    for stratum in by_remainder[:left]:
        result[stratum] += 1
    return result


def _label(value: JSON) -> str:
    return canonical_json(value).decode("utf-8")
