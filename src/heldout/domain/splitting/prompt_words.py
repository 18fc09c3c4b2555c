"""What of a held-out example makes it recognisable in a prompt: eight consecutive words or, where it has fewer, all of
it standing alone.

A prompt is full of ordinary short phrases, so a few words count only where somebody set them apart: as a line, or
between quotation marks, brackets, bars, commas, full stops, arrows and labels (`User: ...`), as few-shot examples are
written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from heldout.domain.splitting.case_words import EXCERPT, assigned, windows, words_of

WHOLE: Final = 3
"""An example of so many words up to `EXCERPT` - 1 is found whole. Fewer are a coincidence."""

_BETWEEN: Final = re.compile(r"[\W_]+")
_JOINS: Final = frozenset("'’ʼ-‐‑._/@&+")
"""What joins two words where it stands between them alone: where's, pick-up, and/or."""
_ESCAPED: Final = re.compile(r"\\[nrt]")
"""A line end or a tab as source code and YAML write it. LaTeX writes other things so, so both are read."""


def excerpts_of(text: str) -> Iterator[str]:
    """What would be found of a held-out text: its windows of `EXCERPT` words, or itself where it is short."""
    words = words_of(text)
    if WHOLE <= len(words) < EXCERPT:
        yield " ".join(words)
    yield from windows(words)


def placed_excerpts(text: str) -> Iterator[tuple[str, int]]:
    """What a prompt could hold of a held-out text, and the line, from 1, that it starts in: every window, and every few
    words that stand alone. Both go on over line ends."""
    text = assigned(text)
    yield from _placed(text)
    if _ESCAPED.search(text):
        yield from _placed(_ESCAPED.sub(" | ", text))


def _placed(text: str) -> Iterator[tuple[str, int]]:
    words, lines, cuts = [], [], [0]
    for number, line in enumerate(text.split("\n"), 1):
        for piece in _pieces(line):
            if found := words_of(piece):
                words += found
                lines += [number] * len(found)
                cuts.append(len(words))
    for place, start in enumerate(cuts):
        for end in cuts[place + 1 : place + EXCERPT]:
            if WHOLE <= end - start < EXCERPT:
                yield " ".join(words[start:end]), lines[start]
    yield from zip(windows(words), lines, strict=False)


def _pieces(line: str) -> Iterator[str]:
    """A line in parts: between two of them stands what sets words apart, or a label begins."""
    start = 0
    for between in _BETWEEN.finditer(line):
        if not _sets_apart(between[0]):
            continue
        piece = line[start : between.start()]
        before, space, label = piece.rpartition(" ")
        if between[0].startswith(":") and label[:1].isupper():
            yield before + space
            piece = label
        yield piece
        start = between.end()
    yield line[start:]


def _sets_apart(between: str) -> bool:
    if between.isspace():
        return len(between) > 1 or between == "\t"  # columns
    if between in _JOINS:
        return False
    # combining marks (vowels of many scripts) and characters of no width are parts of words to whoever reads them
    return any(not mark.isspace() and unicodedata.category(mark) not in ("Mn", "Mc", "Me", "Cf") for mark in between)
