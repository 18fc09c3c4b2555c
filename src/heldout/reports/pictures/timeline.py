"""Versions by the day of their commit, a lane for each dataset, each with the answer that a gate gives today."""

from __future__ import annotations

from collections.abc import Sequence

from heldout.domain.answer import Verdict
from heldout.domain.listing import VersionRow
from heldout.domain.record import ScanRecord
from heldout.reports.answers import plural
from heldout.reports.pictures.model import Mark, Picture, Shape, Tone

_RETIRED = "retired"
_STATES = (
    (str(Verdict.CLEAN), Tone.GOOD),
    (str(Verdict.CONTAMINATED), Tone.BAD),
    (str(Verdict.UNKNOWN), Tone.UNKNOWN),
    (_RETIRED, Tone.FAINT),
)


def version_timeline(versions: Sequence[tuple[VersionRow, str, ScanRecord | None]]) -> Picture:
    """Each version with the day (YYYY-MM-DD) of its commit, and the record that counted its examples."""
    ordered = sorted(versions, key=lambda item: (item[1], item[0].version.name))
    marks = tuple(_mark(*item) for item in ordered)
    return Picture(
        "versions", Shape.TIMELINE, "Versions and what a gate says of them today", "examples",
        tuple(sorted({mark.row for mark in marks})), tuple(mark.column for mark in marks), marks, _STATES,
        "dataset", "day of the commit", () if marks else ("There is no frozen version yet.",),
    )  # fmt: skip


def _mark(row: VersionRow, day: str, record: ScanRecord | None) -> Mark:
    name = row.version.name
    state = _RETIRED if row.retirement else str(row.answer.verdict)
    size = f", {plural(record.examples.total, 'example')}, {record.holdout_members:,} held out" if record else ""
    value = record.examples.total if record else None
    return Mark(name.dataset, str(name), value, state, f"{name} of {day}: {state}{size}.", day)
