"""Frozen versions, as text and as JSON (`heldout/versions@1`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from heldout.domain.answer import Verdict
from heldout.domain.listing import VersionRow
from heldout.reports.answers import columns, reason


def versions_lines(rows: Sequence[VersionRow], dataset: str | None = None) -> list[str]:
    if not rows:
        return [
            f"no version of {dataset or 'any dataset'} is frozen yet",
            f"  next: heldout freeze {dataset or 'NAME'}",
        ]
    lines = []
    for name, group in groupby(rows, key=lambda row: row.version.dataset):
        lines += [name, *columns(_cells(row) for row in group)]
    return [*lines, *_notes(rows)]


def _cells(row: VersionRow) -> tuple[str, str, str, str, str]:
    why = reason(row.answer)
    if row.retirement:
        why = f"retired: {row.retirement.reason} ({row.retirement.by})"
    kind = "annotated" if row.version.annotated else "lightweight"
    return (str(row.version.name.number), row.version.commit[:10], kind, row.answer.verdict.value, why)


def _notes(rows: Sequence[VersionRow]) -> list[str]:
    lines = []
    light = [str(row.version.name) for row in rows if not row.version.annotated]
    if light:
        lines.append(f"  {', '.join(light)}: gto and git push --follow-tags pass lightweight tags by;")
        lines.append(f"  push them by name: git push origin {light[0]}")
    doubtful = [row for row in rows if row.answer.verdict is not Verdict.CLEAN and row.retirement is None]
    if doubtful:
        lines.append(f"  next: heldout gate {doubtful[-1].version.name}")
    return lines


def versions_json(rows: Sequence[VersionRow]) -> dict[str, Any]:
    return {"format": "heldout/versions@1", "versions": [_row_json(row) for row in rows]}


def _row_json(row: VersionRow) -> dict[str, Any]:
    return {
        "version": str(row.version.name),
        "dataset": row.version.dataset,
        "number": str(row.version.name.number),
        "commit": row.version.commit,
        "source": row.version.source,
        "annotated": row.version.annotated,
        "verdict": row.answer.verdict.value,
        "contaminated": row.answer.contaminated,
        "complete": row.answer.complete,
        "reason": reason(row.answer),
        "retired": None if row.retirement is None else {"reason": row.retirement.reason, "by": row.retirement.by},
    }
