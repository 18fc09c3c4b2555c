"""Lists and mappings in brackets on one line, `{path: train.csv, split: train}`, for the parser that starts quickly."""

from __future__ import annotations

import re
from collections.abc import Callable

from heldout.domain.example import JSON
from heldout.storage.json_strict import MAX_DEPTH

Path = tuple[str | int, ...]

# No character that YAML gives a meaning at the start of, or inside, a scalar between brackets.
_PIECE = re.compile(
    r"""(?P<quoted> "(?:[^"\\]|\\.)*" | '(?:[^']|'')*' )
    | (?P<plain> (?!-[^A-Za-z0-9_./+~-]|-$)[A-Za-z0-9_./+~-][A-Za-z0-9_./@+~()=;-]*(?:[ ][A-Za-z0-9_./@+()=;-]+)* )
    | (?P<mark> [][{},] | :(?=[ ]) )
    | [ ]+""",
    re.VERBOSE,
)


class FlowParser:
    """One bracketed text of one line. Raises ValueError for all that it does not know; the complete parser decides."""

    def __init__(
        self, text: str, line: int, places: dict[Path, int], value: Callable[[str], JSON], key: Callable[[str], str]
    ) -> None:
        """`places` gets the line of every entry; `value` and `key` say what a scalar stands for."""
        self._pieces = [*_pieces(text), ("", "")]
        self._at = 0
        self._line = line
        self._places = places
        self._value = value
        self._key = key

    def parse(self, path: Path) -> JSON:
        found = self._any(path)
        if self._pieces[self._at][1]:
            raise ValueError
        return found

    def _any(self, path: Path) -> JSON:
        kind, text = self._next()
        if kind != "mark":
            return self._value(text)
        if len(path) >= MAX_DEPTH:
            raise ValueError
        if text == "[":
            return self._list(path)
        if text == "{":
            return self._mapping(path)
        raise ValueError

    def _list(self, path: Path) -> JSON:
        result: list[JSON] = []
        while not self._closes("]", first=not result):
            here = (*path, len(result))
            self._places[here] = self._line
            result.append(self._any(here))
        return result

    def _mapping(self, path: Path) -> JSON:
        result: dict[str, JSON] = {}
        while not self._closes("}", first=not result):
            kind, text = self._next()
            key = "" if kind == "mark" else self._key(text)
            if kind == "mark" or self._next() != ("mark", ":") or key in result:
                raise ValueError
            here = (*path, key)
            self._places[here] = self._line
            result[key] = self._any(here)
        return result

    def _closes(self, mark: str, *, first: bool) -> bool:
        """Whether the collection ends here; else what parts it from the next item has been passed."""
        if self._pieces[self._at] == ("mark", mark):
            self._at += 1
            return True
        if not first and self._next() != ("mark", ","):
            raise ValueError
        return False

    def _next(self) -> tuple[str, str]:
        piece = self._pieces[self._at]
        if not piece[1]:
            raise ValueError
        self._at += 1
        return piece


def _pieces(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise ValueError
        if piece.lastgroup:
            found.append((piece.lastgroup, piece[0]))
        at = piece.end()
    return found
