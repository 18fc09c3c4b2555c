"""Numbers of a metric by scope: counts, estimates, intervals, and which slices stand out from the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.domain.results.interval import Interval
from heldout.domain.results.report import Counts, Mark, Metric, ScopeResult
from heldout.domain.results.scope import GLOBAL, Scope
from heldout.domain.results.suite import REST, Suite
from heldout.services.results.gathering import EXCLUDED, MISSING, NO, YES, Measured
from heldout.services.results.scopes import Grouping
from heldout.statistics.fisher import fisher_p
from heldout.statistics.marking import adjusted, marked
from heldout.statistics.means import Scores, mean_interval, mean_level
from heldout.statistics.rates import clopper_pearson, level_of_exclusion, rate_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def whole(item: Measured, suite: Suite, cases: NDArray[np.bool_] | None = None) -> ScopeResult:
    """The metric on every case, or on some of them; its interval is shown however few there are."""
    import numpy as np

    codes = np.zeros(len(item.status), dtype=np.int32) if cases is None else np.where(cases, 0, -1).astype(np.int32)
    return by_scope(item, Grouping("", (GLOBAL,), codes), replace(suite, least=0))[0]


def by_scope(item: Measured, grouping: Grouping, suite: Suite) -> list[ScopeResult]:
    """One pass over the cases for all values of a slice."""
    import numpy as np

    size = len(grouping.scopes)
    # One more group, in front, for cases that are in none.
    places = (grouping.codes + 1) * 4 + item.status
    table = np.bincount(places, minlength=4 * (size + 1)).reshape(-1, 4)[1:]
    totals: NDArray[Any] = table[:, YES].astype(np.float64)
    if item.scores is not None:
        inside = (item.status == YES) & (grouping.codes >= 0)
        totals = np.bincount(grouping.codes[inside], weights=item.scores[inside], minlength=size)
    results = []
    for code, scope in enumerate(grouping.scopes):
        row = table[code].tolist()
        counts = Counts(row[NO] + row[YES], row[MISSING], row[EXCLUDED], float(totals[code]))
        interval = None
        if counts.observed and counts.observed >= suite.least:
            interval = interval_of(item, counts, grouping, code, suite.level)
        results.append(ScopeResult(scope, item.metric, counts, interval, suite.least))
    return results


def interval_of(item: Measured, counts: Counts, grouping: Grouping, code: int, level: float) -> Interval:
    """Clopper-Pearson for a rate; hedged betting for scores (docs/results.md)."""
    if item.scores is None:
        return clopper_pearson(round(counts.total), counts.observed, level)
    return unscaled(item.metric, mean_interval(scaled(item, grouping.places(code)), 1 - level))


def scaled(item: Measured, places: NDArray[np.int64] | None = None) -> Scores:
    """Observed scores of some cases, or of all, brought to [0, 1]."""
    assert item.scores is not None
    scores, status = item.scores, item.status
    if places is not None:
        scores, status = scores[places], status[places]
    low, high = item.metric.low, item.metric.high
    return Scores.of((scores[status == YES] - low) / (high - low))


def unscaled(metric: Metric, found: Interval) -> Interval:
    width = metric.high - metric.low
    return Interval(metric.low + width * found.lower, metric.low + width * found.upper)


def with_marks(
    results: Sequence[ScopeResult],
    overall: Iterable[ScopeResult],
    measured: Iterable[Measured],
    found: Iterable[Grouping],
    suite: Suite,
) -> tuple[list[ScopeResult], int]:
    """Each slice that can be tested against the run's own rate (A37), all of them together; and how many there were.

    Below the least support, or with missing outcomes, a slice is not tested and not counted (A36). Against the rest of
    the run, neither is one that is all of it; scores have no such test, and keep the one against the run.
    """
    wholes = {row.metric.name: row.counts for row in overall}
    of_metric = {item.metric.name: item for item in measured}
    codes = {(grouping.name, scope): (grouping, at) for grouping in found for at, scope in enumerate(grouping.scopes)}
    tested, levels = [], []
    for place, row in enumerate(results):
        counts, run = row.counts, wholes[row.metric.name]
        if not counts.observed or row.is_thin or counts.missing or run.estimate is None:
            continue
        if suite.against == REST and row.metric.is_rate:
            rest = run.observed - counts.observed
            if rest:
                k, all_successes = round(counts.total), round(run.total)
                tested.append(place)
                levels.append(fisher_p(k, counts.observed, all_successes - k, rest))
            continue
        grouping, at = codes[_slice_name(row.scope), row.scope]
        tested.append(place)
        levels.append(level_against(of_metric[row.metric.name], counts, grouping, at, run.estimate))
    marks = zip(levels, adjusted(levels), marked(levels, suite.q), strict=True)
    rows = list(results)
    for place, mark in zip(tested, marks, strict=True):
        rows[place] = replace(rows[place], mark=Mark(*mark))
    return rows, len(tested)


def _slice_name(scope: Scope) -> str:
    return " x ".join(name for name, _ in scope.pairs)


def level_against(item: Measured, counts: Counts, grouping: Grouping, at: int, rate: float) -> float:
    """The smallest level at which a slice's interval excludes a rate that is taken as known."""
    if item.scores is None:
        return rate_p(round(counts.total), counts.observed, rate)
    low, high = item.metric.low, item.metric.high
    exact = mean_level(scaled(item, grouping.places(at)), (rate - low) / (high - low))
    return level_of_exclusion(exact)
