"""The deterministic sample of a slice (decisions A15, A16): no draw depends on order, machine or run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.example import JSON
from heldout.domain.slice_definition import Sample


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
        raise NotImplementedError

    def add(self, split: str, key: str, metadata: Mapping[str, JSON]) -> None:
        raise NotImplementedError

    def result(self, *, unevaluable: int = 0) -> Drawn:
        raise NotImplementedError


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many of `size` each stratum gives, by the largest remainder: ties to the larger stratum, then by its text."""
    raise NotImplementedError
