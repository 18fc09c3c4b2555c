"""The one door to YAML: strict reading with line numbers, and writing whose bytes never change.

Refused, because people do not mean them and machines are hurt by them (decision A49): aliases and anchors (a small
file can expand to millions of nodes), tags, several documents, duplicate keys, keys that are no text, bytes that are
not UTF-8. Only this module imports ruamel.yaml, and only when the text is more than the plain block style that Heldout
and DVC write themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from heldout.domain.example import JSON
from heldout.errors import ConfigError
from heldout.storage.json_strict import MAX_DEPTH, JSONFault, decode_utf8
from heldout.storage.yaml.scalars import plain_value, string_text
from heldout.storage.yaml.simple import Path, parse_simple

_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
_BRACKETS = re.compile(r"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Located:
    """A YAML document as plain data, with the line of each of its entries for messages."""

    value: JSON
    name: str
    lines: Mapping[Path, int] = field(repr=False)

    def line(self, *path: str | int) -> int | None:
        """The line, from 1, of the entry at `path` or of the nearest one around it that has a line."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None


def load_yaml(data: bytes, name: str) -> JSON:
    """The document as plain data; an empty one is null. Raises ConfigError; `name` is what messages call the file."""
    return load_yaml_located(data, name).value


def load_yaml_located(data: bytes, name: str) -> Located:
    """As `load_yaml`, keeping line numbers."""
    try:
        text = decode_utf8(data)
    except JSONFault as fault:
        raise ConfigError(fault.slug, fault.reason, file=name, line=fault.line, offset=fault.offset) from None
    simple = parse_simple(text)
    value, lines = _parse_full(text, name) if simple is None else simple
    return Located(value, name, lines)


def dump_yaml(value: JSON) -> bytes:
    """Block style, keys in the order given, UTF-8, LF: the same bytes for the same value on every machine.

    Strings that any YAML reader could take for something else, digests among them, are in double quotes. Raises
    ValueError for what JSON cannot hold.
    """
    if isinstance(value, Mapping | list | tuple) and value:
        return "".join(f"{line}\n" for line in _block(value)).encode("utf-8")
    return f"{_scalar_text(value)}\n".encode()


def _block(value: Mapping[str, JSON] | Sequence[JSON]) -> Iterator[str]:
    entries: Iterator[tuple[str, JSON]]
    if isinstance(value, Mapping):
        entries = ((f"{string_text(key)}:", item) for key, item in value.items())
    else:
        entries = (("-", item) for item in value)
    for head, item in entries:
        if not (isinstance(item, Mapping | list | tuple) and item):
            yield f"{head} {_scalar_text(item)}"
        elif head == "-":
            inner = _block(item)
            yield f"- {next(inner)}"
            yield from (f"  {line}" for line in inner)
        else:
            yield head
            indent = "  " if isinstance(item, Mapping) else ""
            yield from (f"{indent}{line}" for line in _block(item))


def _scalar_text(value: JSON) -> str:
    if isinstance(value, str):
        return string_text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise ValueError("NaN and infinities have no YAML form here")
        return repr(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise ValueError(f"{type(value).__name__} has no YAML form here")


def append_items(data: bytes, key: str, items: Sequence[JSON]) -> bytes:
    """A document that people edit, with items added at the end of its list under `key`; no other byte changes.

    Only for a document that `load_yaml` accepts and that has the list. What stands around the list can make the lines
    mean something else (a block scalar before them): the caller reads the result.
    """
    text = data.decode("utf-8")
    marked = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(marked)
    start, end = _list_events(text, key)
    if start.flow_style:
        at = end.end_mark.index if end is not start else start.start_mark.index + 1
        added = ", ".join(map(_flow, items))
        return f"{marked}{text[:at]}{', ' * (end is not start)}{added}{text[at:]}".encode()
    line_end = "\r\n" if "\r\n" in text else "\n"
    at = text.find("\n", max(end.end_mark.index - (end.end_mark.column == 0), 0)) + 1 or len(text)
    indent = " " * start.start_mark.column
    added = "".join(f"{indent}{line}{line_end}" for line in _block(items))
    gap = "" if text[:at].endswith("\n") else line_end
    return f"{marked}{text[:at]}{gap}{added}{text[at:]}".encode()


def _list_events(text: str, key: str) -> tuple[Any, Any]:
    """Where the list under a key of the topmost mapping starts, and the last thing in it (the start, when empty)."""
    from ruamel.yaml import YAML

    depth, found, last, before = 0, None, None, None
    for event in YAML(typ="safe", pure=True).parse(text):
        kind = type(event).__name__
        if found is None and depth == 1 and kind == "SequenceStartEvent" and getattr(before, "value", None) == key:
            found = last = event
        elif found is not None and kind == "SequenceEndEvent" and depth == 2:
            return found, last
        elif found is not None and (event.end_mark.index > event.start_mark.index or kind == "ScalarEvent"):
            last = event
        depth += kind.endswith("StartEvent") and kind[0] in "SM" and kind != "StreamStartEvent"
        depth -= kind in ("SequenceEndEvent", "MappingEndEvent")
        before = event
    raise ValueError(f"there is no list under {key!r}")


def _flow(value: JSON) -> str:
    if isinstance(value, Mapping) and value:
        return "{" + ", ".join(f"{string_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple) and value:
        return f"[{', '.join(map(_flow, value))}]"
    return _scalar_text(value)


def _parse_full(text: str, name: str) -> tuple[JSON, dict[Path, int]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if _flow_depth(text) > MAX_DEPTH:
        raise ConfigError("bad-yaml", _TOO_DEEP, file=name)
    builder = _Builder(name)
    try:
        value = builder.document(YAML(typ="safe", pure=True).parse(text))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = None if mark is None else mark.line + 1
        raise ConfigError("bad-yaml", f"not valid YAML: {reason}", file=name, line=line) from None
    except RecursionError:
        raise ConfigError("bad-yaml", _TOO_DEEP, file=name) from None
    except (AssertionError, ValueError, LookupError, AttributeError, TypeError) as error:
        # The parser of ruamel.yaml fails so on a few damaged texts, `%YAML 1.99` among them.
        raise ConfigError("bad-yaml", f"not valid YAML: {error}", file=name) from error
    return value, builder.lines


def _flow_depth(text: str) -> int:
    """An upper bound of how deep brackets nest: the parser's time grows with its square, 34 s for 5,000 (measured)."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


class _Builder:
    """Builds plain data from parse events, so that nothing is expanded or constructed before it is checked."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.lines: dict[Path, int] = {}

    def document(self, events: Iterator[Any]) -> JSON:
        value: JSON = None
        seen = False
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                if seen:
                    self._refuse("yaml-feature", "a second document (`---`)", event)
                if event.version or event.tags:
                    self._refuse("yaml-feature", "a directive (a line that starts with %)", event)
                seen = True
                value = self._value(next(events), events, ())
        return value

    def _value(self, event: Any, events: Iterator[Any], path: Path) -> JSON:
        self._check(event)
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return self._scalar(event)
        if len(path) >= MAX_DEPTH:
            self._refuse("bad-yaml", _TOO_DEEP, event)
        if kind == "SequenceStartEvent":
            return self._sequence(events, path)
        return self._mapping(events, path)

    def _sequence(self, events: Iterator[Any], path: Path) -> JSON:
        result: list[JSON] = []
        while type(event := next(events)).__name__ != "SequenceEndEvent":
            here = (*path, len(result))
            self.lines[here] = event.start_mark.line + 1
            result.append(self._value(event, events, here))
        return result

    def _mapping(self, events: Iterator[Any], path: Path) -> JSON:
        result: dict[str, JSON] = {}
        while type(event := next(events)).__name__ != "MappingEndEvent":
            self._check(event)
            if type(event).__name__ != "ScalarEvent":
                self._refuse("yaml-feature", "a key that is a list or a mapping", event)
            key = self._text(event)
            if key in result:
                self._refuse("duplicate-key", f"the key {key!r} appears twice", event)
            here = (*path, key)
            self.lines[here] = event.start_mark.line + 1
            result[key] = self._value(next(events), events, here)
        return result

    def _scalar(self, event: Any) -> JSON:
        text = self._text(event)
        if not event.implicit[0]:
            return text
        try:
            return plain_value(text)
        except ValueError as error:
            self._refuse("bad-yaml", str(error), event)

    def _text(self, event: Any) -> str:
        """A scalar's text. Two escapes that are the halves of one character are that character, as in JSON."""
        text = str(event.value)
        try:
            text.encode("utf-8")
            return text
        except UnicodeEncodeError:
            pass
        try:
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            self._refuse("lone-surrogate", "half of a surrogate pair in a text", event)

    def _check(self, event: Any) -> None:
        if type(event).__name__ == "AliasEvent":
            self._refuse("yaml-feature", f"an alias (*{event.anchor})", event)
        if getattr(event, "anchor", None) is not None:
            self._refuse("yaml-feature", f"an anchor (&{event.anchor})", event)
        if getattr(event, "tag", None) is not None:
            self._refuse("yaml-feature", f"a tag ({event.tag})", event)

    def _refuse(self, slug: str, what: str, event: Any) -> NoReturn:
        line = event.start_mark.line + 1
        message = f"{what} is not allowed here" if slug == "yaml-feature" else what
        raise ConfigError(slug, message, file=self._name, line=line)
