"""Two runs over the same cases, as values: differences by scope, what rules decide, and the levels that were used."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.results.decision import Decided, Decision, Family, Rule, gate_of
from heldout.domain.results.interval import Interval
from heldout.domain.results.report import Metric, RunInfo
from heldout.domain.results.scope import Scope


class OneSided(StrEnum):
    """What a case is to a rule that one run excluded and the other did not: missing, so taken at its worst, or dropped.

    Dropped, a candidate could pass by excluding what it failed; so only a policy says that (A38, A43).
    """

    MISSING = "missing"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a comparison is judged by. `alpha` is each rule's error level, and each family's."""

    rules: tuple[Rule, ...]
    families: tuple[Family, ...]
    alpha: float
    digest: str
    one_sided: OneSided = OneSided.MISSING

    def family_of(self, rule: str) -> Family | None:
        return next((family for family in self.families if rule in family.rules), None)


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Candidate minus baseline on the cases that both answered; `missing` and `excluded` are so in either run.

    `excluded_alone` are those of the excluded that the candidate alone excluded, and that the baseline alone did.
    """

    scope: Scope
    metric: Metric
    paired: int
    missing: int
    excluded: int
    excluded_alone: tuple[int, int]
    difference: float
    gains: int
    losses: int
    interval: Interval | None
    least: int = 0

    @property
    def is_thin(self) -> bool:
        return self.paired < self.least


@dataclass(frozen=True, slots=True)
class FamilyResult:
    family: Family
    levels: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    digest: str
    candidate: RunInfo
    baseline: RunInfo
    paired: int
    alpha: float
    results: tuple[PairedResult, ...]
    decided: tuple[Decided, ...]
    families: tuple[FamilyResult, ...]
    one_sided: OneSided
    unshared: tuple[str, ...] = ()
    """Metrics that only one of the runs has, or that are of outcomes in one and of scores in the other."""

    @property
    def drops(self) -> bool:
        """Whether rules left cases out that only one of the runs excluded."""
        return self.one_sided is OneSided.DROP and any(any(row.excluded_alone) for row in self.results)

    @property
    def gate(self) -> Decision:
        return gate_of(self.decided)
