"""`heldout results report`: one run by slice, against the dataset version that it read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heldout.domain.results.decision import Decided, Decision, Reason, Rule, decide
from heldout.domain.results.interval import Interval
from heldout.domain.results.report import Method, RunInfo, RunReport, ScopeResult, Without
from heldout.domain.results.suite import Suite
from heldout.errors import UsageError
from heldout.services.progress import SILENT, Progress
from heldout.services.results.crossing import proposals
from heldout.services.results.gathering import Gathered, Measured, gather
from heldout.services.results.measuring import by_scope, scaled, unscaled, whole, with_marks
from heldout.services.results.requiring import check_minimum, check_required
from heldout.services.results.scopes import Grouping, groupings, own_slices, restricted
from heldout.services.results.subject import Asked, RunSubject, subject_name, with_dataset, without_dataset
from heldout.services.workspace import Workspace
from heldout.statistics.means import mean_interval
from heldout.statistics.rates import clopper_pearson
from heldout.storage.results.run_file import RunFile


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a report shows beside its slices."""

    with_and_without: bool = False
    suggest: bool = False


def report(
    open_workspace: Callable[[], Workspace],
    path: Path,
    suite: Suite,
    asked: Asked = Asked(),  # noqa: B008
    wanted: Wanted = Wanted(),
    progress: Progress = SILENT,
) -> RunReport:
    """Raises what reading the run and the dataset raises; UsageError (slice-unavailable), SliceNotReported."""
    file = RunFile(path, suite.metadata_keys())
    header = file.read_header()
    name = subject_name(suite, header, asked, str(path))
    if name is None:
        subject = without_dataset(asked)
    else:
        subject = with_dataset(open_workspace, name, suite, [header], asked, progress)
    return report_on(
        restricted(gather(file, subject.cases, suite, progress), suite.splits), subject, file, suite, wanted
    )


def report_on(gathered: Gathered, subject: RunSubject, file: RunFile, suite: Suite, wanted: Wanted) -> RunReport:
    found = groupings(gathered, suite)
    overall = [whole(item, suite) for item in gathered.measured]
    rows = slice_rows(gathered.measured, found, suite)
    seen = {(row.scope, row.metric.name) for row in rows if row.counts.observed}
    check_required(gathered, seen, [item.metric.name for item in gathered.measured], suite)
    rows, tested = with_marks(rows, overall, gathered.measured, found, suite)
    return RunReport(
        info=run_info(gathered, subject, file),
        method=Method(suite.level, suite.least, suite.q, tested, suite.against),
        overall=tuple(overall),
        slices=tuple(rows),
        dataset_slices=tuple(own_slices(gathered.cases.own)),
        excluded_for=dict(sorted(Counter(why for _, why in gathered.excluded_for).items())),
        without=_without(gathered, suite) if wanted.with_and_without else (),
        proposals=proposals(gathered, found, suite) if wanted.suggest else None,
        decided=tuple(_decided(rule, gathered.measured, overall, suite.level) for rule in suite.rules),
    )


def run_info(gathered: Gathered, subject: RunSubject, file: RunFile) -> RunInfo:
    header = gathered.header
    about = {"metric": header.metric, "rag": None, **header.about}
    shown = {key: value for key, value in about.items() if value is not None}
    cases = gathered.cases
    hit = 0 if cases.contaminated is None else int(cases.contaminated.sum())
    state = replace(subject.state, contaminated_cases=hit)
    return RunInfo(header.run or file.path.stem, gathered.digest, file.name, state, gathered.splits, cases.count, shown)


def slice_rows(measured: Sequence[Measured], found: Iterable[Grouping], suite: Suite) -> list[ScopeResult]:
    """By slice, then by value, then by metric (O18)."""
    rows: list[ScopeResult] = []
    for grouping in found:
        columns = [by_scope(item, grouping, suite) for item in measured]
        rows += [row for same in zip(*columns, strict=True) for row in same]
    return rows


def _without(gathered: Gathered, suite: Suite) -> tuple[Without, ...]:
    hit = gathered.cases.contaminated
    if hit is None:
        raise UsageError(
            "run-without-dataset",
            "without a dataset version nobody knows which cases are contaminated",
            hint="--dataset NAME@vX.Y.Z",
        )
    return tuple(Without(whole(item, suite), whole(item, suite, ~hit)) for item in gathered.measured)


def _decided(rule: Rule, measured: Sequence[Measured], overall: Sequence[ScopeResult], level: float) -> Decided:
    """A release rule on the whole run, missing outcomes at their worst."""
    for item, row in zip(measured, overall, strict=True):
        if row.metric.name == rule.metric:
            check_minimum(rule, item.metric)
        if row.metric.name == rule.metric and row.interval is None:  # of a run whose cases are all missing or excluded
            reason = Reason.MISSING if row.counts.missing else Reason.SUPPORT
            return Decided(rule, Decision.INSUFFICIENT, reason, 1 - level, None)
        if row.metric.name == rule.metric and row.interval is not None:
            decision, reason = decide(row.interval, _worst(item, row, level), rule.bound)
            return Decided(rule, decision, reason, 1 - level, row.interval, (row.counts.estimate or 0.0) <= rule.bound)
    known = ", ".join(row.metric.name for row in overall) or "none"
    message = f"Configuration error: rule '{rule.id}' is about the metric '{rule.metric}', which the run does not have"
    raise UsageError("unknown-metric", message, hint=f"its metrics: {known}")


def _worst(item: Measured, row: ScopeResult, level: float) -> Interval:
    counts = row.counts
    if not counts.missing:
        assert row.interval is not None
        return row.interval
    if item.scores is None:
        n, k = counts.observed + counts.missing, round(counts.total)
        return Interval(clopper_pearson(k, n, level).lower, clopper_pearson(k + counts.missing, n, level).upper)
    scores = scaled(item)
    low, high = scores.padded(counts.missing, 0.0), scores.padded(counts.missing, 1.0)
    alpha = 1 - level
    return unscaled(item.metric, Interval(mean_interval(low, alpha).lower, mean_interval(high, alpha).upper))
