"""How a repository stands: what was set up, what is in order, and where each dataset is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.answer import Answer
from heldout.domain.coverage import Version


class StepState(StrEnum):
    DONE = "done"
    ALREADY = "already"
    LEFT = "left_out"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that setting up did, found done, or left out for want of consent."""

    state: StepState
    text: str


class CheckState(StrEnum):
    """`ADVICE` is worth knowing and stops nothing; only a `PROBLEM` makes the diagnosis a bad one."""

    GOOD = "good"
    ADVICE = "advice"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `fix` is a command, or an instruction where no command does it."""

    name: str
    state: CheckState
    text: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class HookStanding:
    """One Git hook; `chained` are hooks of others that run with it, `path` where ours is looked for."""

    name: str
    state: str
    path: str
    chained: tuple[str, ...]
    good: bool


class Change(StrEnum):
    """The working copy of a dataset, held against HEAD."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    NEW = "new"
    REMOVED = "removed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class VersionStanding:
    version: Version
    answer: Answer
    retired: bool


@dataclass(frozen=True, slots=True)
class DatasetStanding:
    """`problem` is what is wrong with a broken working copy. `edited` are data files that no longer are what their
    pointer says. `head` is the answer about the content of HEAD, None where HEAD has no such dataset; `recorded` says
    whether a scan record of it exists. `versions` are oldest first.
    """

    name: str
    change: Change
    problem: str | None
    edited: tuple[str, ...]
    head: Answer | None
    recorded: bool
    versions: tuple[VersionStanding, ...]

    @property
    def latest(self) -> VersionStanding | None:
        return self.versions[-1] if self.versions else None

    @property
    def head_is_frozen(self) -> bool:
        return self.head is not None and any(item.version.source == self.head.source for item in self.versions)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a repository needs beside its datasets. `lacking` names what set-up would do; `unsaved` are records and
    decisions that Git does not hold yet, as (dataset, path); `awaiting` counts decisions that somebody has to agree to.
    """

    lacking: tuple[str, ...] = ()
    shallow: bool = False
    unsaved: tuple[tuple[str, str], ...] = ()
    awaiting: int = 0
