"""What the sampling commands compute, as values: fractions of counts, so that a stored study compares exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from heldout.domain.example import JSON

RULES: Final = ("raw", "weighted", "interval")
"""Three ways to decide: on the raw rate, on the weighted rate, on the interval. Only the last one can hold."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One stratum: its size in the population, how many were drawn, and how many of these are failures."""

    units: int
    drawn: int
    failures: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """`strata` has the least and the greatest number of failures kept in each stratum; `low` and `high` are rates."""

    strata: tuple[tuple[int, int], ...]
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Cell:
    """What every ID set with these failures leads to; `sets` is how many there are."""

    failures: tuple[int, ...]
    sets: int
    raw: Fraction
    weighted: Fraction
    bounds: Bounds

    def as_json(self) -> dict[str, JSON]:
        return {
            "failures": list(self.failures),
            "sets": self.sets,
            "raw": str(self.raw),
            "weighted": str(self.weighted),
            "interval": [str(self.bounds.low), str(self.bounds.high)],
        }


@dataclass(frozen=True, slots=True)
class Chances:
    """Of one rule at one threshold: how often it clears, exceeds and holds. Point rules never hold."""

    clear: Fraction
    exceed: Fraction
    hold: Fraction

    def as_json(self) -> dict[str, JSON]:
        return {"clear": str(self.clear), "exceed": str(self.exceed), "hold": str(self.hold)}


ByRule = Mapping[str, Chances]


@dataclass(frozen=True, slots=True)
class AtTruth:
    """A design at one true population. `chances` has the three rules for each threshold.

    `error_*` are mean squared errors of the two rates.
    """

    cells: tuple[Cell, ...]
    rate: Fraction
    expected_raw: Fraction
    expected_weighted: Fraction
    error_raw: Fraction
    error_weighted: Fraction
    coverage: Fraction
    chances: Mapping[Fraction, ByRule]

    def as_json(self) -> dict[str, JSON]:
        return {
            "rate": str(self.rate),
            "cells": [cell.as_json() for cell in self.cells],
            "expected": {"raw": str(self.expected_raw), "weighted": str(self.expected_weighted)},
            "mean_squared_error": {"raw": str(self.error_raw), "weighted": str(self.error_weighted)},
            "coverage": str(self.coverage),
            "decisions": {
                str(threshold): {rule: found.as_json() for rule, found in rules.items()}
                for threshold, rules in self.chances.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Everywhere:
    """A design over all populations: the least coverage and where it is met; the worst chances of false decisions.

    `false_clear` and `false_exceed` have, for each threshold and rule, the largest chance over the populations in which
    that decision is false.
    """

    populations: int
    coverage: Fraction
    worst: tuple[tuple[int, ...], ...]
    false_clear: Mapping[Fraction, Mapping[str, Fraction]]
    false_exceed: Mapping[Fraction, Mapping[str, Fraction]]

    def as_json(self) -> dict[str, JSON]:
        return {
            "populations": self.populations,
            "least_coverage": str(self.coverage),
            "met_at": [list(truth) for truth in self.worst],
            "worst_false_clear": _nested(self.false_clear),
            "worst_false_exceed": _nested(self.false_exceed),
        }


def _nested(found: Mapping[Fraction, Mapping[str, Fraction]]) -> dict[str, JSON]:
    return {str(threshold): {rule: str(chance) for rule, chance in rules.items()} for threshold, rules in found.items()}
