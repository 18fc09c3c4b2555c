"""A slice: a named part of a dataset, reported on its own instead of inside an average, and every definition it had."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.reference import SliceReference, slice_name_problem
from heldout.domain.slicing.rules import DefinitionError

__all__ = ["Recorded", "Slice", "SliceReference", "history_problems", "slice_name_problem"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry of a slice's history. The number is a label, the digest the identity (decision A5)."""

    number: int
    digest: str
    definition: Definition

    @classmethod
    def of(cls, number: int, definition: Definition) -> Recorded:
        """`definition` with what its references mean, which the entry keeps by digest."""
        return cls(number, definition.digest, definition.pinned())

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
        try:
            return self.find_digest(self.definition.digest)
        except DefinitionError:  # it refers to a slice that nobody has looked up, so it is not known to be any of them
            return None

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
