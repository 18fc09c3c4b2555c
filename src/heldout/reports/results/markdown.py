"""Results as Markdown, for a pull request or a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from heldout.domain.results.comparison import Comparison
from heldout.domain.results.report import RunReport
from heldout.reports.marking import code, html, plain
from heldout.reports.results.compared import (
    DROPPED,
    excluded_text,
    family_line,
    gate_text,
    interval_or_why,
    rule_lines,
    unshared_line,
)
from heldout.reports.results.numbers import counts_text, difference_text, safe
from heldout.reports.results.table import (
    CROSSES,
    HEAD,
    NO_CROSSES,
    TITLE,
    cells,
    dataset_text,
    excluded_line,
    notes,
    overall_line,
    proposal_rows,
    run_lines,
    warning_of,
    weakest_lines,
    without_rows,
    without_title,
)
from heldout.reports.results.table import rule_lines as release_lines


def report_markdown(report: RunReport) -> Iterator[str]:
    head, *warnings = run_lines(report.info)
    yield f"## {plain(head)}"
    yield ""
    yield from (f"> **{plain(line)}**\n" for line in warnings)
    yield from _list(map(overall_line, report.overall))
    if report.excluded_for:
        yield from _list([excluded_line(report)])
    yield f"\n### {TITLE}\n"
    rows = []
    for row in report.slices:
        _, _, *rest = cells(row)
        rest[2] = counts_text(row.metric, row.counts)
        rows.append([code(row.scope.text), code(row.metric.name), *map(html, rest)])
    yield from _table(HEAD, rows) if rows else ["none declared"]
    yield ""
    yield from _list([*notes(report), *weakest_lines(report)])
    if report.without:
        yield f"\n### {without_title(report)}\n"
        yield from _plain_table(without_rows(report.without))
    if report.proposals is not None:
        yield f"\n### {plain(CROSSES)}\n"
        yield from _plain_table(proposal_rows(report.proposals)) if report.proposals else [NO_CROSSES]
    if report.decided:
        yield "\n### Rules\n"
        yield from _list(release_lines(report))


def compare_markdown(found: Comparison) -> Iterator[str]:
    yield f"## {gate_text(found)}"
    yield ""
    data = dataset_text(found.candidate.dataset)
    who = f"candidate {found.candidate.run}, baseline {found.baseline.run}, {data}, {found.paired:,} paired cases"
    yield f"{code(found.digest)}: {plain(safe(who))}"
    yield ""
    warning = warning_of(found.candidate.dataset)
    if warning:
        yield f"> **{plain(warning)}**"
        yield ""
    rows = [
        [
            code(row.scope.text),
            code(row.metric.name),
            difference_text(row.metric, row.difference) if row.paired else "",
            html(interval_or_why(row)),
            f"{row.paired:,}",
            f"{row.missing:,}",
            excluded_text(row).replace(" excluded", ""),
        ]
        for row in found.results
    ]
    yield from _table(["scope", "metric", "difference", "interval", "paired", "missing", "excluded"], rows)
    yield ""
    if found.drops:
        yield f"> **{plain(DROPPED)}**"
        yield ""
    if found.unshared:
        yield from _list([unshared_line(found)])
    for item in found.decided:
        rule, *advice = rule_lines(found, item)
        yield f"- {plain(rule)}"
        yield from (f"  - {plain(line.strip())}" for line in advice)
    yield from _list(map(family_line, found.families))


def _list(lines: Iterable[str]) -> Iterator[str]:
    return (f"- {plain(line)}" for line in lines)


def _plain_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    return _table(head, [[plain(cell) for cell in row] for row in rest])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---' for _ in head)}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
