"""Rules of a gate and what they decide, by the unrounded ends of an interval (A34)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.results.interval import Interval
from heldout.domain.results.scope import GLOBAL, Scope


class Decision(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    INSUFFICIENT = "INSUFFICIENT_EVIDENCE"


class Reason(StrEnum):
    ABOVE = "lower_bound_above_margin"
    BELOW = "upper_bound_below_margin"
    OVERLAPS = "interval_overlaps_margin"
    SUPPORT = "support_below_minimum"
    MISSING = "missing_outcomes"
    EXCLUDED = "one_sided_exclusions"
    CORRECTED = "failure_not_significant_in_family"


@dataclass(frozen=True, slots=True)
class Rule:
    """`bound` is what the interval has to lie above: minus the margin of a comparison, the minimum of one run."""

    id: str
    metric: str
    kind: str
    bound: float
    scope: Scope = GLOBAL
    min_support: int = 0


@dataclass(frozen=True, slots=True)
class Family:
    """Rules whose failures are corrected together; the correction is Holm's."""

    id: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """`level` is the error level that decided, a failure's own after correction. `hopeless`: no sample size passes."""

    rule: Rule
    decision: Decision
    reason: Reason
    level: float
    interval: Interval | None
    hopeless: bool = False


def decide(interval: Interval, worst: Interval, bound: float) -> tuple[Decision, Reason]:
    """Equality is no pass and no failure. `worst` takes missing outcomes at their worst in either direction (A38):
    a pass has to survive that they all went wrong, a failure that they all went well."""
    if worst.lower > bound:
        return Decision.PASS, Reason.ABOVE
    if worst.upper < bound:
        return Decision.FAIL, Reason.BELOW
    if interval.lower > bound or interval.upper < bound:
        return Decision.INSUFFICIENT, Reason.MISSING
    return Decision.INSUFFICIENT, Reason.OVERLAPS


def gate_of(decided: tuple[Decided, ...]) -> Decision:
    """One failure blocks; incomplete evidence never passes (A43)."""
    found = {item.decision for item in decided}
    return next((one for one in (Decision.FAIL, Decision.INSUFFICIENT) if one in found), Decision.PASS)
