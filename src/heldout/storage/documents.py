"""Documents of YAML, JSON and JSON Lines as checked mappings, each with its format named first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, parse_json
from heldout.storage.regular_files import opened
from heldout.storage.yaml.files import Located, load_yaml_located
from heldout.storage.yaml.schema import Section, kind_of


def read_bytes(path: str) -> bytes:
    with opened(Path(path), path) as (stream, _):
        return stream.read()


def top_of(located: Located, form: str) -> Section:
    """The document, which says that it has this format. Raises ConfigError (slugs missing-key, unknown-format)."""
    top = Section(located, located.value)
    if top.needed_text("format") != form:
        top.fail("unknown-format", f"this Heldout reads {form!r} here", "format")
    return top


def yaml_document(path: str, form: str) -> Section:
    return top_of(load_yaml_located(read_bytes(path), path), form)


def json_document(path: str) -> Located:
    return Located(_parsed(read_bytes(path), path, None), path, {})


def json_lines(path: str) -> Iterator[tuple[int, Located]]:
    """Every line that is not blank, from 1; faults are at their line."""
    for number, line in enumerate(read_bytes(path).split(b"\n"), 1):
        if line.strip():
            yield number, Located(_parsed(line, path, number), path, _OneLine(number))


def json_bytes(value: Mapping[str, JSON]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def json_line(value: Mapping[str, JSON]) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8")


class _OneLine(dict[tuple[str | int, ...], int]):
    """All of a line's entries are on that line."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def __contains__(self, path: object) -> bool:
        return True

    def __missing__(self, path: object) -> int:
        return self._number


def _parsed(data: bytes, path: str, line: int | None) -> JSON:
    try:
        return parse_json(data)
    except JSONFault as fault:
        at = fault.line if line is None else line
        raise DataError(fault.slug, fault.reason, file=path, line=at, offset=fault.offset) from None


# --- entries of a section -------------------------------------------------------------------------------------------


def whole(section: Section, key: str, least: int) -> int:
    value = section.raw(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        section.fail("wrong-type", f"expected a whole number of at least {least}, found {kind_of(value)}", key)
    return value


def fraction(section: Section, key: str) -> Fraction:
    """A number as it is written, 0.05 being 1/20 exactly, or a fraction as text."""
    return fraction_of(section, section.raw(key), key)


def fraction_of(section: Section, value: JSON, *at: str | int) -> Fraction:
    def refuse() -> NoReturn:
        section.fail("bad-value", f"expected a number such as 0.05 or a text such as 1/20, found {kind_of(value)}", *at)

    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 40:
        refuse()
    text = str(value)
    try:
        if "e" in text.lower():
            refuse()
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        refuse()


def needed_texts(section: Section, key: str) -> tuple[str, ...]:
    found = section.texts(key)
    if found is None:
        section.fail("missing-key", f"the key {key!r} is needed here", key)
    return found


def needed_section(section: Section, key: str) -> Section:
    found: Any = section.section(key)
    if found is None:
        section.fail("missing-key", f"the key {key!r} is needed here", key)
    assert isinstance(found, Section)
    return found
