"""Two texts side by side, short enough to read and with what differs marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_WORDS: Final = 400  # words of a text that are compared; what follows them is left out
_AROUND: Final = 4  # equal words kept beside a difference
_DIFFERENT: Final = 16  # words kept of a longer difference
_GAP: Final = "…"


def excerpts(a: str, b: str) -> tuple[str, str]:
    """Both texts on one line each, words that the other lacks in [brackets], long stretches shortened to a …."""
    left, right = _words(a), _words(b)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    first: list[str] = []
    second: list[str] = []
    codes = matcher.get_opcodes()
    for number, (tag, low, high, start, end) in enumerate(codes):
        if tag == "equal":
            kept = _shortened(left[low:high], number > 0, number + 1 < len(codes))
            first += kept
            second += kept
        else:
            first += _marked(left[low:high])
            second += _marked(right[start:end])
    return " ".join(first), " ".join(second)


def printable(text: str) -> str:
    """The text without anything that a terminal would obey; line breaks and tabs show as spaces."""
    return visible(re.sub(r"\s+", " ", text).strip())


def visible(text: str, keep: str = "") -> str:
    """The text with the number of each character that cannot be shown in its place, but for those to `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else f"\\u{{{ord(c):x}}}" for c in text)


def _words(text: str) -> list[str]:
    words = printable(text).split(" ")
    return words if len(words) <= _WORDS else [*words[:_WORDS], _GAP]


def _shortened(words: Sequence[str], has_left: bool, has_right: bool) -> list[str]:
    """An equal stretch, of which the parts beside a difference tell where it is."""
    if len(words) <= 2 * _AROUND + 2:
        return list(words)
    left = words[:_AROUND] if has_left or not has_right else []
    right = words[-_AROUND:] if has_right else []
    return [*left, _GAP, *right]


def _marked(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    kept = list(words)
    if len(words) > _DIFFERENT:
        kept = [*words[: _DIFFERENT // 2], _GAP, *words[-_DIFFERENT // 2 :]]
    return ["[" + " ".join(kept) + "]"]
