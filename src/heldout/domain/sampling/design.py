"""A design: how many of each stratum are drawn, by which seed, and which thresholds decide, all said before labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from heldout.domain.canonical import digest
from heldout.domain.example import JSON
from heldout.domain.sampling.kinds import RULES, Kind
from heldout.domain.slicing.sample import shares


@dataclass(frozen=True, slots=True)
class Plan:
    """One stratum: `draw` of its `units`, each with the probability draw / units. `risk` marks what stays visible."""

    name: str
    units: int
    draw: int
    risk: bool = False

    @property
    def probability(self) -> Fraction:
        return Fraction(self.draw, self.units)

    def as_json(self) -> dict[str, JSON]:
        return {"units": self.units, "draw": self.draw, **({"risk": True} if self.risk else {})}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What label 1 means, and when an outcome is ripe enough to be labelled (`14 days after the last message`)."""

    failure: str
    maturity: str


@dataclass(frozen=True, slots=True)
class Window:
    """Of a temporal sample: the time it is about, and how long it is fresh."""

    time: str
    fresh_until: str


@dataclass(frozen=True, slots=True)
class Design:
    """`frame` is the digest of the frame it was made for. `stream` separates this probability sample from whatever else
    picks cases, mining of incidents above all: two streams draw independently."""

    name: str
    version: int
    kind: Kind
    frame: str
    stream: str
    seed: str
    outcome: Outcome
    alpha: Fraction
    thresholds: Mapping[str, Fraction]
    strata: tuple[Plan, ...]
    window: Window | None = None

    def as_json(self) -> dict[str, JSON]:
        window: dict[str, JSON] = {}
        if self.window is not None:
            window = {"window": {"time": self.window.time, "fresh_until": self.window.fresh_until}}
        return {
            "name": self.name,
            "version": self.version,
            "kind": self.kind.value,
            **window,
            "frame": self.frame,
            "stream": self.stream,
            "seed": self.seed,
            "outcome": {"failure": self.outcome.failure, "maturity": self.outcome.maturity},
            "alpha": decimal(self.alpha),
            "thresholds": {name: decimal(value) for name, value in self.thresholds.items()},
            "strata": {plan.name: plan.as_json() for plan in self.strata},
        }

    @property
    def digest(self) -> str:
        return digest(self.as_json())

    @property
    def size(self) -> int:
        return sum(plan.draw for plan in self.strata)


def decimal(value: Fraction) -> str:
    """A fraction as people write it: 0.05, or 1/3 where no short decimal is equal."""
    text = f"{float(value):.12g}"
    return text if "e" not in text and Fraction(text) == value else str(value)


def kind_problem(design: Design) -> str | None:
    """Why a sample of this kind cannot be drawn so, or None."""
    kind, rule = design.kind, RULES[design.kind]
    if design.thresholds and not rule.decides:
        return f"a {kind} sample decides nothing, so it has no thresholds"
    if (design.window is None) is (kind is Kind.TEMPORAL):
        needs = "says its window and how long it is fresh" if kind is Kind.TEMPORAL else "has no window"
        return f"a {kind} sample {needs}"
    if kind is Kind.RISK_ENRICHED and not any(plan.risk for plan in design.strata):
        return "a risk_enriched sample says which strata are the risk (risk: true)"
    if kind is Kind.REPRESENTATIVE:
        wanted = shares({plan.name: plan.units for plan in design.strata}, design.size)
        for plan in design.strata:
            if wanted[plan.name] != plan.draw:
                return (
                    f"a representative sample of {design.size} keeps production weights: {wanted[plan.name]} of "
                    f"{plan.name}, by largest remainders, not {plan.draw}"
                )
    return None
