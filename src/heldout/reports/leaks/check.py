"""One pair of splits: the overlaps, the most alike first, and the covered share against its limit (E45 to E51)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from heldout.domain.leaks.leak import LeakKind, LeakRate, LeakSettings, side_name
from heldout.domain.leaks.leaks import Leaks
from heldout.domain.leaks.rollup import SourceOverlap, by_similarity
from heldout.reports.leaks.as_json import finding_json, rate_json, settings_json, source_json
from heldout.reports.leaks.report import NOTHING, percent, section_lines, source_lines, thousandths

ADVICE_ABOVE = Decimal(2)
"""Per cent of an evaluation split from which on a headline number flatters (E49)."""


def leak_check_lines(
    leaks: Leaks, rate: LeakRate, limit: Decimal, sources: tuple[SourceOverlap, ...] = ()
) -> Iterator[str]:
    yield "EvalLeak containment check"
    yield f"normalisation: {', '.join(leaks.settings.steps.names()) or NOTHING}"
    yield ""
    yield "split record counts:"
    yield from (f"{_name(split)}: {leaks.splits[split]}" for split in (rate.source, rate.target))
    yield ""
    yield f"overlap pairs ({leaks.settings.near_rule}), most alike first:"
    yield from _overlaps(leaks, rate.source)
    yield ""
    yield from section_lines(leaks, LeakKind.CONTAINMENT)
    if sources:
        yield ""
        yield from source_lines(sources)
    yield ""
    covered = f"{rate.records}/{rate.of} = {percent(rate.share)}%"
    verdict = "exceeds" if rate.exceeds(limit) else "is within"
    yield f"containment: {covered} of {_name(rate.target)} is covered by {_name(rate.source)}"
    yield f"verdict: {verdict} the maximum of {limit}%"
    if rate.exceeds(ADVICE_ABOVE):
        yield f"advice: above about {ADVICE_ABOVE}% headline numbers are optimistic; report the score without these too"


def leak_check_json(
    leaks: Leaks, rate: LeakRate, limit: Decimal, sources: tuple[SourceOverlap, ...] = ()
) -> dict[str, Any]:
    """`overlaps` in the order of the text, `contained` apart: a pair may be in both."""
    return {
        "format": "heldout/leak-check@1",
        **settings_json(leaks),
        "splits": {split: leaks.splits[split] for split in (rate.source, rate.target)},
        "overlaps": [finding_json(finding) for finding in by_similarity(leaks, rate.source)],
        "contained": [finding_json(finding) for finding in leaks.findings(LeakKind.CONTAINMENT)],
        "containment": rate_json(rate, leaks),
        "max_containment": str(limit),
        "exceeded": rate.exceeds(limit),
        "no_text": leaks.no_text,
        "sources": [source_json(item) for item in sources],
    }


def _overlaps(leaks: Leaks, first: str) -> Iterator[str]:
    empty = True
    for finding in by_similarity(leaks, first):
        empty = False
        assert finding.similarity is not None
        yield (
            f"{finding.identity} jaccard{_about(finding.kind, leaks.settings)}={thousandths(finding.similarity)} "
            f"shared={finding.shared}"
        )
    if empty:
        yield NOTHING


def _about(kind: LeakKind, settings: LeakSettings) -> str:
    return "~" if settings.estimate and kind is LeakKind.NEAR else ""


def _name(split: str) -> str:
    return side_name(split, "")[:-1]
