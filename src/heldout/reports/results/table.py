"""A run by slice as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldout.domain.results.decision import Decision, gate_of
from heldout.domain.results.report import CrossProposal, DatasetState, RunInfo, RunReport, ScopeResult, Without
from heldout.reports.answers import columns, reason, short
from heldout.reports.results.numbers import (
    DOT,
    SMALLEST,
    counts_text,
    difference_text,
    estimate_text,
    interval_text,
    mark_text,
    row_interval,
    safe,
)

TITLE = "Slices (exploratory; never gated)"
CROSSES = "Crosses worth declaring (exploratory; a cell against both slices it belongs to)"
NO_CROSSES = "none: fewer than two slices, or no cell with enough support"
UNMARKED = "Not marked does not mean equal to the run, and a mark reaches no gate."
_AGAINST = {
    "run": "the run's own rate",
    "rest": "the rest of the run (Fisher's exact test; scores: the run's own mean)",
}
_CODES = {Decision.PASS: 0, Decision.FAIL: 1, Decision.INSUFFICIENT: 3}
_WORDS = {Decision.PASS: "PASS", Decision.FAIL: "BLOCK", Decision.INSUFFICIENT: "INSUFFICIENT_EVIDENCE"}
_MOST_PROPOSALS = 10


def report_lines(report: RunReport) -> Iterator[str]:
    yield from run_lines(report.info)
    yield from (overall_line(row) for row in report.overall)
    if report.excluded_for:
        yield excluded_line(report)
    yield ""
    yield TITLE
    if report.slices:
        yield from columns([HEAD, *(cells(row) for row in report.slices)])
    else:
        yield "  none declared: slices: [metadata.<key>, ...] in a suite, or --slice"
    yield from (f"  {note}" for note in notes(report))
    yield from weakest_lines(report)
    if report.without:
        yield ""
        yield without_title(report)
        yield from columns(without_rows(report.without))
    if report.proposals is not None:
        yield ""
        yield CROSSES
        yield from columns(proposal_rows(report.proposals)) if report.proposals else [f"  {NO_CROSSES}"]
    if report.decided:
        yield ""
        yield from rule_lines(report)


def excluded_line(report: RunReport) -> str:
    return "excluded: " + ", ".join(f"{safe(why)} {count:,}" for why, count in report.excluded_for.items())


def run_lines(info: RunInfo) -> Iterator[str]:
    state = info.dataset
    splits = ", ".join(map(safe, info.splits))
    yield DOT.join(
        [f"Run {safe(info.run)}", dataset_text(state), f"{info.cases:,} cases of {splits}", short(info.digest)]
    )
    warning = warning_of(state)
    if warning:
        yield warning


def dataset_text(state: DatasetState) -> str:
    return (
        f"{state.subject} ({state.verdict}, content {short(state.content)})" if state.subject else "no dataset version"
    )


def warning_of(state: DatasetState) -> str | None:
    """Said aloud whenever somebody put up with an answer."""
    if state.allowed is None:
        return None
    why = reason(state.answer) if state.answer else "the run names no dataset version"
    return f"WARNING: the holdout is {state.verdict} ({why}); reported because --allow {state.allowed} was given"


def overall_line(row: ScopeResult) -> str:
    interval = f" {row_interval(row)}" if row.interval else ""
    return f"{safe(row.metric.name)}: {estimate_text(row)}{interval}{DOT}{counts_text(row.metric, row.counts)}"


HEAD = ["scope", "metric", "estimate", "interval", "cases", "BY mark"]


def cells(row: ScopeResult) -> list[str]:
    cases = DOT.join([counts_text(row.metric, row.counts), "exploratory", f"support {row.counts.observed:,}"])
    return [safe(row.scope.text), safe(row.metric.name), estimate_text(row), row_interval(row), cases, mark_text(row)]


def notes(report: RunReport) -> Iterator[str]:
    for item in report.dataset_slices:
        number = f"#{item.number}" if item.number else "not recorded"
        required = ", required" if item.required else ""
        unknown = f", {item.unevaluable:,} cases could not be checked" if item.unevaluable else ""
        yield f"slice {item.name} {number} {short(item.digest)}{required}: {item.matched:,} cases{unknown}"
    method = report.method
    if method.tested:
        yield (
            f"{method.tested} slices tested against {_AGAINST[method.against]}, at most {method.q:g} of marks false "
            "(Benjamini-Yekutieli)"
        )
        if method.against == "run" and lone_level(method.q, method.tested) < SMALLEST:
            yield f"Among so many one alone is not marked, however far off it is: {SMALLEST:g} is the smallest p"
        yield UNMARKED


def weakest_lines(report: RunReport) -> Iterator[str]:
    for weak, whole in _weakest(report):
        assert weak.interval is not None
        behind = (weak.counts.estimate or 0.0) - (whole.counts.estimate or 0.0)
        mark = f", {mark_text(weak)}" if weak.mark else ""
        yield (
            f"Weakest slice for {safe(weak.metric.name)}: {safe(weak.scope.text)} {estimate_text(weak)} "
            f"{interval_text(weak.metric, weak.interval)}, {difference_text(weak.metric, behind)} from the run{mark}"
        )


def _weakest(report: RunReport) -> Iterator[tuple[ScopeResult, ScopeResult]]:
    overall = {row.metric.name: row for row in report.overall}
    for row in report.weakest():
        yield row, overall[row.metric.name]


def without_title(report: RunReport) -> str:
    return f"With and without the {report.info.dataset.contaminated_cases:,} contaminated cases"


def without_rows(without: Sequence[Without]) -> list[list[str]]:
    rows = [["metric", "all cases", "without contaminated", "cases left"]]
    for item in without:
        shown = [f"{estimate_text(row)} {row_interval(row)}" for row in (item.everything, item.clean)]
        rows.append([safe(item.everything.metric.name), *shown, counts_text(item.clean.metric, item.clean.counts)])
    return rows


def proposal_rows(proposals: Sequence[CrossProposal]) -> list[list[str]]:
    rows = [["cross", "cell", "estimate", "its slices", "cells", "p", "adjusted"]]
    for item in proposals[:_MOST_PROPOSALS]:
        is_rate = item.cell.metric.is_rate
        of = " and ".join(f"{100 * rate:.1f} %" if is_rate else f"{rate:.3f}" for rate in item.parents)
        support = f"{item.supported} of {item.cells} with support"
        cell = f"{safe(item.cell.scope.text)} ({safe(item.cell.metric.name)})"
        shown = f"{estimate_text(item.cell)} of {item.cell.counts.observed:,}"
        rows.append([safe(item.name), cell, shown, of, support, f"{item.p:.4f}", f"{item.adjusted:.4f}"])
    return rows


def rule_lines(report: RunReport) -> Iterator[str]:
    """A run alone says what it excludes, and nobody can say otherwise: so a rule says how much of it that was."""
    left_out = {row.metric.name: row.counts.excluded for row in report.overall}
    for item in report.decided:
        excluded = left_out.get(item.rule.metric, 0)
        said = f"{DOT}without {excluded:,} excluded" if excluded else ""
        yield f"Rule {safe(item.rule.id)}: {item.decision} ({item.reason}){DOT}minimum {item.rule.bound:g}{said}"
    yield gate_line(gate_of(report.decided))


def lone_level(q: float, tested: int) -> float:
    """What the only slice that stands out has to reach among so many (Benjamini-Yekutieli)."""
    return q / (tested * sum(1 / number for number in range(1, tested + 1)))


def gate_line(decision: Decision) -> str:
    return f"Gate: {_WORDS[decision]} (exit {_CODES[decision]})"


def gate_code(decision: Decision) -> int:
    """A failure blocks; what nobody can decide does not pass (A43)."""
    return _CODES[decision]
