"""A run by slice as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldout.domain.results.decision import Decided, Decision, gate_of
from heldout.domain.results.report import CrossProposal, DatasetState, RunInfo, RunReport, ScopeResult
from heldout.reports.answers import columns, reason, short
from heldout.reports.results.numbers import (
    DOT,
    counts_text,
    estimate_text,
    interval_text,
    mark_text,
    row_interval,
)

TITLE = "Slices (exploratory; never gated)"
UNMARKED = "Not marked does not mean equal to the run, and a mark reaches no gate."
SMALLEST = 0.0001
"""The smallest level that a slice is ranked on."""

_CODES = {Decision.PASS: 0, Decision.FAIL: 1, Decision.INSUFFICIENT: 3}
_WORDS = {Decision.PASS: "PASS", Decision.FAIL: "BLOCK", Decision.INSUFFICIENT: "INSUFFICIENT_EVIDENCE"}
_MOST_PROPOSALS = 10


def report_lines(report: RunReport) -> Iterator[str]:
    yield from run_lines(report.info)
    yield from (overall_line(row) for row in report.overall)
    if report.excluded_for:
        yield "excluded: " + ", ".join(f"{why} {count:,}" for why, count in report.excluded_for.items())
    yield ""
    yield TITLE
    if report.slices:
        head = ["scope", "metric", "estimate", "interval", "cases", "BY mark"]
        yield from columns([head, *(_cells(row) for row in report.slices)])
    else:
        yield "  none declared: slices: [metadata.<key>, ...] in a suite, or --slice"
    yield from _notes(report)
    yield from _without_lines(report)
    yield from _proposal_lines(report.proposals)
    yield from _rule_lines(report.decided)


def run_lines(info: RunInfo) -> Iterator[str]:
    state = info.dataset
    splits = ", ".join(info.splits)
    yield DOT.join([f"Run {info.run}", dataset_text(state), f"{info.cases:,} cases of {splits}", short(info.digest)])
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
    return f"{row.metric.name}: {estimate_text(row)}{interval}{DOT}{counts_text(row.metric, row.counts)}"


def _cells(row: ScopeResult) -> list[str]:
    cases = DOT.join([counts_text(row.metric, row.counts), "exploratory", f"support {row.counts.observed:,}"])
    return [row.scope.text, row.metric.name, estimate_text(row), row_interval(row), cases, mark_text(row)]


def _notes(report: RunReport) -> Iterator[str]:
    for item in report.dataset_slices:
        number = f"#{item.number}" if item.number else "not recorded"
        required = ", required" if item.required else ""
        unknown = f", {item.unevaluable:,} cases could not be checked" if item.unevaluable else ""
        yield f"  slice {item.name} {number} {short(item.digest)}{required}: {item.matched:,} cases{unknown}"
    method = report.method
    if method.tested:
        yield (
            f"  {method.tested} slices tested against the run's own rate, at most {method.q:g} of marks false "
            "(Benjamini-Yekutieli)"
        )
        if lone_level(method.q, method.tested) < SMALLEST:
            yield f"  Among so many one alone is not marked, however far off it is: {SMALLEST:g} is the smallest p"
        yield f"  {UNMARKED}"
    for weak, whole in _weakest(report):
        assert weak.interval is not None
        behind = (weak.counts.estimate or 0.0) - (whole.counts.estimate or 0.0)
        away = f"{100 * behind:+.1f} points" if weak.metric.is_rate else f"{behind:+.3f}"
        mark = f", {mark_text(weak)}" if weak.mark else ""
        yield (
            f"Weakest slice for {weak.metric.name}: {weak.scope.text} {estimate_text(weak)} "
            f"{interval_text(weak.metric, weak.interval)}, {away} from the run{mark}"
        )


def _weakest(report: RunReport) -> Iterator[tuple[ScopeResult, ScopeResult]]:
    overall = {row.metric.name: row for row in report.overall}
    for row in report.weakest():
        yield row, overall[row.metric.name]


def _without_lines(report: RunReport) -> Iterator[str]:
    if not report.without:
        return
    yield ""
    yield f"With and without the {report.info.dataset.contaminated_cases:,} contaminated cases"
    rows = [["metric", "all cases", "without contaminated", "cases left"]]
    for item in report.without:
        cells = [f"{estimate_text(row)} {row_interval(row)}" for row in (item.everything, item.clean)]
        rows.append([item.everything.metric.name, *cells, counts_text(item.clean.metric, item.clean.counts)])
    yield from columns(rows)


def _proposal_lines(proposals: Sequence[CrossProposal] | None) -> Iterator[str]:
    if proposals is None:
        return
    yield ""
    yield "Crosses worth declaring (exploratory; a cell against both slices it belongs to)"
    if not proposals:
        yield "  none: fewer than two slices, or no cell with enough support"
        return
    rows = [["cross", "cell", "estimate", "its slices", "cases", "p", "adjusted"]]
    for item in proposals[:_MOST_PROPOSALS]:
        of = " and ".join(f"{100 * rate:.1f} %" if item.cell.metric.is_rate else f"{rate:.3f}" for rate in item.parents)
        support = f"{item.supported} of {item.cells} cells with support"
        cell = f"{item.cell.scope.text} ({item.cell.metric.name})"
        shown = f"{estimate_text(item.cell)} of {item.cell.counts.observed:,}"
        rows.append([item.name, cell, shown, of, support, f"{item.p:.4f}", f"{item.adjusted:.4f}"])
    yield from columns(rows)


def _rule_lines(decided: Sequence[Decided]) -> Iterator[str]:
    if not decided:
        return
    yield ""
    for item in decided:
        yield f"Rule {item.rule.id}: {item.decision} ({item.reason}){DOT}minimum {item.rule.bound:g}"
    yield gate_line(gate_of(tuple(decided)))


def lone_level(q: float, tested: int) -> float:
    """What the only slice that stands out has to reach among so many (Benjamini-Yekutieli)."""
    return q / (tested * sum(1 / number for number in range(1, tested + 1)))


def gate_line(decision: Decision) -> str:
    return f"Gate: {_WORDS[decision]} (exit {_CODES[decision]})"


def gate_code(decision: Decision) -> int:
    """A failure blocks; what nobody can decide does not pass (A43)."""
    return _CODES[decision]
