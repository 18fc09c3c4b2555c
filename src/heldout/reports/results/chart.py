"""Intervals by slice as a picture: an SVG that needs nothing else, or a Vega-Lite chart with its numbers inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from heldout.domain.results.report import RunReport, ScopeResult
from heldout.reports.results.numbers import estimate_text, mark_text, row_interval
from heldout.reports.results.table import TITLE, UNMARKED

_ROW, _TOP, _LEFT, _PLOT, _RIGHT = 26, 84, 16, 360, 300
_STYLE = """\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:12px;fill:#1f2328}
.page{fill:#ffffff}.muted{fill:#59636e}.title{font-size:16px;font-weight:600}
.grid{stroke:#d1d9e0}.run{stroke:#59636e;stroke-dasharray:4 3}.bar{stroke:#57708a;stroke-width:3}.dot{fill:#57708a}
.low .bar{stroke:#b3261e}.low .dot{fill:#b3261e}.high .bar{stroke:#0b7285}.high .dot{fill:#0b7285}
.thin .dot{fill:none;stroke:#57708a;stroke-width:1.5}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.muted{fill:#9198a1}.grid{stroke:#3d444d}.run{stroke:#9198a1}
.bar{stroke:#8ba3bd}.dot{fill:#8ba3bd}.low .bar{stroke:#ff8a80}.low .dot{fill:#ff8a80}
.high .bar{stroke:#66d9e8}.high .dot{fill:#66d9e8}
.thin .dot{stroke:#8ba3bd}
}"""


def chart_svg(report: RunReport) -> str:
    """One row a slice and metric: the estimate, its interval, and the run's own rate as a dashed line.

    Marked slices below the run are red, those above it blue; scores are drawn as a share of their range.

    The picture draws itself dark or light as the reader's system is; a title and a description tell it in words.
    """
    rows = [row for row in (*report.overall, *report.slices) if row.counts.observed]
    names = max([len(_label(row)) for row in rows], default=0) * 7 + 16
    plot = _LEFT + max(names, 120)
    width, height = plot + _PLOT + _RIGHT, _TOP + _ROW * len(rows) + 48
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="t d">',
        f'<title id="t">{_text(TITLE)}</title>',
        f'<desc id="d">{_text("; ".join(_sentence(row) for row in rows))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="title" x="{_LEFT}" y="30">{_text(TITLE)}</text>',
        f'<text class="muted" x="{_LEFT}" y="50">{_text(_subtitle(report))}</text>',
        *_grid(plot, height),
    ]
    estimates = {row.metric.name: row for row in report.overall}
    for number, row in enumerate(rows):
        lines += _row(row, estimates[row.metric.name], _TOP + _ROW * number + _ROW // 2, plot)
    lines.append(f'<text class="muted" x="{_LEFT}" y="{height - 14}">{_text(UNMARKED)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _subtitle(report: RunReport) -> str:
    scores = [row.metric for row in report.overall if not row.metric.is_rate]
    ranges = ", ".join(f"{metric.name} from {metric.low:g} to {metric.high:g}" for metric in scores)
    return f"{report.info.run}; as a share of the range: {ranges}" if ranges else report.info.run


def _grid(plot: int, height: int) -> Iterator[str]:
    for share in range(0, 101, 25):
        x = plot + _PLOT * share / 100
        yield f'<line class="grid" x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{height - 40}"/>'
        yield f'<text class="muted" x="{x:.1f}" y="{_TOP - 12}" text-anchor="middle">{share} %</text>'


def _row(row: ScopeResult, whole: ScopeResult, y: int, plot: int) -> Iterator[str]:
    kind = "thin" if row.is_thin else "plain"
    if row.mark and row.mark.marked:
        kind = "low" if (row.counts.estimate or 0.0) < (whole.counts.estimate or 0.0) else "high"
    yield f'<g class="{kind}"><text x="{_LEFT}" y="{y + 4}">{_text(_label(row))}</text>'
    run = _place(whole, whole.counts.estimate or 0.0, plot)
    yield f'<line class="run" x1="{run:.1f}" y1="{y - 11}" x2="{run:.1f}" y2="{y + 11}"/>'
    if row.interval is not None:
        low, high = (_place(row, value, plot) for value in (row.interval.lower, row.interval.upper))
        yield f'<line class="bar" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}"/>'
    yield f'<circle class="dot" cx="{_place(row, row.counts.estimate or 0.0, plot):.1f}" cy="{y}" r="4"/>'
    words = f"{estimate_text(row)} {row_interval(row)} {mark_text(row)}".strip() + _unseen(row)
    yield f'<text class="muted" x="{plot + _PLOT + 14}" y="{y + 4}">{_text(words)}</text></g>'


def _place(row: ScopeResult, value: float, plot: int) -> float:
    """Scores lie between the ends of their range."""
    return plot + _PLOT * (value - row.metric.low) / (row.metric.high - row.metric.low)


def _label(row: ScopeResult) -> str:
    return f"{row.scope.text} {row.metric.name}"


def _sentence(row: ScopeResult) -> str:
    mark = f", {mark_text(row)}" if row.mark else ""
    seen = f"{row.counts.observed} observed{_unseen(row)}"
    return f"{_label(row)}: {estimate_text(row)}, interval {row_interval(row)}, {seen}{mark}"


def _unseen(row: ScopeResult) -> str:
    """What is not in the estimate, where there is any."""
    counts = {"missing": row.counts.missing, "excluded": row.counts.excluded}
    return "".join(f" · {count:,} {what}" for what, count in counts.items() if count)


def _text(value: str) -> str:
    return escape(value.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


def chart_vega(report: RunReport) -> dict[str, Any]:
    """The same as a Vega-Lite 5 chart; rates as shares, scores in their own unit, one panel a metric."""
    values = [
        {
            "scope": row.scope.text,
            "metric": row.metric.name,
            "estimate": row.counts.estimate,
            "lower": row.interval.lower if row.interval else None,
            "upper": row.interval.upper if row.interval else None,
            "observed": row.counts.observed,
            "missing": row.counts.missing,
            "excluded": row.counts.excluded,
            "mark": mark_text(row) or "not tested",
        }
        for row in (*report.overall, *report.slices)
        if row.counts.observed
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": TITLE,
        "description": f"{report.info.run}. {UNMARKED}",
        "data": {"values": values},
        "facet": {"row": {"field": "metric", "type": "nominal", "title": None}},
        "spec": {
            "encoding": {"y": {"field": "scope", "type": "nominal", "sort": None, "title": None}},
            "layer": _LAYERS,
        },
    }


_COLOUR = {"field": "mark", "type": "nominal", "title": "BY mark"}
_LAYERS = [
    {
        "mark": {"type": "rule", "strokeWidth": 3},
        "encoding": {
            "x": {"field": "lower", "type": "quantitative", "title": "estimate and interval"},
            "x2": {"field": "upper"},
            "color": _COLOUR,
        },
    },
    {
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {"x": {"field": "estimate", "type": "quantitative"}, "color": _COLOUR},
    },
]
