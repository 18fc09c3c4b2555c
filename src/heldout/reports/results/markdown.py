"""Results as Markdown, for a pull request or a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldout.domain.results.comparison import Comparison
from heldout.domain.results.report import RunReport
from heldout.reports.results.compared import family_line, rule_lines
from heldout.reports.results.numbers import (
    counts_text,
    difference_interval,
    difference_text,
    estimate_text,
    mark_text,
    row_interval,
)
from heldout.reports.results.table import TITLE, UNMARKED, gate_line, overall_line, run_lines
from heldout.reports.results.table import report_lines as text_lines


def report_markdown(report: RunReport) -> Iterator[str]:
    head = list(run_lines(report.info))
    yield f"## {_escape(head[0])}"
    yield ""
    yield from (f"> **{_escape(line)}**" for line in head[1:])
    yield from (f"- {_escape(overall_line(row))}" for row in report.overall)
    yield ""
    yield f"### {TITLE}"
    yield ""
    rows = [
        [
            f"`{row.scope.text}`",
            row.metric.name,
            estimate_text(row),
            row_interval(row),
            counts_text(row.metric, row.counts),
            mark_text(row),
        ]
        for row in report.slices
    ]
    yield from _table(["scope", "metric", "estimate", "interval", "cases", "BY mark"], rows)
    yield ""
    # What follows the table is text already, and the same words.
    lines = list(text_lines(report))
    rest = lines[lines.index(TITLE) + max(len(report.slices), 0) + 2 :]
    yield from (f"{_escape(line.strip())}  " if line.strip() else "" for line in rest if UNMARKED not in line)
    yield f"*{UNMARKED}*"


def compare_markdown(found: Comparison) -> Iterator[str]:
    yield f"## {gate_line(found.gate)}"
    yield ""
    yield f"`{found.digest}`: candidate {_escape(found.candidate.run)}, baseline {_escape(found.baseline.run)}, "
    yield f"{found.paired:,} paired cases"
    yield ""
    rows = [
        [
            f"`{row.scope.text}`",
            row.metric.name,
            difference_text(row.metric, row.difference) if row.paired else "",
            difference_interval(row.metric, row.interval) if row.interval else f"< {row.least}, no interval",
            f"{row.paired:,}",
            f"{row.missing:,}",
            f"{row.excluded:,}",
        ]
        for row in found.results
    ]
    yield from _table(["scope", "metric", "difference", "interval", "paired", "missing", "excluded"], rows)
    yield ""
    for item in found.decided:
        yield from (f"- {_escape(line.strip())}" for line in rule_lines(found, item))
    yield from (f"- {_escape(family_line(item))}" for item in found.families)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---' for _ in head)}|"
    yield from (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _escape(text: str) -> str:
    """Names are other people's: none of them makes markup."""
    for mark in ("\\", "`", "*", "_", "<", "[", "|"):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\\[", "[")
