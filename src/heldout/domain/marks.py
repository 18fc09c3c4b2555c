"""Texts that the method reads badly: it turns combining marks into spaces (decision A18).

Hindi, Bengali, Telugu or Thai write vowels as marks, so their words fall to pieces and their similarity drops. Where
many inputs are like that, people are told; the Unicode category is the running Python's, for nothing but this advice
depends on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

_SHARE: Final = 0.1
"""Marks to letters from which a text counts. MGSM's questions have .30 in Thai, .79 in Telugu, none in French."""


def texts_with_many_marks(texts: Mapping[str, str]) -> frozenset[str]:
    """Keys of the texts in which at least one combining mark follows every ten letters, after NFKC."""
    wide = {name: text for name, text in texts.items() if not text.isascii()}
    marks = [c for c in {c for text in wide.values() for c in text} if unicodedata.category(c).startswith("M")]
    if not marks:
        return frozenset()
    some_mark = re.compile(f"[{''.join(map(re.escape, marks))}]")
    return frozenset(name for name, text in wide.items() if some_mark.search(text) and _has_many(text))


def _has_many(text: str) -> bool:
    """Only marks behind a letter count: an emoji's variation selector is a mark too and costs nothing."""
    letters = lost = 0
    after_letter = False
    for character in unicodedata.normalize("NFKC", text):
        if character.isalpha():
            letters += 1
            after_letter = True
        elif after_letter and unicodedata.category(character).startswith("M"):
            lost += 1
        else:
            after_letter = False
    return lost >= _SHARE * letters > 0
