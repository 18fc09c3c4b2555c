"""What the commands about slices find, as values: what was chosen, how many match, who comes and who goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.evaluation import Tally
from heldout.domain.slicing.sample import Drawn
from heldout.domain.slicing.slices import Recorded, Slice

Address = tuple[str, str]
"""Split and key: what names an example without its text."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One definition of a slice: the current one, or one of its history. `number` is None while it is not recorded."""

    dataset: str
    item: Slice
    definition: Definition
    number: int | None

    @classmethod
    def recorded(cls, dataset: str, item: Slice, entry: Recorded) -> Chosen:
        return cls(dataset, item, entry.definition, entry.number)

    @classmethod
    def current(cls, dataset: str, item: Slice) -> Chosen:
        return cls(dataset, item, item.definition, item.current.number if item.current else None)

    @property
    def digest(self) -> str:
        return self.definition.digest

    @property
    def is_current(self) -> bool:
        return self.definition == self.item.definition

    def __str__(self) -> str:
        return f"{self.dataset}/{self.item.name}" + (f"#{self.number}" if self.number else " (not recorded)")


@dataclass(frozen=True, slots=True)
class Counted:
    """How many examples of one subject a definition matches; `drawn` where it samples."""

    tally: Tally
    drawn: Drawn | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A subject of the slices view, with one count for each row. `problem` says why nothing could be counted there."""

    subject: str
    counts: tuple[Counted, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class SliceTable:
    """Slices of one dataset, each with its counts in every column."""

    dataset: str
    rows: tuple[Chosen, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A matching example, named; `text` only where it was asked for."""

    split: str
    key: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """Who is in: `members` in the order of the files, those of the sample in the order of their hash."""

    subject: str
    counted: Counted
    members: tuple[Address, ...]
    examples: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """From one definition to another over the same examples: who enters and who leaves."""

    subject: str
    before: str
    after: str
    counts: tuple[Counted, Counted]
    entered: tuple[Address, ...]
    left: tuple[Address, ...]
    stayed: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A condition with enough examples. `covered` is how many of them are in some slice of the dataset already."""

    condition: Condition
    examples: int
    covered: int


@dataclass(frozen=True, slots=True)
class Suggestions:
    """`rare` counts values with too few examples by subject, `scattered` are metadata keys of too many values."""

    subject: str
    total: int
    support: int
    found: tuple[Suggestion, ...]
    rare: Mapping[str, int]
    scattered: tuple[str, ...]
    slices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Required:
    """What a suite has to report on its own."""

    name: str
    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What recording did to one slice's file: the entries that are new, and those that a merge gave another number.

    `renumbered` has (digest, number before, number now).
    """

    name: str
    path: str
    added: tuple[Recorded, ...] = ()
    renumbered: tuple[tuple[str, int, int], ...] = ()
