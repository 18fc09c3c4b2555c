"""JSON text, read exactly or refused with its place (decision A50).

The standard library's C parser does the work. It forgives duplicate keys, NaN, numbers that a float cannot keep and
lone surrogates, and how deep it goes depends on the Python; hooks and a count of brackets catch these, and then a slow
parser written to RFC 8259 walks the text once more, only to say where the fault is. docs/reading.md has the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, NoReturn

from heldout.domain.example import JSON
from heldout.storage.exact_numbers import InexactNumber, exact_float

MAX_DEPTH: Final = 200
"""How many lists and objects may stand inside each other, on every Python: `[[1]]` is two deep."""

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LITERALS: Final[dict[str, JSON]] = {"true": True, "false": False, "null": None}
_TOO_DEEP: Final = f"nested more than {MAX_DEPTH} deep"


class JSONFault(ValueError):
    """Why a text is no exact JSON, and where.

    `line` and `column` count from 1 and columns are characters; `path` names the enclosing value, `$` the whole;
    `offset` is the byte where decoding stopped, only for invalid UTF-8. `slug` is one of bad-json, duplicate-key,
    not-finite, lone-surrogate, too-deep, number-too-large, inexact-number, bad-encoding.
    """

    def __init__(
        self, slug: str, reason: str, *, line: int = 1, column: int = 1, path: str = "$", offset: int | None = None
    ) -> None:
        super().__init__(f"{reason} (line {line}, column {column}, {path})")
        self.slug = slug
        self.reason = reason
        self.line = line
        self.column = column
        self.path = path
        self.offset = offset


class _Inexact(ValueError):
    """A value the fast parser would have changed; only a signal to look for the place."""


def _pairs(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Inexact
    return result


def _constant(_: str) -> NoReturn:
    raise _Inexact


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=exact_float, parse_constant=_constant)


def parse_json(source: str | bytes) -> JSON:
    """The one JSON value that `source` holds; 1.0 stays a float, integers are exact. Raises JSONFault.

    Bytes are UTF-8; a byte order mark in front of them is dropped.
    """
    text = decode_utf8(source) if isinstance(source, bytes) else source
    try:
        value: JSON = _DECODER.decode(text)
        _check(value, text, 0, len(text))
    except (ValueError, RecursionError):
        raise _explain(text) from None
    return value


def _check(value: JSON, text: str, start: int, end: int) -> None:
    """Raises ValueError for what the fast parser lets through without a hook: depth and lone surrogates."""
    brackets = text.count("[", start, end) + text.count("{", start, end)
    if brackets > MAX_DEPTH and _is_too_deep(value):
        raise _Inexact
    if _SURROGATE_ESCAPE.search(text, start, end):
        json.dumps(value, ensure_ascii=False).encode("utf-8")


def _is_too_deep(value: JSON) -> bool:
    level: list[JSON] = [value]
    for _ in range(MAX_DEPTH):
        level = [item for outer in level for item in _inside(outer) if isinstance(item, list | dict)]
        if not level:
            return False
    return True


def _inside(value: JSON) -> Iterable[JSON]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def decode_utf8(data: bytes) -> str:
    """Bytes as text without its byte order mark. Raises JSONFault with the byte offset."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        reason = f"byte 0x{data[error.start]:02x} is not UTF-8 text"
        raise JSONFault("bad-encoding", reason, line=line, column=column, offset=error.start) from None
    return text.removeprefix("\ufeff")


def _explain(text: str) -> JSONFault:
    try:
        walker = Walker(text)
        walker.value()
        walker.end()
    except JSONFault as fault:
        return fault
    except RecursionError:
        return JSONFault("too-deep", _TOO_DEEP)
    return JSONFault("too-deep", _TOO_DEEP)


class Walker:
    """A cursor over JSON text that reads values, or steps through the members of one, keeping its place.

    The steps serve readers that want the rows of a list inside a large document one at a time, each with its line.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._known, self._line, self._line_start = 0, 1, 0
        self.skip()

    def skip(self) -> str:
        """Move to the next token; its first character, or "" at the end of the text."""
        match = _WHITESPACE.match(self.text, self.position)
        assert match is not None
        self.position = match.end()
        return self.text[self.position : self.position + 1]

    def line(self) -> int:
        """The line of the position, from 1."""
        return self._place(self.position)[0]

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column, counted on from the last place that was asked for: a walk with many faults stays linear."""
        if at < self._known:
            self._known, self._line, self._line_start = 0, 1, 0
        self._line += self.text.count("\n", self._known, at)
        self._line_start = max(self._line_start, self.text.rfind("\n", self._known, at) + 1)
        self._known = at
        return self._line, at - self._line_start + 1

    def fail(self, slug: str, reason: str, path: str, position: int | None = None) -> NoReturn:
        line, column = self._place(self.position if position is None else position)
        raise JSONFault(slug, reason, line=line, column=column, path=path)

    def end(self) -> None:
        if self.skip():
            self.fail("bad-json", "more text after the end of the value", "$")

    def fast_value(self, path: str) -> JSON:
        """The value here by the C parser, explained by the slow one when it is refused; the cursor moves past it."""
        start = self.position
        try:
            value: JSON
            value, self.position = _DECODER.raw_decode(self.text, start)
            _check(value, self.text, start, self.position)
            return value
        except (ValueError, RecursionError):
            self.position = start
        try:
            return self.value(path)
        except RecursionError:
            self.fail("too-deep", _TOO_DEEP, path, start)

    def value(self, path: str = "$", depth: int = 0) -> JSON:
        """The value here by the slow parser: every refusal with its exact place."""
        head = self.skip()
        if head in ("{", "[") and depth == MAX_DEPTH:
            # Its path has 200 parts: line and column say it better.
            self.fail("too-deep", _TOO_DEEP, "$")
        if head == "{":
            return {key: self.value(_child(path, key), depth + 1) for key in self.members(path)}
        if head == "[":
            return [self.value(f"{path}[{index}]", depth + 1) for index in self.elements(path)]
        if head == '"':
            return self.string(path)
        return self._number_or_literal(head, path)

    def elements(self, path: str) -> Iterator[int]:
        """Step through an array: yields each index with the cursor on the element, which the caller reads."""
        self.position += 1
        if self.skip() == "]":
            self.position += 1
            return
        index = 0
        while True:
            self.skip()
            yield index
            index += 1
            if self._closed("]", path):
                return

    def members(self, path: str) -> Iterator[str]:
        """Step through an object: yields each key with the cursor on its value, which the caller reads."""
        self.position += 1
        if self.skip() == "}":
            self.position += 1
            return
        seen: set[str] = set()
        while True:
            start = self.position
            if self.skip() != '"':
                self.fail("bad-json", "expected a key in double quotes", path)
            key = self.string(path)
            if key in seen:
                self.fail("duplicate-key", f"the key {json.dumps(key)} appears twice in one object", path, start)
            seen.add(key)
            if self.skip() != ":":
                self.fail("bad-json", f"expected ':' after the key {json.dumps(key)}", path)
            self.position += 1
            self.skip()
            yield key
            if self._closed("}", path):
                return
            self.skip()

    def string(self, path: str) -> str:
        start = self.position
        text: str
        try:
            text, self.position = scanstring(self.text, start + 1, True)
        except json.JSONDecodeError as error:
            reason = error.msg[0].lower() + error.msg[1:]
            self.fail("bad-json", reason.removesuffix(" at").removesuffix(" starting"), path, error.pos)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            self.fail("lone-surrogate", "half of a surrogate pair in a string", path, start)
        return text

    def _closed(self, closing: str, path: str) -> bool:
        head = self.skip()
        if head not in (",", closing) or not head:
            what = "the text ends" if not head else f"found {json.dumps(head, ensure_ascii=False)}"
            self.fail("bad-json", f"expected ',' or '{closing}' but {what}", path)
        self.position += 1
        return head == closing

    def _number_or_literal(self, head: str, path: str) -> JSON:
        for word, value in _LITERALS.items():
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return value
        match = _NUMBER.match(self.text, self.position)
        if match is not None:
            return self._number(match, path)
        for constant in ("NaN", "Infinity", "-Infinity"):
            if self.text.startswith(constant, self.position):
                self.fail("not-finite", f"{constant} is no JSON number", path)
        found = f"expected a value, found {json.dumps(head, ensure_ascii=False)}"
        return self.fail("bad-json", found if head else "the text ends where a value should stand", path)

    def _number(self, match: re.Match[str], path: str) -> JSON:
        try:
            if match[1] is None and match[2] is None:
                value: int | float = int(match[0])
            else:
                value = exact_float(match[0])
        except InexactNumber as error:
            self.fail("number-too-large" if error.overflow else "inexact-number", str(error), path)
        except ValueError:
            self.fail("number-too-large", "the integer has too many digits", path)
        self.position = match.end()
        return value


def _child(path: str, key: str) -> str:
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key, ensure_ascii=False)}]"
