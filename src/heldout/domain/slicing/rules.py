"""What a slice's definition may say: subjects, operators, limits, and the refusal of everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

MATCHES: Final = ("all", "any")
"""How conditions are joined."""

MAX_CONDITIONS: Final = 50
MAX_VALUES: Final = 200

ORDERING: Final = ("gt", "gte", "lt", "lte")
LISTS: Final = ("in", "not_in")
PRESENCE: Final = ("exists", "not_exists")

_SETS: Final = ("eq", "neq", *LISTS)
_TEXTS: Final = (*_SETS, "contains", *PRESENCE)
_EVERY: Final = (*_TEXTS, *ORDERING)

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "tag": _TEXTS,
    "metadata": _EVERY,
    "field": _EVERY,
    "split": _SETS,
    "source_kind": _SETS,
    "review_status": _SETS,
    "synthetic": ("eq",),
    "slice": _SETS,
}
"""The operators of each subject."""

SUBJECTS: Final = tuple(OPERATORS)
KEYED: Final = ("metadata", "field")
"""Subjects that need a key; the others take none."""

MAX_NESTING: Final = 10
"""Slices that may refer to each other in a row."""


class DefinitionError(ValueError):
    """A definition breaks a rule.

    `message` says what and what is allowed. `position` is the condition's, counted from 1; None when the fault is in no
    condition, or in one that stands alone. `path` leads to the fault inside the condition, or inside the definition
    when there is no position: `("operator",)`, `("values", 3)`, `("sample", "size")`; empty means the whole.
    """

    def __init__(self, message: str, *path: str | int, position: int | None = None, hint: str | None = None) -> None:
        super().__init__(message if position is None else f"condition {position}: {message}")
        self.message = message
        self.path = path
        self.position = position
        self.hint = hint

    def place(self) -> tuple[str | int, ...]:
        """The path from the definition's own mapping, with list indexes from 0: `("conditions", 2, "operator")`."""
        return self.path if self.position is None else ("conditions", self.position - 1, *self.path)

    def at(self, position: int) -> DefinitionError:
        """The same fault of a condition whose position is known by now."""
        return DefinitionError(self.message, *self.path, position=position, hint=self.hint)


def suggestion(word: str, known: Sequence[str]) -> str | None:
    """A hint for a word that is nearly one of the known ones."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else None
