"""A run file's header and rows, as values (docs/results.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heldout.domain.example import JSON

RUN_FORMAT = "heldout/run@1"
RATE, SCORE = "pass_rate", "mean_score"
"""What a metric is called that nobody gave a name: of outcomes, of scores."""


@dataclass(frozen=True, slots=True)
class Rag:
    """The retrieval system that was run: how many passages count as found, and what the context may hold."""

    top_k: int | None = None
    token_budget: int | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a run file, where it has one. Digests are of the dataset version that the run read."""

    run: str | None = None
    dataset: str | None = None
    source: str | None = None
    content: str | None = None
    split: str | None = None
    metric: str | None = None
    rag: Rag = Rag()
    about: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(slots=True)
class RunRow:
    """One case and what came of it, read strictly. What a row does not have is None; `has_result` tells whether it says
    outcome or score at all: null there is a missing outcome, nothing there is a mistake."""

    key: str
    split: str | None = None
    metric: str | None = None
    outcome: bool | None = None
    score: float | None = None
    excluded: bool | str | None = None
    confidence: float | None = None
    route: str | None = None
    trajectory: Any = None
    retrieval: Any = None
    relevant: Any = None
    metadata: Any = None
    extra: Any = None


FIELDS = tuple(RunRow.__slots__)
