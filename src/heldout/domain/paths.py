"""Field paths (decision A12): how dataset.yaml and slices point into a JSON value.

Components are separated by dots; `\\.` stands for a dot inside a component. In an array a component of decimal digits
is an index. There are no wildcards, and a path that leads through a string or a number is simply missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

from heldout.domain.example import JSON

_DOT = re.compile(r"(?<!\\)\.")
_INDEX = re.compile(r"0|[1-9][0-9]*")


class Missing(Enum):
    """The type of `MISSING`, an enum so that type checkers can tell it from a JSON value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""No such place. Different from null, which is a value that somebody wrote."""


def parse_path(text: str) -> tuple[str, ...]:
    """The components of a path. Raises ValueError for an empty path or component."""
    parts = tuple(part.replace("\\.", ".") for part in _DOT.split(text))
    if not all(parts):
        raise ValueError("a path is made of names separated by single dots; write a dot inside a name as \\.")
    return parts


def format_path(parts: tuple[str, ...]) -> str:
    """The text that `parse_path` reads back."""
    return ".".join(part.replace(".", "\\.") for part in parts)


def lookup(value: JSON, path: tuple[str, ...]) -> JSON | Missing:
    """What stands at `path`, or MISSING. Never raises and never coerces."""
    for part in path:
        if isinstance(value, Mapping):
            if part not in value:
                return MISSING
            value = value[part]
        elif isinstance(value, list):
            if not _INDEX.fullmatch(part) or len(part) > 18 or int(part) >= len(value):
                return MISSING
            value = value[int(part)]
        else:
            return MISSING
    return value
