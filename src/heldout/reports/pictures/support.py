"""Slices by how many examples they stand on: what a claim about one may rest on, and what could not be judged."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.slicing.views import Counted, SliceTable
from heldout.reports.answers import plural
from heldout.reports.pictures.model import Mark, Picture, Shape, Tone

_MATCHED, _UNEVALUABLE = "matched", "cannot be evaluated"


def slice_support(found: SliceTable) -> Picture:
    """The first column of the slices view: the working copy or the version that was asked for."""
    column = found.columns[0] if found.columns else None
    names = tuple(row.item.name for row in found.rows)
    marks: list[Mark] = []
    notes = []
    if column is not None and column.problem:
        notes.append(f"Not counted: {column.problem}")
    elif column is not None and column.counts:
        for name, counted in zip(names, column.counts, strict=True):
            marks += _marks(name, counted)
        notes.append(f"Of {plural(column.counts[0].tally.total, 'example')} each.")
    if not names:
        notes.append(f"{found.dataset} has no slice.")
    subject = column.subject if column else found.dataset
    return Picture(
        "slices", Shape.BARS, f"Examples of each slice of {subject}", "examples", names, (_MATCHED, _UNEVALUABLE),
        tuple(marks), ((_MATCHED, Tone.PLAIN), (_UNEVALUABLE, Tone.UNKNOWN)), "slice", "examples", tuple(notes),
    )  # fmt: skip


def _marks(name: str, counted: Counted) -> Iterator[Mark]:
    tally = counted.tally
    matched = len(counted.drawn.members) if counted.drawn else tally.matched
    verb = "matches" if matched == 1 else "match"
    yield Mark(name, _MATCHED, matched, _MATCHED, f"{plural(matched, 'example')} {verb} {name}.")
    if tally.unevaluable:
        text = f"{plural(tally.unevaluable, 'example')} of {name} cannot be evaluated."
        yield Mark(name, _UNEVALUABLE, tally.unevaluable, _UNEVALUABLE, text)
