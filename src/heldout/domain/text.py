"""The text of an input, and the form of it that leakage is searched in.

This is the definition of the method, in plain Python. `heldout.matching.texts` computes the same for many texts at
once; tests hold the two together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from heldout.domain.canonical import number_text, sorted_keys
from heldout.domain.example import JSON
from heldout.domain.unicode14 import ASSIGNED, LETTERS_AND_NUMBERS, UNICODE_VERSION, ranges

__all__ = ["UNICODE_VERSION", "drop_unassigned", "normalise", "text_of"]

_ASCII_RUN = re.compile(r"[^0-9a-z]+")


def text_of(value: JSON) -> str:
    """What an input says: its strings and numbers in canonical key order, joined by one space.

    Numbers stand as canonical JSON writes them. Keys, booleans and null are structure, not text; an input without any
    string or number has the empty text and can only be compared exactly.
    """
    return " ".join(_pieces(value))


def _pieces(value: JSON) -> Iterator[str]:
    """Depth first, with a stack of its own: the depth of an input must not meet Python's recursion limit."""
    stack: list[JSON] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(item[key] for key in reversed(sorted_keys(item)))
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            yield number_text(item)


def normalise(text: str) -> str:
    r"""NFKC, lower case, each run of characters that are not \p{L} or \p{N} as one space, trimmed.

    Characters that Unicode 14 does not assign go first. For the others, composition and lower case are stable by
    Unicode's own policies, so every Python version gives the same text. Combining marks that NFKC leaves alone become
    spaces: that is the method as it is defined, and it costs recall in scripts that need them.
    """
    if text.isascii():
        return _ASCII_RUN.sub(" ", text.lower()).strip(" ")
    folded = unicodedata.normalize("NFKC", drop_unassigned(text)).lower()
    return _other_run().sub(" ", folded).strip(" ")


def drop_unassigned(text: str) -> str:
    """The text without the characters that came after Unicode 14, which other Pythons would treat as letters."""
    return _unassigned_run().sub("", text)


@cache
def _unassigned_run() -> re.Pattern[str]:
    return _outside(ASSIGNED)


@cache
def _other_run() -> re.Pattern[str]:
    return _outside(LETTERS_AND_NUMBERS)


def _outside(table: str) -> re.Pattern[str]:
    """A pattern for each run outside a table; written with escapes, because tables hold `]`, `-` and surrogates."""
    inside = "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in ranges(table))
    return re.compile(f"[^{inside}]+")
