"""What of a held-out example makes it recognisable in a prompt: eight consecutive words or, where it has fewer, all of
it standing alone.

A prompt is full of ordinary short phrases, so a few words count only where somebody set them apart: as a line, or
between quotation marks, brackets, bars, tabs, arrows and labels (`User: ...`), as few-shot examples are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from heldout.domain.splitting.case_words import EXCERPT, windows, words_of

WHOLE: Final = 3
"""An example of so many words up to `EXCERPT` - 1 is found whole. Fewer are a coincidence."""

_MARKS = r"[\"“”„«»‹›`|\t\[\]{}()<>]|=>|->|→|⇒|:\s"
_APART: Final = (re.compile(_MARKS), re.compile(_MARKS + r"|[,;]|[.!?。！？](?=\s|$)"))
"""Where one piece of a line ends and the next begins. The second also parts clauses and sentences; the first is for
examples that have such in them."""


def excerpts_of(text: str) -> Iterator[str]:
    """What would be found of a held-out text: its windows of `EXCERPT` words, or itself where it is short."""
    words = words_of(text)
    if WHOLE <= len(words) < EXCERPT:
        yield " ".join(words)
    yield from windows(words)


def placed_excerpts(text: str) -> Iterator[tuple[str, int]]:
    """What a prompt could hold of a held-out text, and the line, from 1, that it starts in: every window, which goes on
    over line ends, and every short piece that stands alone in its line."""
    words, lines = [], []
    for number, line in enumerate(text.split("\n"), 1):
        found = words_of(line)
        words += found
        lines += [number] * len(found)
        for piece in _pieces(line):
            yield piece, number
    yield from zip(windows(words), lines, strict=False)


def _pieces(line: str) -> set[str]:
    parts = [line, *(part for apart in _APART for part in apart.split(line))]
    found = [words_of(part) for part in parts]
    return {" ".join(words) for words in found if WHOLE <= len(words) < EXCERPT}
