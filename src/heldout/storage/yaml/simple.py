"""A parser for the plain YAML that Heldout and DVC write themselves, and that people write in a dataset.yaml.

Hooks read records and pointers in milliseconds, and importing ruamel.yaml alone costs 70 ms (measured). This reads the
subset that is one `key: value` or `- value` a line, with plain or quoted scalars and lists and mappings in brackets
that end on their line; for anything else it gives up with None, and the complete parser decides.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Final

from heldout.domain.example import JSON
from heldout.storage.json_strict import MAX_DEPTH
from heldout.storage.yaml.scalars import plain_value

Path = tuple[str | int, ...]

_ENTRY = re.compile(r'([A-Za-z_][A-Za-z0-9_.-]*|"(?:[^"\\]|\\.)*"):(?: +(.*))?')
# Once it has begun, a scalar that ends with its line may hold all but ':' and '#': commas and brackets are text there.
_PLAIN = re.compile(r"[\w./+~-][^\s:#]*(?: [^\s:#]+)*")
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_QUOTES: Final = "\"'"
_BRACKETS: Final = "[{"
_LONGEST_KEY: Final = 1000  # characters; YAML itself ends at 1,024


class _Beyond(Exception):
    """The text uses more of YAML than this parser knows."""


def parse_simple(text: str) -> tuple[JSON, dict[Path, int]] | None:
    """The value and the line (from 1) of every mapping entry and list item, or None where the full parser must look."""
    try:
        parser = _Parser(text)
        value = parser.block(parser.indent(), ())
        return None if parser.at < len(parser.lines) else (value, parser.places)
    except (_Beyond, ValueError, RecursionError):
        return None


class _Parser:
    def __init__(self, text: str) -> None:
        self.lines: list[tuple[int, int, str]] = []
        self.at = 0
        self.places: dict[Path, int] = {}
        for number, raw in enumerate(text.split("\n"), 1):
            indent, content = _line(raw)
            if content:
                self.lines.append((number, indent, content))
        if not self.lines:
            raise _Beyond

    def indent(self) -> int:
        return self.lines[self.at][1] if self.at < len(self.lines) else -1

    def content(self) -> str:
        return self.lines[self.at][2]

    def block(self, indent: int, path: Path) -> JSON:
        """The mapping or list whose entries stand at `indent`."""
        if len(path) >= MAX_DEPTH:
            raise _Beyond
        if self.content().startswith("- "):
            return self._list(indent, path)
        if _entry(self.content()):
            return self._mapping(indent, path)
        raise _Beyond

    def _mapping(self, indent: int, path: Path) -> JSON:
        result: dict[str, JSON] = {}
        while self.indent() == indent and not self.content().startswith("- "):
            entry = _entry(self.content())
            if entry is None or entry[0] in result:
                raise _Beyond
            key, value = entry
            here = (*path, key)
            self.places[here] = number = self.lines[self.at][0]
            self.at += 1
            result[key] = self._inline(value, here, number) if value else self._nested(indent, here)
        if self.indent() > indent:
            raise _Beyond
        return result

    def _inline(self, text: str, path: Path, number: int) -> JSON:
        """What stands on the line of its key or dash."""
        if text in ("[]", "{}"):
            return [] if text == "[]" else {}
        if text[0] in _BRACKETS:
            from heldout.storage.yaml.flow import FlowParser

            return FlowParser(text, number, self.places, _value, _key).parse(path)
        return _value(text)

    def _nested(self, indent: int, path: Path) -> JSON:
        """What follows `key:` alone: deeper lines, a list at the key's own indent, or nothing, which is null."""
        inner = self.indent()
        if inner > indent or (inner == indent and self.content().startswith("- ")):
            return self.block(inner, path)
        return None

    def _list(self, indent: int, path: Path) -> JSON:
        result: list[JSON] = []
        while self.indent() == indent and self.content().startswith("- "):
            number, _, content = self.lines[self.at]
            rest = content[2:].lstrip(" ")
            here = (*path, len(result))
            self.places[here] = number
            if rest.startswith("- ") or not rest:
                raise _Beyond
            if _entry(rest):
                # The item is a mapping whose first entry shares the dash's line: read it as if it stood alone.
                inner = indent + len(content) - len(rest)
                self.lines[self.at] = (number, inner, rest)
                result.append(self._mapping(inner, here))
            else:
                self.at += 1
                result.append(self._inline(rest, here, number))
        if self.indent() > indent:
            raise _Beyond
        return result


# Records and pointers of hundreds of versions repeat each other's lines and values.
@lru_cache(maxsize=4096)
def _line(raw: str) -> tuple[int, str]:
    """Indent and content; no content for an empty line or a comment."""
    content = raw.lstrip(" ")
    indent = len(raw) - len(content)
    # YAML ends a line at more characters than \n, in comments too, and refuses others: all of them are not printable.
    if not raw.isprintable():
        raise _Beyond
    if not content or content.startswith("#"):
        return 0, ""
    if " #" in content and not any(quote in content for quote in _QUOTES):
        content = content[: content.index(" #")].rstrip(" ")
    if content.startswith(("---", "...", "%")) or content != content.rstrip():
        raise _Beyond
    return indent, content


@lru_cache(maxsize=4096)
def _entry(content: str) -> tuple[str, str | None] | None:
    """Key and value text of one line of a mapping; None where it is none."""
    entry = _ENTRY.fullmatch(content)
    if entry is None:
        return None
    return _key(entry[1]), entry[2]


def _key(text: str) -> str:
    if len(text) > _LONGEST_KEY:
        raise _Beyond
    return _quoted(text) if text[0] in _QUOTES else text


@lru_cache(maxsize=4096)
def _value(text: str) -> JSON:
    if text[0] in _QUOTES:
        return _quoted(text)
    if not _PLAIN.fullmatch(text) or text.startswith("- ") or text == "-":
        raise _Beyond
    return plain_value(text)


def _quoted(text: str) -> str:
    """A text in quotes; of the escapes in double ones, those that JSON and YAML read alike."""
    if text.startswith("'"):
        if not _SINGLE.fullmatch(text):
            raise _Beyond
        return text[1:-1].replace("''", "'")
    if "\\u" in text:
        raise _Beyond  # JSON joins the halves of a surrogate pair, YAML does not
    value = json.loads(text)
    if not isinstance(value, str):
        raise _Beyond
    return value
