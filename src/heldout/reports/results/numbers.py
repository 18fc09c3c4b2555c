"""Numbers of results in words: rates in per cent, scores in their own unit, intervals never narrower than they are."""

from __future__ import annotations

from heldout.domain.results.interval import Interval
from heldout.domain.results.report import Counts, Metric, ScopeResult
from heldout.reports.excerpts import printable

DOT = " · "
SMALLEST = 0.0001
"""The smallest level that a slice is ranked on against its run, and the smallest that is shown."""


def safe(text: str) -> str:
    """A name that other people gave, on one line, without anything that a terminal would obey."""
    return text if text.isprintable() else printable(text)


def estimate_text(row: ScopeResult) -> str:
    """To the nearest tenth of a per cent, or thousandth of a score."""
    value = row.counts.estimate
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if row.metric.is_rate else f"{value:.3f}"


def interval_text(metric: Metric, interval: Interval) -> str:
    if metric.is_rate:
        low, high = interval.percent()
        return f"[{low:.1f}, {high:.1f}]"
    low, high = interval.outward(1000)
    return f"[{low:.3f}, {high:.3f}]"


def row_interval(row: ScopeResult) -> str:
    """The interval, or why there is none (O15)."""
    if row.interval is not None:
        return interval_text(row.metric, row.interval)
    return f"< {row.least}, no interval" if row.is_thin else "nothing observed"


def difference_text(metric: Metric, value: float) -> str:
    return f"{100 * value:+.1f} points" if metric.is_rate else f"{value:+.3f}"


def difference_interval(metric: Metric, interval: Interval) -> str:
    if metric.is_rate:
        low, high = interval.percent()
        return f"[{low:+.1f}, {high:+.1f}]"
    low, high = interval.outward(1000)
    return f"[{low:+.3f}, {high:+.3f}]"


def counts_text(metric: Metric, counts: Counts) -> str:
    """`k / n observed · m missing · x excluded`: nothing is left out of it (O36)."""
    seen = (
        f"{round(counts.total):,} / {counts.observed:,} observed" if metric.is_rate else f"{counts.observed:,} observed"
    )
    return DOT.join([seen, f"{counts.missing:,} missing", f"{counts.excluded:,} excluded"])


def mark_text(row: ScopeResult) -> str:
    """Blank where the slice could not be tested (O20)."""
    if row.mark is None:
        return ""
    p = f"p={row.mark.p:.4f}" if row.mark.p >= SMALLEST else f"p<{SMALLEST:g}"
    return f"{'marked' if row.mark.marked else 'not marked'} {p}"
