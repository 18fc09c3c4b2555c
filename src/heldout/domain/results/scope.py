"""What a number is about: a whole run, or one slice of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

PREFIX = "slice/"
_BETWEEN = re.compile(r" x (?=metadata\.[^=]+=|[^ =]+=)")
"""Between the parts of a cross, and not inside a value such as `10 x 20`."""


@dataclass(frozen=True, slots=True)
class Scope:
    """`slice/NAME=VALUE`; for a cross `slice/A=1 x B=2`. The whole run has no pairs."""

    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def is_global(self) -> bool:
        return not self.pairs

    @property
    def text(self) -> str:
        """As a table shows it: without the prefix."""
        return " x ".join(f"{name}={value}" for name, value in self.pairs) if self.pairs else "global"

    def __str__(self) -> str:
        return f"{PREFIX}{self.text}" if self.pairs else "global"


GLOBAL = Scope()


def parse_scope(text: str) -> Scope | None:
    """A scope as rules name it, or None for what is none."""
    if text == "global":
        return GLOBAL
    if not text.startswith(PREFIX):
        return None
    pieces = _BETWEEN.split(text.removeprefix(PREFIX))
    pairs = []
    for piece in pieces:
        name, equals, value = piece.partition("=")
        if not (name and equals and value):
            return None
        pairs.append((name, value))
    return Scope(tuple(pairs))
