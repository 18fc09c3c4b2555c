"""A slice: a named part of a dataset, reported on its own instead of inside an average, and every definition it had."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from heldout.domain.slice_definition import Definition

_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9_-]*[a-zA-Z0-9])?")
_REFERENCE = re.compile(r"(?P<name>[^#@]+)(?:#(?P<number>[1-9][0-9]{0,8})|@(?:sha256:)?(?P<digest>[0-9a-f]{4,64}))?")


def slice_name_problem(name: str) -> str | None:
    """Why `name` cannot name a slice, or None: it is a file's name and stands before `#` and `@`."""
    if not _NAME.fullmatch(name):
        return "use letters, digits, '-' and '_', beginning and ending with a letter or digit"
    return None


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry of a slice's history. The number is a label, the digest the identity (decision A5)."""

    number: int
    digest: str
    definition: Definition

    @classmethod
    def of(cls, number: int, definition: Definition) -> Recorded:
        return cls(number, definition.digest, definition)

    def problem(self) -> str | None:
        """Why the entry cannot be what was recorded, or None."""
        found = self.definition.digest
        return None if found == self.digest else f"its definition has the digest {found}, not {self.digest}"


@dataclass(frozen=True, slots=True)
class Slice:
    """What a slice's file says. `required` means that every suite using the dataset has to report it."""

    name: str
    definition: Definition
    history: tuple[Recorded, ...] = ()
    description: str = ""
    required: bool = False

    @property
    def current(self) -> Recorded | None:
        """The entry of the definition as it stands; None when that is not recorded yet.

        Going back to an earlier definition makes no new number: its entry is current again.
        """
        return self.find_digest(self.definition.digest)

    @property
    def next_number(self) -> int:
        return len(self.history) + 1

    def find_number(self, number: int) -> Recorded | None:
        return next((entry for entry in self.history if entry.number == number), None)

    def find_digest(self, digest: str) -> Recorded | None:
        return next((entry for entry in self.history if entry.digest == digest), None)

    def find(self, reference: SliceReference) -> tuple[Recorded, ...]:
        """Entries that a reference can mean: none, one, or several for the beginning of a digest."""
        if reference.number is not None:
            return tuple(entry for entry in self.history if entry.number == reference.number)
        if reference.digest is not None:
            return tuple(entry for entry in self.history if entry.digest.startswith(f"sha256:{reference.digest}"))
        return () if self.current is None else (self.current,)


@dataclass(frozen=True, slots=True)
class SliceReference:
    """`NAME`, `NAME#NUMBER` or `NAME@DIGEST`; `digest` is hex, at least four digits of its beginning."""

    name: str
    number: int | None = None
    digest: str | None = None

    @classmethod
    def parse(cls, text: str) -> SliceReference | None:
        match = _REFERENCE.fullmatch(text)
        if match is None or slice_name_problem(match["name"]):
            return None
        return cls(match["name"], int(match["number"]) if match["number"] else None, match["digest"])

    def __str__(self) -> str:
        mark = f"#{self.number}" if self.number is not None else f"@{self.digest}" if self.digest else ""
        return f"{self.name}{mark}"


def history_problems(earlier: Iterable[Recorded], later: Iterable[Recorded]) -> list[str]:
    """How a later history breaks its promise to keep every entry of an earlier one as it was."""
    found = {entry.number: entry for entry in later}
    problems = []
    for entry in earlier:
        kept = found.get(entry.number)
        if kept is None:
            problems.append(f"number {entry.number} is gone")
        elif kept.digest != entry.digest:
            problems.append(f"number {entry.number} was {entry.digest} and is {kept.digest}")
    return problems
