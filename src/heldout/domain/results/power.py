"""How many cases a slice needs before a rule could decide about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Needed:
    """Cases for one decision of one rule, under rates that somebody assumes.

    `possible` is the fewest with which any result decides so at all; `same` the fewest where nothing differs (paired
    rules). With `powered` cases and with each of the `checked` numbers after it the decision comes with at least
    `power`; `chance` is what it is there. None: no number up to `limit` does.
    """

    decision: str
    power: float
    limit: int
    possible: int | None
    same: int | None = None
    powered: int | None = None
    checked: int = 0
    chance: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "decision": self.decision,
            "power": self.power,
            "possible": self.possible,
            "same": self.same,
            "powered": self.powered,
            "checked_after": self.checked,
            "chance": self.chance,
            "limit": self.limit,
        }


@dataclass(frozen=True, slots=True)
class PowerAnswer:
    """`rule` is the rule in words, `assumed` what is taken to be true. `expected` is what these rates lead to, None
    where they lie on the boundary, so that more cases decide nothing. `other` is the opposite decision, at best.

    `given` is a number of cases somebody has, and `chances` how often each decision comes with it.
    """

    kind: str
    rule: str
    assumed: str
    expected: Needed | None
    other: Needed | None = None
    given: int | None = None
    chances: tuple[tuple[str, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "rule": self.rule,
            "assumed": self.assumed,
            "expected": None if self.expected is None else self.expected.as_json(),
            "other": None if self.other is None else self.other.as_json(),
            "cases": self.given,
            "chances": dict(self.chances),
        }


@dataclass(frozen=True, slots=True)
class SliceRate:
    """Counts of one scope of a run; `marked` is None where it was not tested."""

    scope: str
    observed: int
    successes: int
    marked: bool | None

    @property
    def rate(self) -> float:
        return self.successes / self.observed if self.observed else 0.0


@dataclass(frozen=True, slots=True)
class RunRates:
    """A metric of a run, whole and by slice; `tested` slices were ranked for marks at `q`."""

    metric: str
    whole: SliceRate
    tested: int
    q: float
    slices: tuple[SliceRate, ...]


@dataclass(frozen=True, slots=True)
class SliceNeeds:
    """Cases that each slice of a run would need to be marked, were its true rate the one that was seen.

    None for a slice: it lies on the run's rate, has no case, or no number up to the limit is enough.
    """

    rates: RunRates
    power: float
    needed: tuple[int | None, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.rates.metric,
            "run_rate": self.rates.whole.rate,
            "tested": self.rates.tested,
            "q": self.rates.q,
            "power": self.power,
            "slices": [
                {
                    "scope": each.scope,
                    "observed": each.observed,
                    "estimate": each.rate if each.observed else None,
                    "marked": each.marked,
                    "needed": needed,
                }
                for each, needed in zip(self.rates.slices, self.needed, strict=True)
            ],
        }
