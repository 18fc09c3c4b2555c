"""The one-line form of a condition, for `--where`: `SUBJECT[.KEY] OPERATOR [VALUE]`.

    metadata.language eq de
    tag contains "billing question"
    metadata.turns gte 3
    input.messages.0.role in [user, system]
    metadata.reviewer not_exists

A word without quotes is a text, save that `true`, `false`, `null` and what JSON calls a number are what they are in
JSON; in quotes, single or double, everything is a text, with JSON's escapes and `\\'`. A list is written with commas,
with or without brackets around it. A key with a space, a quote or a comma is quoted, as in `metadata."two words"`; a
dot inside a name of a field path is `\\.`, while a metadata key is taken as it stands, dots included. `field.` in front
of a path that starts with `input` or `expected` may be left out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from decimal import Decimal
from typing import Final

from heldout.domain.canonical import CanonicalError, canonical_json
from heldout.domain.example import JSON
from heldout.domain.slicing.definition import Condition, Scalar
from heldout.domain.slicing.rules import KEYED, LISTS, PRESENCE, DefinitionError

_SPACE = re.compile(r"\s*")
_BARE = re.compile(r"""[^\s"'\[\],]+""")
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*\'""", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS: Final[dict[str, JSON]] = {"true": True, "false": False, "null": None}
_PATHS: Final = ("input", "expected")
# Words that are written without quotes: a part of those that are read so.
_PLAIN = re.compile(r"[\w./:@%+#=-]+")


class LanguageError(ValueError):
    """A text is no condition. `position` is the character, from 0, where the fault is."""

    def __init__(self, text: str, position: int, reason: str, hint: str | None = None) -> None:
        super().__init__(f"{reason} (character {position + 1})")
        self.text = text
        self.position = position
        self.reason = reason
        self.hint = hint

    def pointed(self) -> str:
        """Two lines: the text on one line, and a caret below the character."""
        shown = "".join(character if character.isprintable() else " " for character in self.text)
        return f"{shown}\n{' ' * sum(map(_width, shown[: self.position]))}^"


def parse_condition(text: str) -> Condition:
    """Raises LanguageError, for broken syntax and for broken rules alike."""
    reader = _Reader(text)
    places: dict[str | int, int] = {"subject": reader.start()}
    subject, key = reader.subject(places)
    places["operator"] = reader.start()
    operator = reader.word("an operator, as in `tag contains billing`")
    places["value"] = reader.start()
    values, starts = reader.values(operator)
    try:
        if not values:
            return Condition(subject, key, operator)
        if operator in LISTS:
            return Condition(subject, key, operator, values=tuple(values))  # type: ignore[arg-type]
        if values[0] is None:
            raise DefinitionError("null is no value; use exists or not_exists, or quote the word", "value")
        return Condition(subject, key, operator, values[0])  # type: ignore[arg-type]
    except DefinitionError as error:
        raise LanguageError(text, _place(error, places, starts), error.message, error.hint) from None


def parse_values(text: str, operator: str) -> list[JSON]:
    """What stands after an operator, for a form that has a field for each part. Raises LanguageError."""
    reader = _Reader(text)
    reader.start()
    return reader.values(operator)[0]


def render_condition(condition: Condition) -> str:
    """The text that `parse_condition` reads back as an equal condition."""
    words = [_head(condition), condition.operator]
    if values := render_values(condition):
        words.append(f"[{values}]" if condition.values is not None else values)
    return " ".join(words)


def render_values(condition: Condition) -> str:
    """The text that `parse_values` reads back; empty for an operator without values."""
    if condition.values is not None:
        return ", ".join(map(_value_text, condition.values))
    return "" if condition.value is None else _value_text(condition.value)


class _Reader:
    """Walks the text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def start(self) -> int:
        """Where the next word starts; the position moves there."""
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._at

    def fault(self, reason: str, at: int | None = None, hint: str | None = None) -> LanguageError:
        return LanguageError(self._text, self._at if at is None else at, reason, hint)

    def word(self, what: str) -> str:
        match = _BARE.match(self._text, self._at)
        if match is None:
            raise self.fault(f"expected {what}")
        self._at = match.end()
        return match[0]

    def subject(self, places: dict[str | int, int]) -> tuple[str, str | None]:
        """The subject, and the key after its first dot."""
        start = self._at
        head = self.word("a subject, as in `metadata.language eq de`")
        subject, dot, key = head.partition(".")
        places["key"] = start + len(subject) + len(dot)
        if self._at < len(self._text) and self._text[self._at] in "\"'":
            if not head.endswith("."):
                raise self.fault("a quote opens after a dot or after a space only", hint="Quote the whole key.")
            key += self._quoted()
            if self._at < len(self._text) and not self._text[self._at].isspace():
                raise self.fault("expected a space after the quoted key", hint="Quote the key to its end.")
        if subject in _PATHS:
            places["key"] = start
            return "field", f"{subject}{dot}{key}"
        return subject, key if dot else None

    def values(self, operator: str) -> tuple[list[JSON], list[int]]:
        """What follows the operator, and where each value starts."""
        if self._at == len(self._text):
            if operator in PRESENCE:
                return [], []
            raise self.fault(f"expected a value after {operator}")
        if operator in PRESENCE:
            raise self.fault(f"{operator} takes no value")
        bracket = operator in LISTS and self._text[self._at] == "["
        self._at += bracket
        values: list[JSON] = []
        starts: list[int] = []
        while True:
            starts.append(self.start())
            values.append(self._value())
            self.start()
            if not (operator in LISTS and self._text.startswith(",", self._at)):
                break
            self._at += 1
        if bracket:
            if not self._text.startswith("]", self._at):
                raise self.fault("expected a comma or the closing ]")
            self._at += 1
            self.start()
        self._end(operator, starts[-1])
        return values, starts

    def _end(self, operator: str, last: int) -> None:
        if self._at == len(self._text):
            return
        if operator in LISTS:
            raise self.fault("expected a comma between values, or the end")
        if self._text[self._at] == ",":
            raise self.fault(f"{operator} takes one value; put quotes around one that has a comma, or use in")
        raise self.fault(
            "expected the end after one value", hint=f"Put quotes around it all: {_json(self._text[last:])}"
        )

    def _value(self) -> JSON:
        start = self._at
        if self._text[start : start + 1] in ("'", '"'):
            value = self._quoted()
            if self._at < len(self._text) and not re.match(r"[\s,\]]", self._text[self._at]):
                raise self.fault("expected a space, a comma or the end after the closing quote")
            return value
        word = self.word("a value")
        if self._at < len(self._text) and self._text[self._at] in "\"'":
            raise self.fault("a quote inside a word", hint="Put quotes around the whole value.")
        if word in _LITERALS:
            return _LITERALS[word]
        match = _NUMBER.fullmatch(word)
        if match is None:
            return word
        return self._decimal(word, start) if match[1] or match[2] else self._integer(word, start)

    def _integer(self, word: str, start: int) -> int:
        try:
            return int(word)
        except ValueError:
            raise self.fault("the number has too many digits", start) from None

    def _decimal(self, word: str, start: int) -> float:
        """Files are read so that no digit is lost; here a number is read as carefully."""
        value = float(word)
        if value in (float("inf"), float("-inf")):
            raise self.fault("the number is too large for a 64-bit float", start)
        if Decimal(repr(value)) != Decimal(word):
            raise self.fault("the number has more digits than a 64-bit float keeps", start)
        return value

    def _quoted(self) -> str:
        start = self._at
        match = _QUOTED.match(self._text, start)
        if match is None:
            raise self.fault("the quote that opens here is never closed")
        self._at = match.end()
        inside, pieces, done = match[0][1:-1], [], 0
        for escape in _ESCAPE.finditer(inside):
            pieces += [inside[done : escape.start()], self._escaped(escape[1], start + 1 + escape.start())]
            done = escape.end()
        return "".join([*pieces, inside[done:]])

    def _escaped(self, code: str, at: int) -> str:
        if code in _ESCAPES:
            return _ESCAPES[code]
        if code in ('"', "'", "\\", "/"):
            return code
        if len(code) < 5:
            raise self.fault(f"unknown escape \\{code}; a backslash is written \\\\", at)
        try:
            text = str(json.loads(f'"\\{code}"'))
            canonical_json(text)
        except CanonicalError:
            raise self.fault("half of a surrogate pair", at) from None
        return text


def _place(error: DefinitionError, places: dict[str | int, int], starts: list[int]) -> int:
    """The character of a broken rule."""
    if not error.path:
        return places["value"]
    part, *rest = error.path
    if part in ("value", "values"):
        return starts[rest[0]] if rest and isinstance(rest[0], int) else places["value"]
    return places[part]


def _head(condition: Condition) -> str:
    if condition.key is None:
        return condition.subject
    first, dot, rest = condition.key.partition(".")
    if condition.subject == "field" and first in _PATHS:
        return f"{first}{dot}{_key_text(rest) if dot else ''}"
    assert condition.subject in KEYED
    return f"{condition.subject}.{_key_text(condition.key)}"


def _key_text(key: str) -> str:
    return key if _BARE.fullmatch(key) and key.isprintable() else _json(key)


def _value_text(value: Scalar) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    plain = _PLAIN.fullmatch(value) and value not in _LITERALS and not _NUMBER.fullmatch(value)
    return value if plain else _json(value)


def _json(text: str) -> str:
    """In double quotes, with escapes for what a terminal would not show."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(character if character.isprintable() else json.dumps(character)[1:-1] for character in quoted)


def _width(character: str) -> int:
    """Columns in a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
