"""Labels, and what a labelled sample says of its population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from heldout.domain.example import JSON
from heldout.domain.sampling.numbers import RULES


@dataclass(frozen=True, slots=True)
class Label:
    """`failure` is None where nobody labelled yet. `prohibited` marks an action that no weight makes up for."""

    name: str
    failure: bool | None
    prohibited: bool = False
    line: int | None = None

    def as_json(self) -> dict[str, JSON]:
        value = None if self.failure is None else int(self.failure)
        return {"id": self.name, "label": value, **({"prohibited": True} if self.prohibited else {})}


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one draw, by its digest, with who gave them and by which rubric. `file` is for messages."""

    draw: str
    labelled_by: str
    rubric: str
    rows: tuple[Label, ...]
    file: str = "labels"

    def header(self) -> dict[str, JSON]:
        return {"draw": self.draw, "labelled_by": self.labelled_by, "rubric": self.rubric}

    def as_json(self) -> dict[str, JSON]:
        return {**self.header(), "labels": [row.as_json() for row in sorted(self.rows, key=lambda row: row.name)]}


class Decision(StrEnum):
    """What a rule says at a threshold. Only an interval can hold: it has the threshold inside."""

    CLEAR = "clear"
    EXCEED = "exceed"
    HOLD = "hold"


def decide(low: Fraction, high: Fraction, threshold: Fraction) -> Decision:
    """Clear when all of it is at most the threshold, exceed when all of it is above. A point is low = high."""
    if high <= threshold:
        return Decision.CLEAR
    return Decision.EXCEED if low > threshold else Decision.HOLD


@dataclass(frozen=True, slots=True)
class StratumResult:
    """One stratum, always shown beside the whole. `least` and `greatest` are the numbers of failures kept in it."""

    name: str
    risk: bool
    units: int
    drawn: int
    failures: int
    prohibited: int
    least: int
    greatest: int

    @property
    def rate(self) -> Fraction:
        return Fraction(self.failures, self.drawn)

    @property
    def probability(self) -> Fraction:
        return Fraction(self.drawn, self.units)

    @property
    def low(self) -> Fraction:
        return Fraction(self.least, self.units)

    @property
    def high(self) -> Fraction:
        return Fraction(self.greatest, self.units)

    def as_json(self) -> dict[str, JSON]:
        return {
            "units": self.units,
            "drawn": self.drawn,
            "probability": str(self.probability),
            "weight": str(1 / self.probability),
            "failures": self.failures,
            "rate": str(self.rate),
            "kept": [self.least, self.greatest],
            "interval": [str(self.low), str(self.high)],
            "prohibited": self.prohibited,
            **({"risk": True} if self.risk else {}),
        }


@dataclass(frozen=True, slots=True)
class Decided:
    """Three decisions at one threshold. `scope` names the stratum where each is read by itself, else is empty.

    `interval` is the decision; the other two show what deciding on a point would say.
    """

    threshold: str
    value: Fraction
    raw: Decision
    weighted: Decision
    interval: Decision
    scope: str = ""

    def as_json(self) -> dict[str, JSON]:
        scope: dict[str, JSON] = {"stratum": self.scope} if self.scope else {}
        decisions: dict[str, JSON] = {rule: getattr(self, rule).value for rule in RULES}
        return {"threshold": self.threshold, "value": str(self.value), **scope, **decisions}


@dataclass(frozen=True, slots=True)
class Estimate:
    """`weighted` and `interval` are None for a kind of sample that has no rate of the whole."""

    strata: tuple[StratumResult, ...]
    raw: Fraction
    weighted: Fraction | None
    interval: tuple[Fraction, Fraction] | None
    decisions: tuple[Decided, ...]

    @property
    def prohibited(self) -> int:
        return sum(each.prohibited for each in self.strata)

    def as_json(self) -> dict[str, JSON]:
        strata: Mapping[str, JSON] = {each.name: each.as_json() for each in self.strata}
        return {
            "strata": dict(strata),
            "raw": str(self.raw),
            "weighted": None if self.weighted is None else str(self.weighted),
            "interval": None if self.interval is None else [str(end) for end in self.interval],
            "decisions": [each.as_json() for each in self.decisions],
            "prohibited": self.prohibited,
        }
