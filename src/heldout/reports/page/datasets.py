"""Datasets and the coverage matrix for the page, as plain data for its template."""

from __future__ import annotations

from typing import Any

from heldout.domain.coverage_matrix import Cell, CoverageMatrix, Met
from heldout.domain.dataset import DatasetSpec
from heldout.domain.listing import VersionRow
from heldout.domain.record import ScanRecord
from heldout.reports.answers import plural, reason

_MET = {
    Met.COMPARED: "compared in full",
    Met.IN_PART: "compared only in part",
    Met.MISSING: "not compared",
    Met.SAME: "the same content",
    Met.SCANNED: "compared with itself, across its splits",
    Met.SCANNED_IN_PART: "compared with itself only in part",
    Met.UNSCANNED: "not scanned",
}
_SIGNS = {
    Met.COMPARED: "0",
    Met.IN_PART: "◐",
    Met.MISSING: "?",
    Met.SAME: "=",
    Met.SCANNED: "0",
    Met.SCANNED_IN_PART: "◐",
    Met.UNSCANNED: "?",
}


def version_row(row: VersionRow, day: str, record: ScanRecord | None) -> dict[str, Any]:
    verdict = "retired" if row.retirement else row.answer.verdict.value
    why = f"{row.retirement.reason} ({row.retirement.by})" if row.retirement else reason(row.answer)
    return {
        "name": str(row.version.name),
        "number": str(row.version.name.number),
        "commit": row.version.commit[:10],
        "day": day,
        "annotated": row.version.annotated,
        "verdict": verdict,
        "reason": why,
        "accepted": len(row.answer.accepted),
        "examples": record.examples.total if record else None,
        "held": record.holdout_members if record else None,
    }


def splits(record: ScanRecord | None) -> list[dict[str, Any]]:
    """Sizes of splits, the largest first; a holdout is marked."""
    if record is None:
        return []
    sizes = sorted(record.examples.by_split.items(), key=lambda item: (-item[1], item[0]))
    return [{"name": name, "size": size, "held": name in record.holdout_splits} for name, size in sizes]


def described(name: str, spec: DatasetSpec | None, change: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": spec.description if spec else "",
        "role": spec.role if spec else None,
        "holdout": sorted(spec.holdout_names()) if spec else [],
        "sealed": bool(spec and spec.signatures),
        "change": change,
    }


def matrix(found: CoverageMatrix) -> dict[str, Any]:
    """Rows are holdouts, columns what may give them away; the names of a dataset's versions share a heading."""
    names = [version.name for version in found.versions]
    groups: list[dict[str, Any]] = []
    for name in names:
        if not groups or groups[-1]["dataset"] != name.dataset:
            groups.append({"dataset": name.dataset, "span": 0})
        groups[-1]["span"] += 1
    return {
        "groups": groups,
        "columns": [{"name": str(name), "number": str(name.number)} for name in names],
        "rows": [
            {
                "name": str(name),
                "dataset": name.dataset,
                "number": str(name.number),
                "cells": [_cell(cell, str(name), str(other)) for cell, other in zip(row, names, strict=True)],
            }
            for name, row in zip(names, found.cells, strict=True)
        ],
        "left_out": found.left_out,
    }


def _cell(cell: Cell, row: str, column: str) -> dict[str, Any]:
    what = _MET[cell.met]
    text = f"{row}: {what}" if row == column else f"{row} and {column}: {what}"
    if cell.given_away:
        text += f"; {plural(cell.given_away, 'held-out example')} of {row} given away"
        if row != column:
            text += f" by {column}"
    state = "given" if cell.given_away else cell.met.value
    return {"state": state, "sign": f"{cell.given_away:,}" if cell.given_away else _SIGNS[cell.met], "text": text}
