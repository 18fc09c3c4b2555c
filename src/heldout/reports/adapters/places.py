"""Places in files that people named on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

from heldout.domain.reporting import Location

Rebased = Callable[[str], str]
"""A file's name as it was given, from the repository's top where it is in one."""

_PLACE = re.compile(r"(.+?)(?::([1-9][0-9]*)| \(?row ([1-9][0-9]*))", re.DOTALL)


def parsed_place(text: str, rebased: Rebased) -> Location:
    """The place that a sentence begins with, or that is all of it."""
    match = _PLACE.match(text)
    if match is None:
        return Location(rebased(text.partition(": ")[0]))
    file, line, row = match.groups()
    return Location(rebased(file), int(line) if line else None, int(row) if row else None)
