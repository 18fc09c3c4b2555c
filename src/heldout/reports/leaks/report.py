"""EvalLeak's report, line by line as it is published: what reads well in a diff, and nothing besides."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from heldout.domain.leaks.leak import LeakFinding, LeakKind, LeakRate, LeakSettings, side_name
from heldout.domain.leaks.leaks import Leaks
from heldout.domain.leaks.rollup import SourceOverlap

BANNER = "EvalLeak contamination report"
NOTHING = "none"


def leak_lines(leaks: Leaks, sources: tuple[SourceOverlap, ...] = ()) -> Iterator[str]:
    """The whole report; sections apart by an empty line, each finding on a line of its own."""
    yield BANNER
    yield f"normalisation: {', '.join(leaks.settings.steps.names()) or NOTHING}"
    yield ""
    yield "split record counts:"
    yield from (f"{side_name(split, '')[:-1]}: {count}" for split, count in sorted(leaks.splits.items()))
    for kind in leaks.kinds:
        yield ""
        yield from section_lines(leaks, kind)
    yield ""
    yield "contamination rate per split pair (source -> target):"
    yield from _rates(leaks.rates())
    yield ""
    yield f"total contaminated records: {leaks.contaminated()}"
    if sources:
        yield ""
        yield from source_lines(sources)


def section_lines(leaks: Leaks, kind: LeakKind) -> Iterator[str]:
    """One detector's title and findings, as `exact` and `near` print them alone."""
    yield section_title(kind, leaks.settings)
    empty = True
    for finding in leaks.findings(kind):
        empty = False
        yield finding_line(finding, leaks.settings)
    if empty:
        yield NOTHING


def section_title(kind: LeakKind, settings: LeakSettings) -> str:
    if kind is LeakKind.NEAR:
        return f"near cross-split duplicates ({settings.near_rule}):"
    if kind is LeakKind.CONTAINMENT:
        return f"containment (min_length={settings.min_length}):"
    return "exact cross-split duplicates:" if kind is LeakKind.EXACT else "intra-split duplicates:"


def finding_line(finding: LeakFinding, settings: LeakSettings) -> str:
    if finding.kind is LeakKind.NEAR:
        assert finding.similarity is not None
        return f"{finding.identity} jaccard{'~' * settings.estimate}={thousandths(finding.similarity)}"
    if finding.kind is LeakKind.CONTAINMENT:
        return f"{finding.identity} position={finding.position}"
    assert finding.digest is not None
    return f"{finding.identity} digest={finding.digest.removeprefix('sha256:')[:12]}"


def rate_line(rate: LeakRate) -> str:
    source, target = (side_name(split, "")[:-1] for split in (rate.source, rate.target))
    return f"{source} -> {target}: {rate.records}/{rate.of} = {percent(rate.share)}%"


def source_lines(sources: tuple[SourceOverlap, ...]) -> Iterator[str]:
    """Overlaps by the value of the source field, the most pairs first (E51)."""
    yield "overlaps per source:"
    for item in sources:
        yield f"{side_name(item.split, item.source)}: pairs={item.pairs} records={item.records}/{item.of}"
    if not sources:
        yield NOTHING


def _rates(rates: list[LeakRate]) -> Iterator[str]:
    """Both directions wherever there is a finding between two splits."""
    touched = [rate for rate in rates if rate.records]
    yield from map(rate_line, touched)
    if not touched:
        yield NOTHING


def percent(share: Fraction) -> str:
    """Two decimals, to the nearest, halves up; what is not zero never prints as 0.00, what is not all never as 100."""
    hundredths = (share.numerator * 20000 + share.denominator) // (2 * share.denominator)
    if 0 < share < 1:
        hundredths = min(max(hundredths, 1), 9999)
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def thousandths(share: Fraction) -> str:
    """Three decimals, to the nearest, halves up; only equal sets are 1.000."""
    value = (share.numerator * 2000 + share.denominator) // (2 * share.denominator)
    if share < 1:
        value = min(value, 999)
    return f"{value // 1000}.{value % 1000:03d}"
