"""Slices for the page: rows, counts, the fields of the form, and a history as differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.difference import difference
from heldout.domain.slicing.language import render_condition, render_values
from heldout.domain.slicing.rules import KEYED, LISTS, OPERATORS, PRESENCE, DefinitionError
from heldout.domain.slicing.slices import Slice
from heldout.domain.slicing.views import Chosen, Column, Counted, Membership
from heldout.reports.answers import short
from heldout.reports.slicing.slices import counted_json, sample_notes, unevaluable_note
from heldout.reports.word_diff import printable

_MOST_SHOWN = 400
"""Characters of an example's text in a preview."""


def slice_row(chosen: Chosen) -> dict[str, Any]:
    definition = chosen.definition
    return {
        "name": chosen.item.name,
        "number": chosen.number,
        "digest": short(chosen.digest),
        "required": chosen.item.required,
        "match": definition.match,
        "conditions": [render_condition(item) for item in definition.conditions],
        "sample": definition.sample.size if definition.sample else None,
    }


def form_of(definition: Definition) -> dict[str, Any]:
    """What the form is filled with; values as they are typed."""
    sample = definition.sample
    return {
        "match": definition.match,
        "conditions": [
            {"subject": item.subject, "key": item.key or "", "operator": item.operator, "value": render_values(item)}
            for item in definition.conditions
        ],
        "sample": None if sample is None else sample.to_json(),
    }


def rules() -> dict[str, Any]:
    """What may be chosen: operators by subject, and which take a key, a list, or nothing."""
    return {
        "operators": {subject: list(found) for subject, found in OPERATORS.items()},
        "keyed": list(KEYED),
        "lists": list(LISTS),
        "presence": list(PRESENCE),
    }


def history_of(item: Slice) -> list[dict[str, Any]]:
    """Definitions, the newest first, each as what changed since the one before."""
    current = item.current
    entries = []
    before: Definition | None = None
    for entry in item.history:
        found = difference(before, entry.definition)
        lines = [{"sign": line.sign if before else " ", "text": line.text} for line in found]
        entries.append(
            {
                "number": entry.number,
                "digest": short(entry.digest),
                "current": current is not None and current.number == entry.number,
                "lines": lines,
            }
        )
        before = entry.definition
    return entries[::-1]


def column_json(column: Column) -> dict[str, Any]:
    return {
        "subject": column.subject,
        "problem": column.problem,
        "counts": [_counted(counted) for counted in column.counts],
    }


def _counted(counted: Counted) -> dict[str, Any]:
    return {**counted_json(counted), "notes": [*unevaluable_note(counted), *sample_notes(counted.drawn)]}


def preview_json(
    definition: Definition, found: Membership, latest: Mapping[str, Any] | None, saving: Mapping[str, Any] | None
) -> dict[str, Any]:
    """`saving` is what saving would do to a slice that is there: number, is_recorded, about."""
    columns = [{"subject": "working copy", "problem": None, "counts": [_counted(found.counted)]}]
    if latest is not None:
        counted = latest.get("counted")
        columns.append(
            {
                "subject": latest["subject"],
                "problem": latest.get("problem"),
                "counts": [_counted(counted)] if counted is not None else [],
            }
        )
    return {
        "digest": short(definition.digest),
        "saving": saving,
        "columns": columns,
        "examples": [
            {"split": item.split, "key": item.key, "text": None if item.text is None else _brief(item.text)}
            for item in found.examples
        ],
    }


def _brief(text: str) -> str:
    line = printable(text).replace("\n", " ")
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def refused(error: DefinitionError) -> dict[str, Any]:
    """A fault of the form: `place` leads to the field."""
    return {"refused": {"message": str(error), "hint": error.hint, "place": list(error.place())}}
