"""The split check's words: lower case, runs of letters and digits; a normaliser apart from the others on purpose.

"e-mail" is two words here, as in `heldout.domain.text`; but nothing is decomposed, and texts are compared as sets and
runs of words, not of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from heldout.domain.text import drop_unassigned

EXCERPT: Final = 8
"""So many consecutive words of a held-out text in a prompt are an excerpt. Shorter texts never match."""

NEAR: Final = Fraction(3, 5)
"""Word sets of at least this Jaccard index are near duplicates."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Runs of Unicode letters and digits of the lower-case text; an underscore separates.

    Characters that came after Unicode 14 separate as well, for on an older Python they would (A48).
    """
    return _WORD.findall(assigned(text).lower())


def assigned(text: str) -> str:
    """The text with a space in place of each character that came after Unicode 14."""
    if text.isascii() or len(drop_unassigned(text)) == len(text):
        return text
    return "".join(character if drop_unassigned(character) else " " for character in text)


def similarity(first: Iterable[str], second: Iterable[str]) -> Fraction:
    """Exact Jaccard index of two word sets; 0 where either is empty."""
    a, b = set(first), set(second)
    return Fraction(len(a & b), len(a | b)) if a and b else Fraction(0)


def windows(words: Sequence[str]) -> Iterator[str]:
    """Every `EXCERPT` consecutive words, joined by one space."""
    for start in range(len(words) - EXCERPT + 1):
        yield " ".join(words[start : start + EXCERPT])
