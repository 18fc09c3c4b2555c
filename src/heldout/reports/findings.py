"""Findings as lines and as JSON objects. Examples are named by split and key; their text is never in here."""

from __future__ import annotations

from typing import Any

from heldout.domain.finding import Finding, Kind, Side
from heldout.domain.kind import LOCK, PROMPT


def overlap_line(finding: Finding, first: Side | None = None, second: Side | None = None) -> str:
    """`test/17 ~ train/4  near 0.88  [id]`, the dataset named where the two sides differ in it."""
    a, b = first or finding.a, second or finding.b
    across = a.dataset != b.dataset
    left = f"{a.dataset}:{a.label()}" if across else a.label()
    right = f"{b.dataset}:{b.label()}" if across else b.label()
    kinds = " + ".join(kind.value for kind in finding.kinds)
    kinds += f" ({finding.group})" if finding.group else ""
    if finding.kind is Kind.LOCK_CHANGED:
        held, lock = (a, b) if b.dataset == LOCK else (b, a)
        return f"{held.dataset}:{held.label()} was {lock.split} since the split was locked  {kinds}  [{finding.id}]"
    if finding.kind is Kind.PROMPT_EXCERPT:
        held, prompt = (a, b) if b.dataset == PROMPT else (b, a)
        return f"{held.dataset}:{held.label()} in {prompt.key}  {kinds}  [{finding.id}]"
    score = "" if finding.similarity in (None, 1) else f" {float(finding.similarity):.2f}"
    return f"{left} {_sign(finding, a)} {right}  {kinds}{score}  [{finding.id}]"


def _sign(finding: Finding, left: Side) -> str:
    if finding.kind is Kind.CONTAINMENT and finding.containment is not None:
        short = finding.a if finding.containment.short == "a" else finding.b
        return "in" if left.identity() == short.identity() else "holds"
    if finding.kind is Kind.MOVED:
        return "->"
    if finding.kind in (Kind.SOURCE_CROSSES_SPLIT, Kind.GROUP_CROSSES_SPLIT):
        return "<->"
    return "==" if finding.a.input == finding.b.input else "~"


def side_json(side: Side) -> dict[str, Any]:
    return {
        "dataset": side.dataset,
        "split": side.split,
        "key": side.key,
        "input": side.input,
        "held_out_in": list(side.held_out_in),
        "open_in": list(side.open_in),
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding with versions as source digests; the committed form numbers them (docs/formats.md)."""
    data: dict[str, Any] = {
        "id": finding.id,
        "kind": finding.kind.value,
        "also": [kind.value for kind in finding.also],
        "severity": finding.severity.value,
        "holdout_contamination": finding.holdout_contamination,
        "similarity": None
        if finding.similarity is None
        else {
            "fraction": f"{finding.similarity.numerator}/{finding.similarity.denominator}",
            "rounded": round(float(finding.similarity), 4),
        },
        "a": side_json(finding.a),
        "b": side_json(finding.b),
    }
    if finding.containment:
        data["containment"] = {
            "short": finding.containment.short,
            "position": finding.containment.position,
            "offset": finding.containment.offset,
            "word_aligned": finding.containment.word_aligned,
        }
    if finding.span:
        data["span"] = {"a": finding.span.a, "b": finding.span.b, "length": finding.span.length}
    if finding.cluster:
        data["cluster"] = finding.cluster
    if finding.group:
        data["group"] = finding.group
    return data
