"""The outcome of a verification, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """A failed check blocks, an unknown one is not clean, a reported one is an older state shown for completeness."""

    FAILED = "failed"
    UNKNOWN = "unknown"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True)
class Problem:
    """`place` is a path from the repository's top, or a version's name; `slug` is stable."""

    level: Level
    place: str
    text: str
    slug: str


@dataclass(frozen=True, slots=True)
class Check:
    """`base` None means that everything was looked at; `replayed` counts records that were made again."""

    base: str | None
    head: str
    records: int
    replayed: int
    problems: tuple[Problem, ...]

    def has(self, level: Level) -> bool:
        return any(problem.level is level for problem in self.problems)
