"""One run by slice, as values: what was counted, how sure it is, and what stands out. No slice of it gates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.answer import Answer, Verdict
from heldout.domain.results.decision import Decided
from heldout.domain.results.interval import Interval
from heldout.domain.results.scope import Scope


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate of true outcomes, or a mean of scores that cannot leave [low, high]."""

    name: str
    is_rate: bool = True
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class Counts:
    """Cases of a scope by what came of them. `total` is the sum over observed ones: of successes, or of scores."""

    observed: int
    missing: int
    excluded: int
    total: float

    @property
    def cases(self) -> int:
        return self.observed + self.missing + self.excluded

    @property
    def estimate(self) -> float | None:
        """Over what was observed (A38); None where nothing was."""
        return self.total / self.observed if self.observed else None


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a slice lies from the run: the level it is ranked on, the smallest q that marks it, whether q did."""

    p: float
    adjusted: float
    marked: bool


@dataclass(frozen=True, slots=True)
class ScopeResult:
    """A metric on a scope. No interval below the least support (O15); no mark where it could not be tested (O20)."""

    scope: Scope
    metric: Metric
    counts: Counts
    interval: Interval | None
    least: int = 0
    mark: Mark | None = None

    @property
    def is_thin(self) -> bool:
        return self.counts.observed < self.least


@dataclass(frozen=True, slots=True)
class DatasetSlice:
    """A slice of the dataset's own that the run is reported by: its scope's value is `#number`."""

    name: str
    number: int | None
    digest: str
    required: bool
    matched: int
    unevaluable: int


@dataclass(frozen=True, slots=True)
class DatasetState:
    """The version a run is about, and what the gate says of it. `allowed` is the verdict that somebody put up with."""

    subject: str
    source: str
    content: str
    verdict: Verdict
    allowed: Verdict | None
    answer: Answer | None = None
    contaminated_cases: int = 0


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Which run: its name, the digest of its file, and whatever its header says of model and system."""

    run: str
    digest: str
    file: str
    dataset: DatasetState
    splits: tuple[str, ...]
    cases: int
    header: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Without:
    """A metric on the whole run, on all cases and without those that something gives away."""

    everything: ScopeResult
    clean: ScopeResult


@dataclass(frozen=True, slots=True)
class CrossProposal:
    """A cross that nobody declared, by its cell that lies furthest from both slices it belongs to."""

    name: str
    cell: ScopeResult
    parents: tuple[float, float]
    p: float
    adjusted: float
    cells: int
    supported: int


@dataclass(frozen=True, slots=True)
class Method:
    """How the numbers were made: the level of intervals, the least support, the share of false marks allowed, and
    whether slices were tested against the run or against the rest of it."""

    level: float
    least: int
    q: float
    tested: int
    against: str = "run"


@dataclass(frozen=True, slots=True)
class RunReport:
    info: RunInfo
    method: Method
    overall: tuple[ScopeResult, ...]
    slices: tuple[ScopeResult, ...]
    dataset_slices: tuple[DatasetSlice, ...]
    excluded_for: Mapping[str, int]
    without: tuple[Without, ...] = ()
    proposals: tuple[CrossProposal, ...] | None = None
    decided: tuple[Decided, ...] = ()

    def weakest(self) -> tuple[ScopeResult, ...]:
        """For each metric its slice with the lowest estimate, among those with enough support."""
        found = []
        for whole in self.overall:
            fit = [row for row in self.slices if row.metric == whole.metric and row.interval is not None]
            fit = [row for row in fit if row.counts.observed]
            if fit:
                found.append(min(fit, key=lambda row: row.counts.estimate or 0.0))
        return tuple(found)
