"""The mean of scores in [0, 1], and of differences in [-1, 1]: a finite-sample interval without a model of the scores.

The same hedged bets as for paired outcomes (Waudby-Smith and Ramdas, JRSS B 86 (2024), section 5), with twenty stakes
spaced geometrically from 20/21 of what may be staked down to the order of 1/sqrt(n), fixed by n alone before a score is
seen: so the interval goes on narrowing where there are many scores. It covers at every n by Ville's inequality, adapts
to the variance, and does not look at the order of scores.

More than 2,048 distinct scores are put into cells, each score to its cell's far end: a bound may move outward by
1/2048, and never inward.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

from heldout.domain.results.interval import Interval
from heldout.statistics.paired import bisect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_STAKES = 20
_CELLS = 2048
_PRECISION = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Scores in [0, 1] by value and how often. `low` and `high` differ where scores were put into cells."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_counts: NDArray[np.int64]
    high_counts: NDArray[np.int64]
    count: int
    mean: float

    @classmethod
    def of(cls, values: ArrayLike) -> Scores:
        import numpy as np

        given = np.asarray(values, dtype=np.float64)
        distinct, counts = np.unique(given, return_counts=True)
        mean = float(given.mean()) if len(given) else 0.0
        if len(distinct) <= _CELLS:
            return cls(distinct, distinct, counts, counts, len(given), mean)
        low, low_counts = _cells(np.floor(given * _CELLS))
        high, high_counts = _cells(np.ceil(given * _CELLS))
        return cls(low, high, low_counts, high_counts, len(given), mean)

    def padded(self, count: int, value: float) -> Scores:
        """With so many more scores of 0 or of 1: missing ones at their worst."""
        import numpy as np

        end, more = np.array([value]), np.array([count])
        total = self.count + count
        mean = (self.mean * self.count + value * count) / total if total else 0.0
        low, high = np.concatenate([self.low, end]), np.concatenate([self.high, end])
        counts = np.concatenate([self.low_counts, more]), np.concatenate([self.high_counts, more])
        return Scores(low, high, *counts, total, mean)

    def mirrored(self) -> Scores:
        return Scores(1 - self.high, 1 - self.low, self.high_counts, self.low_counts, self.count, 1 - self.mean)


def _cells(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    import numpy as np

    distinct, counts = np.unique(places, return_counts=True)
    return distinct / _CELLS, counts


def mean_interval(scores: Scores, alpha: float) -> Interval:
    """The means in [0, 1] that no bet speaks against at `alpha`; [0, 1] where there is no score."""
    return Interval(mean_lower(scores, alpha), 1 - mean_lower(scores.mirrored(), alpha))


def mean_lower(scores: Scores, alpha: float) -> float:
    limit = log(2 / alpha)
    return bisect(lambda mean: _log_wealth(scores, mean) >= limit, 0.0, 1.0, _PRECISION)


def mean_level(scores: Scores, mean: float) -> float:
    """The smallest level at which the interval excludes `mean`."""
    return min(level_above(scores, mean), level_above(scores.mirrored(), 1 - mean))


def level_above(scores: Scores, mean: float) -> float:
    """The smallest level at which the whole interval lies above `mean`."""
    from math import exp

    if mean <= 0:
        return 0.0 if scores.mean > 0 else 1.0
    return min(1.0, 2 * exp(-max(_log_wealth(scores, mean), 0.0)))


def _log_wealth(scores: Scores, mean: float) -> float:
    """Log of the mean wealth of bets that the mean is above `mean`, at each the far end of the cells that hurts it."""
    import numpy as np

    stakes = _stakes(scores.count)[:, None]
    with np.errstate(over="ignore"):
        logs = np.log(1 - stakes + stakes * (scores.low / mean)) @ scores.low_counts
    top = float(logs.max())
    return top + log(float(np.exp(logs - top).mean()))


def _stakes(count: int) -> NDArray[np.float64]:
    import numpy as np

    largest = _STAKES / (_STAKES + 1)
    smallest = min(1 / (_STAKES + 1), 1 / (2 * sqrt(max(count, 1))))
    return np.geomspace(largest, smallest, _STAKES)
