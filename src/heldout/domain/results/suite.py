"""What an evaluation declares before it runs: its slices, how much support they need, and its release rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heldout.domain.results.decision import Rule
from heldout.domain.results.declared import Declared, Kind, Part
from heldout.domain.results.run import Rag
from heldout.domain.results.scope import Scope

LEAST_SUPPORT = 30
LEVEL = 0.95
FALSE_MARKS = 0.05
RUN, REST = "run", "rest"
"""What a slice's rate is tested against for a mark: the run's own, which contains it (A37), or that of all else."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Defaults are those of a run that is reported without a suite. `scores` are the ends of each metric of scores;
    `required` are slices of the run that have to be there, beside the dataset's own required ones."""

    name: str = ""
    dataset: str | None = None
    splits: tuple[str, ...] = ()
    slices: tuple[Declared, ...] = ()
    least: int = LEAST_SUPPORT
    level: float = LEVEL
    q: float = FALSE_MARKS
    against: str = RUN
    missing_as_slice: bool = False
    rag: Rag = Rag()  # noqa: RUF009
    scores: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    required: tuple[Scope, ...] = ()
    rules: tuple[Rule, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        """Every kind that some slice or cross asks about, once."""
        return tuple(dict.fromkeys(part for declared in self.slices for part in declared.parts))

    def metadata_keys(self) -> tuple[str, ...]:
        return tuple(part.key for part in self.parts() if part.kind is Kind.METADATA)
