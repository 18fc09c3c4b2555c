"""Two texts side by side on a terminal, with the words that differ marked. Texts are shown here and stored nowhere."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

_TOKEN = re.compile(r"\n|[^\S\n]+|\S+")
_MOST_WORDS = 4000
"""Above this many words in a text no difference is marked: difflib takes quadratic time."""
_RED, _GREEN, _BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a run of blanks or a line end; `differs` where the other text has none to match."""

    text: str
    differs: bool = False


def printable(text: str) -> str:
    """Example text that cannot steer a terminal: controls and direction overrides as escapes."""
    return "".join(
        character.encode("unicode_escape").decode("ascii") if _steers(character) else character
        for character in text.replace("\r\n", "\n").replace("\t", "    ")
    )


def _steers(character: str) -> bool:
    return character in _BIDI or (character != "\n" and unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"))


def word_diff(first: str, second: str) -> tuple[list[Word], list[Word]]:
    """Both texts as words, the unmatched ones marked (longest matching blocks, Ratcliff and Obershelp)."""
    left, right = _TOKEN.findall(first), _TOKEN.findall(second)
    places = [[place for place, token in enumerate(tokens) if not token.isspace()] for tokens in (left, right)]
    if max(map(len, places)) > _MOST_WORDS:
        return [Word(token) for token in left], [Word(token) for token in right]
    words = [[tokens[place] for place in found] for tokens, found in zip((left, right), places, strict=True)]
    same: tuple[set[int], set[int]] = (set(), set())
    for a, b, length in difflib.SequenceMatcher(None, words[0], words[1], autojunk=False).get_matching_blocks():
        same[0].update(places[0][a : a + length])
        same[1].update(places[1][b : b + length])
    return tuple(  # type: ignore[return-value]
        [Word(token, not token.isspace() and place not in kept) for place, token in enumerate(tokens)]
        for tokens, kept in zip((left, right), same, strict=True)
    )


def side_by_side(
    heads: tuple[str, str], texts: tuple[Sequence[Word], Sequence[Word]], width: int, *, colour: bool
) -> list[str]:
    """Two columns of at most `width` cells together; without colour, words only here stand as [-word-] and {+word+}."""
    room = max((width - 3) // 2, 16)
    left = [heads[0][:room], *_wrapped(texts[0], room, _mark("[-", "-]", _RED, colour=colour))]
    right = [heads[1][:room], *_wrapped(texts[1], room, _mark("{+", "+}", _GREEN, colour=colour))]
    return [f"{_padded(a, room)} | {b}".rstrip() for a, b in zip_longest(left, right, fillvalue="")]


def highlighted(text: str, start: int, length: int, *, colour: bool) -> str:
    """A piece of a text in bold, or in brackets without colour."""
    before, piece, after = text[:start], text[start : start + length], text[start + length :]
    marked = f"{_BOLD}{printable(piece)}{_END}" if colour else f"[{printable(piece)}]"
    return printable(before) + marked + printable(after)


@dataclass(frozen=True, slots=True)
class _Mark:
    before: str
    after: str
    cells: int

    def put(self, text: str) -> str:
        return self.before + text + self.after


def _mark(before: str, after: str, code: str, *, colour: bool) -> _Mark:
    return _Mark(code, _END, 0) if colour else _Mark(before, after, len(before) + len(after))


def _wrapped(words: Sequence[Word], room: int, mark: _Mark) -> Iterator[str]:
    """Lines of at most `room` cells; a longer word is cut, and blanks at a break go."""
    line, used = "", 0
    for word in words:
        if word.text == "\n":
            yield line
            line, used = "", 0
            continue
        extra = mark.cells if word.differs else 0
        for piece in _pieces(word.text, room - extra):
            cells = _cells(piece) + extra
            if used + cells > room:
                yield line
                line, used = "", 0
                if piece.isspace():
                    continue
            line += mark.put(piece) if word.differs else piece
            used += cells
    if line or not words:
        yield line


def _pieces(text: str, room: int) -> Iterator[str]:
    piece, used = "", 0
    for character in text:
        cells = _cells(character)
        if used + cells > room and piece:
            yield piece
            piece, used = "", 0
        piece += character
        used += cells
    yield piece


def _cells(text: str) -> int:
    """Width on a terminal: East Asian wide characters take two cells, combining ones none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _padded(line: str, room: int) -> str:
    return line + " " * max(room - _cells(re.sub(r"\x1b\[\d+m", "", line)), 0)
