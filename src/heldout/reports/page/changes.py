"""Governed changes and decisions for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout.domain.deciding.governed import GovernedChange
from heldout.domain.deciding.review_listing import ReviewRow
from heldout.domain.finding import Side
from heldout.reports.page.findings import decision

_MOST_TOUCHED = 200
_SETTLED = ("accepted", "reopened")


def change(item: GovernedChange, authors: Sequence[str], approved: Sequence[str], lacks: str | None) -> dict[str, Any]:
    return {
        "dataset": item.dataset,
        "id": item.id,
        "counts": {what.replace("_", " "): count for what, count in item.counts().items() if count},
        "touched": [
            {"what": one.what.value.replace("_", " "), "split": one.split, "key": one.key}
            for one in item.touched[:_MOST_TOUCHED]
        ],
        "more": max(len(item.touched) - _MOST_TOUCHED, 0),
        "authors": list(authors),
        "approved_by": list(approved),
        "lacks": lacks,
    }


def decisions(rows: Sequence[ReviewRow]) -> list[dict[str, Any]]:
    """Those that somebody has to look at first."""
    listed = [{**decision(row), "finding": _named(row)} for row in rows]
    return sorted(listed, key=lambda item: (item["standing"] in _SETTLED, item["path"]))


def _named(row: ReviewRow) -> dict[str, Any] | None:
    found = row.finding
    if found is None:
        return None
    return {
        "id": found.id,
        "kinds": [kind.value for kind in found.kinds],
        "holdout": found.holdout_contamination,
        "a": _label(found.a),
        "b": _label(found.b),
    }


def _label(side: Side) -> str:
    return f"{side.dataset}:{side.label()}"
