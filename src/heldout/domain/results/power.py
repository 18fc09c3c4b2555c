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
