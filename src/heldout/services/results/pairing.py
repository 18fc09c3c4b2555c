"""Two runs case by case: counts of pairs, intervals for their difference, and how strongly a rule fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heldout.domain.results.comparison import OneSided, PairedResult
from heldout.domain.results.interval import Interval
from heldout.domain.results.report import Metric
from heldout.domain.results.scope import Scope
from heldout.services.results.gathering import EXCLUDED, NO, YES, Measured
from heldout.statistics import means, paired
from heldout.statistics.means import Scores, mean_interval
from heldout.statistics.paired import Pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The cases of one scope for one metric. `scores` are the differences, brought to [0, 1], where it is of scores.

    `unknown` are the cases that a rule takes at their worst: the missing ones, and where the policy does not drop them,
    those that one run alone excluded.
    """

    scope: Scope
    metric: Metric
    pairs: Pairs
    missing: int
    excluded: int
    excluded_alone: tuple[int, int]
    unknown: int
    scores: Scores | None

    @property
    def difference(self) -> float:
        if self.scores is None:
            return float(self.pairs.difference)
        return (2 * self.scores.mean - 1) * self._width if self.scores.count else 0.0

    @property
    def _width(self) -> float:
        return self.metric.high - self.metric.low

    def interval(self, alpha: float) -> Interval:
        if self.scores is None:
            return paired.interval(self.pairs, alpha)
        return self._of_scores(mean_interval(self.scores, alpha))

    def _of_scores(self, found: Interval) -> Interval:
        return Interval((2 * found.lower - 1) * self._width, (2 * found.upper - 1) * self._width)

    def worst(self, alpha: float) -> Interval:
        """Below, as if every unknown pair were lost; above, as if every one were gained (A38)."""
        if not self.unknown:
            return self.interval(alpha)
        return Interval(
            self._padded(gained=False).interval(alpha).lower, self._padded(gained=True).interval(alpha).upper
        )

    def strength(self, bound: float) -> float:
        """The smallest level at which the whole interval lies below `bound`."""
        best = self._padded(gained=True) if self.unknown else self
        if best.scores is None:
            return paired.level_below(best.pairs, -bound)
        return means.level_above(best.scores.mirrored(), 1 - (bound / self._width + 1) / 2)

    def _padded(self, *, gained: bool) -> Paired:
        pairs, more = self.pairs, self.unknown
        pairs = Pairs(pairs.gains + more * gained, pairs.losses + more * (not gained), pairs.paired + more)
        scores = None if self.scores is None else self.scores.padded(more, float(gained))
        return replace(self, pairs=pairs, unknown=0, scores=scores)

    def result(self, alpha: float, least: int) -> PairedResult:
        pairs = self.pairs
        interval = self.interval(alpha) if pairs.paired and pairs.paired >= least else None
        return PairedResult(
            self.scope,
            self.metric,
            pairs.paired,
            self.missing,
            self.excluded,
            self.excluded_alone,
            self.difference,
            pairs.gains,
            pairs.losses,
            interval,
            least,
        )


def pair(
    candidate: Measured,
    baseline: Measured,
    scope: Scope,
    places: NDArray[np.int64] | None = None,
    one_sided: OneSided = OneSided.MISSING,
) -> Paired:
    """The cases at some places, or all. Excluded by either run is excluded, else missing in either is missing."""
    import numpy as np

    ours, theirs = candidate.status, baseline.status
    if places is not None:
        ours, theirs = ours[places], theirs[places]
    excluded = (ours == EXCLUDED) | (theirs == EXCLUDED)
    both = (ours >= NO) & (theirs >= NO)
    missing = len(ours) - int(excluded.sum()) - int(both.sum())
    alone = (
        int(((ours == EXCLUDED) & (theirs != EXCLUDED)).sum()),
        int(((theirs == EXCLUDED) & (ours != EXCLUDED)).sum()),
    )
    unknown = missing + (sum(alone) if one_sided is OneSided.MISSING else 0)
    scores = None
    gains = losses = 0
    if candidate.scores is None or baseline.scores is None:
        gains, losses = int(((ours == YES) & (theirs == NO)).sum()), int(((ours == NO) & (theirs == YES)).sum())
    else:
        a, b = candidate.scores, baseline.scores
        if places is not None:
            a, b = a[places], b[places]
        width = candidate.metric.high - candidate.metric.low
        found = (a[both] - b[both]) / width
        gains, losses = int((found > 0).sum()), int((found < 0).sum())
        scores = Scores.of(np.clip((found + 1) / 2, 0, 1))
    pairs = Pairs(gains, losses, int(both.sum()))
    return Paired(scope, candidate.metric, pairs, missing, int(excluded.sum()), alone, unknown, scores)
