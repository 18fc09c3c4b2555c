"""The difference of two runs over the same cases, from counts of gains, losses and ties.

Hedged grid-Kelly betting: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86
(2024), section 5. Somebody bets that the mean of the differences in {-1, 0, +1} is above m, somebody else that it is
below, each with twenty fixed stakes at once; m is in the interval while neither is rich. Wealth is a product over
cases, so their order does not matter, and it is a martingale where m is right, so by Ville's inequality the interval
covers at every n. It is conservative: with fixed stakes it stops narrowing where n is very large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, log, log1p

from heldout.domain.results.interval import Interval

STAKES = 20


@dataclass(frozen=True, slots=True)
class Pairs:
    """Cases that both runs answered: the candidate alone was right, the baseline alone, and all of them."""

    gains: int
    losses: int
    paired: int

    @property
    def difference(self) -> Fraction:
        """Exact: 0.775 - 0.825 as floats is above -0.05, and a rule at that margin would read otherwise (A35)."""
        return Fraction(self.gains - self.losses, self.paired) if self.paired else Fraction(0)

    def mirrored(self) -> Pairs:
        return Pairs(self.losses, self.gains, self.paired)


def interval(pairs: Pairs, alpha: float) -> Interval:
    """The means that nobody's wealth speaks against at `alpha`; [-1, 1] where there is no pair."""
    return Interval(lower_bound(pairs, alpha), -lower_bound(pairs.mirrored(), alpha))


@lru_cache(maxsize=4096)
def lower_bound(pairs: Pairs, alpha: float) -> float:
    """Where the wealth of the bet that the mean is above m, which falls in m, passes 2 / alpha."""
    limit = log(2 / alpha)
    return bisect(lambda mean: log_wealth(pairs, mean) >= limit, -1.0, 1.0)


def level_below(pairs: Pairs, margin: float) -> float:
    """The smallest level at which the whole interval lies below `-margin`: how strongly a rule fails."""
    return min(1.0, 2 * exp(-max(log_wealth(pairs.mirrored(), margin), 0.0)))


def bisect(rich: Callable[[float], bool], low: float, high: float, precision: float = 0.0) -> float:
    """Just below where `rich` ceases to hold, to the last bit or to `precision`; `low` where it holds nowhere."""
    while True:
        middle = (low + high) / 2
        if high - low <= precision or middle in (low, high):
            return low
        low, high = (middle, high) if rich(middle) else (low, middle)


def log_wealth(pairs: Pairs, mean: float) -> float:
    """Log of K+(m): the mean wealth over stakes j / (21 (1 + m)), j = 1..20, that the true mean is above m."""
    g, losses, ties = pairs.gains, pairs.losses, pairs.paired - pairs.gains - pairs.losses
    logs = []
    for j in range(1, STAKES + 1):
        stake = j / ((STAKES + 1) * (1 + mean))
        value = losses * log1p(-j / (STAKES + 1)) + g * log1p(stake * (1 - mean)) + ties * log1p(-stake * mean)
        logs.append(value)
    return log_mean_exp(logs)


def log_mean_exp(logs: list[float]) -> float:
    top = max(logs)
    return top + log(sum(exp(value - top) for value in logs) / len(logs))
