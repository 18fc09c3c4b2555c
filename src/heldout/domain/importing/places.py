"""Where in a row something stands: one path or several, of which the first that holds something counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from heldout.domain.example import JSON
from heldout.domain.paths import MISSING, Missing, format_path, lookup, parse_path

EACH: Final = "*"
"""The component of a path that stands for every element of a list."""


class ImportFault(ValueError):
    """A row does not have what the mapping says: `field` is the path in the row, `hint` what to do about it."""

    def __init__(self, slug: str, reason: str, field: str | None = None, hint: str | None = None) -> None:
        super().__init__(reason)
        self.slug = slug
        self.reason = reason
        self.field = field
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Place:
    """Paths in the order in which they are tried."""

    paths: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, *texts: str) -> Place:
        """Raises ValueError for what is no path."""
        return cls(tuple(map(parse_path, texts)))

    def find(self, row: JSON) -> tuple[JSON | Missing, str]:
        """What is there, and the path it was found at; null counts as nothing where a later path has something.

        MISSING, and the first path, where none is there at all.
        """
        empty: JSON | Missing = MISSING
        at = self.paths[0]
        for path in self.paths:
            found = lookup(row, path)
            if found is not MISSING and found is not None:
                return found, format_path(path)
            if found is None and empty is MISSING:
                empty, at = None, path
        return empty, format_path(at)

    def value(self, row: JSON) -> JSON | Missing:
        return self.find(row)[0]

    def __str__(self) -> str:
        return " or ".join(map(format_path, self.paths))


@dataclass(frozen=True, slots=True)
class Many:
    """A path in which `*` stands for every element of a list; what is not there contributes nothing."""

    path: tuple[str, ...]

    def all(self, row: JSON) -> Iterator[JSON]:
        yield from _each(row, self.path)

    def is_there(self, row: JSON) -> bool:
        """Whether the row has the first list, be it empty: an agent that called no tool has a trajectory too."""
        head = self.path[: self.path.index(EACH)] if EACH in self.path else self.path
        return isinstance(lookup(row, head), list) if EACH in self.path else lookup(row, head) is not MISSING


def _each(value: JSON, path: tuple[str, ...]) -> Iterator[JSON]:
    if not path:
        yield value
    elif path[0] == EACH:
        for element in value if isinstance(value, list) else ():
            yield from _each(element, path[1:])
    else:
        found = lookup(value, path[:1])
        if found is not MISSING:
            yield from _each(found, path[1:])


def kind(value: JSON | Missing) -> str:
    """What a value is, for messages: never what it says, for it may be held out."""
    if value is MISSING:
        return "nothing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text" if value else "an empty text"
    return "an object" if isinstance(value, Mapping) else "a list"
