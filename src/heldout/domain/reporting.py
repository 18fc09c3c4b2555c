"""One report for many readers: what a command has to say, before any form is chosen for it.

A command's own text and JSON know its subject best and stay its own. Everything that other programs show (annotations
of a pull request, a test report, a page) is drawn from this one model, so that no two of them tell different things.
Nothing here holds a text of an example, unless it was asked for aloud.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Level(StrEnum):
    """How loud a reader should be: an error stands in the way, a warning is for a person to look at."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Weight(StrEnum):
    """Why an item is in a report, gravest first. The first three are those of findings.

    `UNKNOWN` is something that nobody can say yet, which is never clean; `ACCEPTED` is a finding that people decided
    to live with.
    """

    BLOCK = "block"
    UNKNOWN = "unknown"
    REVIEW = "review"
    NOTE = "note"
    ACCEPTED = "accepted"


class Outcome(StrEnum):
    """What the whole report comes to. The exit code is the command's, the same for every form."""

    CLEAN = "clean"
    FOUND = "found"
    UNKNOWN = "unknown"

    @property
    def said(self) -> str:
        """For people: only a gate may call a version clean, and then its answer does."""
        return {"clean": "nothing blocks", "found": "something blocks"}.get(self.value, "unknown, which is not clean")


@dataclass(frozen=True, slots=True)
class Location:
    """A file, from the repository's top where it is in one. `line` counts from 1; a file without lines has a `row`."""

    file: str
    line: int | None = None
    row: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}"
        return self.file if self.row is None else f"{self.file} row {self.row}"


@dataclass(frozen=True, slots=True)
class Part:
    """One example that an item is about. `versions` are names people know; `text` only where it was asked for."""

    split: str
    key: str
    dataset: str | None = None
    input: str | None = None
    location: Location | None = None
    versions: tuple[str, ...] = ()
    held_out: bool = False
    text: str | None = None

    @property
    def label(self) -> str:
        name = f"{self.split}/{self.key}"
        return name if self.dataset is None else f"{self.dataset}:{name}"


@dataclass(frozen=True, slots=True)
class Rule:
    """Why an item was made. `id` is stable; `title` is a few words, `help` is Markdown of ours."""

    id: str
    title: str
    help: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing found, or not known. `id` stays the same for as long as it is the same thing, wherever it stands.

    `message` is one sentence that names examples by split and key. `also` are further rules that it breaks.
    `contaminates` names the versions whose holdout it gives away. `reason` is why people accepted it.
    """

    id: str
    rule: str
    weight: Weight
    level: Level
    message: str
    location: Location
    parts: tuple[Part, ...] = ()
    also: tuple[str, ...] = ()
    score: Fraction | None = None
    contaminates: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def fingerprint(self) -> str:
        """64 hex: what services follow an item by from one run to the next."""
        return hashlib.sha256(f"heldout\0{self.rule}\0{self.id}".encode("utf-8", "surrogatepass")).hexdigest()

    def gravity(self) -> tuple[int, int, float]:
        """Sort key, worst first; equals keep the order that the command gave them."""
        return _LEVELS[self.level], _WEIGHTS[self.weight], -float(self.score or 0)


_LEVELS = {level: rank for rank, level in enumerate(Level)}
_WEIGHTS = {weight: rank for rank, weight in enumerate(Weight)}


class Items:
    """Items that are made anew each time they are read: a million of them are gigabytes at once."""

    def __init__(self, make: Callable[[], Iterable[Item]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Item]:
        return iter(self._make())


@dataclass(frozen=True, slots=True)
class Report:
    """`command` is what was run ("gate"), `subject` what about. `answer` are sentences, the verdict first.

    `total` counts what there is, `items` may be fewer where a limit was asked for. `counts` are (words, number) for a
    table. `rules` are those that items may name. `next` are commands and steps that lead on.
    """

    command: str
    subject: str
    outcome: Outcome
    answer: tuple[str, ...]
    total: int
    items: Iterable[Item]
    rules: Sequence[Rule]
    counts: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"heldout {self.command} {self.subject}".rstrip()

    def worst(self, most: int) -> list[Item]:
        """The gravest `most` items, in that order; no more are held than that."""
        return heapq.nsmallest(most, self.items, key=Item.gravity)


def item_id(*parts: str) -> str:
    """16 hex of sha256 over what makes an item the same one, for those that have no id of their own."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
