"""Columns of one plain type each, for frames and tables, without changing a value.

JSON allows any value in any row; a column does not. A column of texts, of whole numbers that fit 64 bits, of numbers
that are doubles, of booleans or of lists of texts is handed out as that. Every other one comes as JSON text, row by
row, so that nothing is rounded, unified or filled in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.example import JSON

_INT64 = range(-(2**63), 2**63)
_EXACT_DOUBLE = 2**53


class Type(StrEnum):
    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    TRUTH = "truth"
    TEXTS = "texts"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one type, and null. `values` of the type JSON are texts, and null where the value is absent or null."""

    name: str
    type: Type
    values: list[JSON]


def columns(records: Sequence[Mapping[str, JSON]]) -> list[Column]:
    """One column for each field of the records, which all have the same ones."""
    names = list(records[0]) if records else []
    return [_column(name, [record[name] for record in records]) for name in names]


def as_text(value: JSON) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _column(name: str, values: list[JSON]) -> Column:
    kind = _type_of([value for value in values if value is not None])
    if kind is Type.JSON:
        dumped = [None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False) for value in values]
        return Column(name, kind, [*dumped])
    if kind is Type.NUMBER:
        return Column(name, kind, [None if value is None else float(value) for value in values])  # type: ignore[arg-type]
    return Column(name, kind, values)


def _type_of(values: list[JSON]) -> Type:
    if all(isinstance(value, str) for value in values):
        return Type.TEXT
    if all(isinstance(value, bool) for value in values):
        return Type.TRUTH
    if all(type(value) is int and value in _INT64 for value in values):
        return Type.WHOLE
    if all(type(value) is float or (type(value) is int and abs(value) <= _EXACT_DOUBLE) for value in values):
        return Type.NUMBER
    if all(isinstance(value, list) and all(isinstance(item, str) for item in value) for value in values):
        return Type.TEXTS
    return Type.JSON
