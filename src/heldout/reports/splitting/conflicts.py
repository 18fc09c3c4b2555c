"""Label conflicts as text and as JSON (`heldout/conflicts@1`; in `heldout/check@1` without its format line)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.deciding.review import Review
from heldout.domain.splitting.conflicts import KIND, SEVERITY, Conflict, Conflicts, Labelled
from heldout.reports.deciding.decision import review_json
from heldout.reports.rows import Rows

SHOWN = 10
"""Conflicts and pairs of labels listed as text where no limit is given."""

_LONG = 40  # characters of a label shown as text


def conflicts_lines(found: Conflicts, limit: int | None) -> Iterator[str]:
    shown = SHOWN if limit is None else limit
    yield from conflict_sections(found, shown)
    if len(found.found) > len(found.accepted):
        yield "next: read both examples; relabel one, or take it out. It is no leak: no verdict changes by it"
        if found.review:
            yield "      where both are right: heldout review accept ID --reason '...'"


def conflict_sections(found: Conflicts, shown: int) -> Iterator[str]:
    """Counts by split, pairs of labels, and some examples."""
    if not found.found:
        yield f"label conflicts: none among {found.examples:,} examples{_unlabelled(found)}"
        return
    more = "≥" * found.at_least
    counts = f"{found.exact:,} pairs with equal inputs, {more}{found.near:,} with nearly equal ones"
    agreed = f"; {len(found.accepted):,} accepted" if found.accepted else ""
    yield f"label conflicts: {counts}{agreed}{_unlabelled(found)}"
    for item in found.splits:
        where = f"inside {item.first}" if item.first == item.second else f"{item.first} and {item.second}"
        yield f"  {where}: {item.exact:,} equal, {more}{item.near:,} near"
    labels = list(found.labels.items())
    for (first, second), count in labels[:shown]:
        yield f"  {_short(first)} / {_short(second)}: {count:,}"
    if len(labels) > shown:
        yield f"  and {len(labels) - shown:,} more pairs of labels"
    yield from (f"  {_listed(item, found)}" for item in found.found[:shown])
    if len(found.found) > shown:
        yield f"  and {len(found.found) - shown:,} more (--json lists them)"


def _unlabelled(found: Conflicts) -> str:
    return f"; {found.unlabelled:,} examples have no expected output" if found.unlabelled else ""


def _listed(item: Conflict, found: Conflicts) -> str:
    if (review := found.accepted.get(item.id) if found.accepted else None) is not None:
        return f"accepted  {item.a.place} / {item.b.place}: {review.reason} ({review.by})  [{item.id}]"
    return f"{_line(item)}  [{item.id}]" if found.review else _line(item)


def _line(item: Conflict) -> str:
    sign = "==" if item.exact else "~"
    score = "" if item.exact else f" {float(item.similarity):.2f}"
    labels = f"{_short(item.a.label)} / {_short(item.b.label)}"
    return f"{SEVERITY.value}  {item.a.place} {sign} {item.b.place}{score}  {labels}"


def _short(label: str) -> str:
    flat = " ".join(label.split())
    return flat if len(flat) <= _LONG else f"{flat[: _LONG - 3]}..."


def conflicts_json(found: Conflicts, limit: int | None = None) -> dict[str, Any]:
    listed = found.found if limit is None else found.found[:limit]
    return {
        "kind": KIND,
        "severity": SEVERITY.value,
        "exact": found.exact,
        "near": found.near,
        "at_least": found.at_least,
        "examples": found.examples,
        "without_expected": found.unlabelled,
        "splits": [
            {"a": item.first, "b": item.second, "exact": item.exact, "near": item.near} for item in found.splits
        ],
        "labels": [{"a": first, "b": second, "pairs": count} for (first, second), count in found.labels.items()],
        "conflicts_total": len(found.found),
        "accepted": len(found.accepted),
        "conflicts": Rows(listed, lambda item: _conflict_json(item, found.accepted.get(item.id))),
    }


def _conflict_json(item: Conflict, review: Review | None) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": KIND,
        "severity": SEVERITY.value,
        "exact": item.exact,
        "similarity": {
            "fraction": f"{item.similarity.numerator}/{item.similarity.denominator}",
            "rounded": round(float(item.similarity), 4),
        },
        "pairs": item.pairs,
        "review": None if review is None else review_json(review),
        "a": _side_json(item.a),
        "b": _side_json(item.b),
    }


def _side_json(side: Labelled) -> dict[str, Any]:
    return {
        "split": side.side.split,
        "key": side.side.key,
        "input": side.side.input,
        "place": side.place,
        "expected": side.label,
    }
