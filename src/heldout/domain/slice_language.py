"""The one-line form of a condition, for `--where`: `SUBJECT[.KEY] OPERATOR [VALUE]`.

metadata.language eq de
tag contains "billing question"
metadata.turns gte 3
input.messages.0.role in [user, system]
metadata.reviewer not_exists
"""

from __future__ import annotations

from heldout.domain.slice_definition import Condition


class LanguageError(ValueError):
    """A text is no condition. `position` is the character, from 0, where the fault is."""

    def __init__(self, text: str, position: int, reason: str, hint: str | None = None) -> None:
        super().__init__(f"{reason} (character {position + 1})")
        self.text = text
        self.position = position
        self.reason = reason
        self.hint = hint

    def pointed(self) -> str:
        """Two lines: the text, and a caret below the character."""
        raise NotImplementedError


def parse_condition(text: str) -> Condition:
    """Raises LanguageError, for broken syntax and for broken rules alike."""
    raise NotImplementedError


def render_condition(condition: Condition) -> str:
    """The text that `parse_condition` reads back as an equal condition."""
    raise NotImplementedError
