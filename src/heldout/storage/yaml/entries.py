"""One entry of a document that people edit, set to another value: every other byte stays, comments among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.domain.example import JSON
from heldout.errors import ConfigError
from heldout.storage.yaml.files import load_yaml
from heldout.storage.yaml.scalars import string_text

_COLON = re.compile(r"[ \t]*:")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|$)")


def with_entry(data: bytes, key: str, value: str | bool, default: str | bool, after: Sequence[str]) -> bytes:
    """A mapping with this value under one of its topmost keys; the same bytes where it has it already.

    The default is what a missing entry means: an entry that becomes it goes, with its line. A new one stands below the
    last of the entries `after` that is there. Only for a document that `load_yaml` accepts. Raises ValueError where the
    document is written in such a way that only a person can do it.
    """
    before = load_yaml(data, "")
    assert isinstance(before, dict)
    if (before.get(key) or default) == value:
        return data
    text = data.decode("utf-8")
    marked = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(marked)
    wanted: dict[str, JSON] = {**before, key: value}
    for written in _attempts(text, key, value, value == default, after):
        result = f"{marked}{written}".encode()
        if _says(result, wanted, key, default):
            return result
    raise ValueError(f"{key} cannot be set to another value by its lines")


def _says(data: bytes, wanted: dict[str, JSON], key: str, default: str | bool) -> bool:
    try:
        found = load_yaml(data, "")
    except ConfigError:
        return False
    return isinstance(found, dict) and {key: default, **found} == wanted


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a key and its value stand in the text; `is_scalar` where the value is neither list nor mapping."""

    start: int
    value: int
    end: int
    is_scalar: bool


def _attempts(text: str, key: str, value: str | bool, goes: bool, after: Sequence[str]) -> Iterator[str]:
    """The text with the change, the way that a person would like best first."""
    flow, entries = _entries(text)
    line_end = "\r\n" if "\r\n" in text else "\n"
    entry = entries.get(key)
    if entry is None:
        above = [entries[name] for name in after if name in entries]
        if above:
            yield from _added(text, above[-1].end, key, value, line_end, flow)
        return
    if not entry.is_scalar:
        return
    if goes and not flow:
        yield text[: entry.start] + text[_line_after(text, entry.end) :]
    gap = "" if text[entry.start : entry.value].endswith((" ", "\t", "\n")) else " "
    for shown in _forms(value, line_end, flow):
        yield f"{text[: entry.value]}{gap}{shown}{text[entry.end :]}"


def _added(text: str, end: int, key: str, value: str | bool, line_end: str, flow: bool) -> Iterator[str]:
    for shown in _forms(value, line_end, flow):
        if flow:
            yield f"{text[:end]}, {key}: {shown}{text[end:]}"
            continue
        at = _line_after(text, end)
        broken = "" if text[:at].endswith("\n") else line_end
        yield f"{text[:at]}{broken}{key}: {shown}{line_end}{text[at:]}"


def _line_after(text: str, place: int) -> int:
    """Where the next line starts, below what stands at this place and its comment."""
    rest = _REST.match(text, place)
    return place if rest is None else rest.end()


def _forms(value: str | bool, line_end: str, flow: bool) -> Iterator[str]:
    """Lines as lines where YAML can hold them so, else one scalar."""
    if isinstance(value, bool):
        yield "true" if value else "false"
        return
    if "\n" in value and not flow and not value.endswith("\n"):
        yield line_end.join(["|-", *(f"  {line}" if line else "" for line in value.split("\n"))])
    yield string_text(value)


def _entries(text: str) -> tuple[bool, dict[str, _Entry]]:
    """Whether the topmost mapping stands in braces, and its entries by key."""
    from ruamel.yaml import YAML

    depth, flow, entries = 0, False, {}
    key: Any = None
    start: Any = None
    for event in YAML(typ="safe", pure=True).parse(text):
        kind = type(event).__name__
        if depth == 0 and kind == "MappingStartEvent":
            flow = bool(event.flow_style)
        elif depth == 1 and kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent") and key is None:
            key = event
        elif depth == 1 and kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            start = event
        depth += kind in ("SequenceStartEvent", "MappingStartEvent")
        depth -= kind in ("SequenceEndEvent", "MappingEndEvent")
        if depth == 1 and start is not None:
            entries[str(key.value)] = _entry(text, key, start, event)
            key = start = None
    return flow, entries


def _entry(text: str, key: Any, start: Any, last: Any) -> _Entry:
    """A block's end is where its text ends: the empty lines and comments below belong to what follows.

    A value that is not there stands behind its colon; the parser reports it where it gave up looking.
    """
    value, end = start.start_mark.index, last.end_mark.index
    colon = _COLON.match(text, key.end_mark.index)
    if value == end and colon is not None:
        value = end = colon.end()
    if start is last and start.style in ("|", ">"):
        end = value + len(text[value:end].rstrip())
    return _Entry(key.start_mark.index, value, end, start is last)
