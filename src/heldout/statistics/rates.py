"""A rate: its exact interval, and how far it lies from a rate that is taken as known."""

from __future__ import annotations

from functools import lru_cache

from heldout.domain.results.interval import Interval
from heldout.statistics.binomial import beta_density, incomplete_beta, lower_tail, upper_tail

SMALLEST_LEVEL, LARGEST_LEVEL = 0.0001, 0.9999
_HALVINGS = 14


@lru_cache(maxsize=4096)
def clopper_pearson(successes: int, observed: int, level: float = 0.95) -> Interval:
    """The exact interval of Clopper and Pearson (1934): it covers the rate with at least `level`, at every n.

    Both ends are quantiles of beta distributions. Nothing observed says nothing: [0, 1].
    """
    k, n, tail = successes, observed, (1 - level) / 2
    if n == 0:
        return Interval(0.0, 1.0)
    lower = 0.0 if k == 0 else beta_quantile(tail, k, n - k + 1)
    upper = 1.0 if k == n else 1 - beta_quantile(tail, n - k, k + 1)
    return Interval(lower, upper)


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x at which I_x(a, b) is `share`: Newton's steps, halved where they leave the bracket."""
    if b == 1:
        return float(share ** (1 / a))
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(200):
        error = incomplete_beta(a, b, x) - share
        low, high = (low, x) if error > 0 else (x, high)
        slope = beta_density(a, b, x)
        step = x - error / slope if slope > 0 else low
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= 1e-16 + 4e-16 * x:
            return following
        x = following
    return x


def doubled_tail(successes: int, observed: int, rate: float) -> float:
    """The smallest level at which the exact interval excludes `rate`: twice the smaller tail, 1 at most."""
    tail = min(lower_tail(successes, observed, rate), upper_tail(successes, observed, rate))
    return min(1.0, 2 * tail)


def level_of_exclusion(exact: float) -> float:
    """An exact smallest level as it is published: the excluding end of 14 halvings of [0.0001, 0.9999].

    Never below the exact one, and above it by 0.9998 / 2**14 = 6.1e-5 at most, so ranks and marks stay valid.
    """
    low, high = SMALLEST_LEVEL, LARGEST_LEVEL
    if exact < low:
        return low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if exact < middle:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=4096)
def rate_p(successes: int, observed: int, rate: float) -> float:
    """The level on which a slice is ranked against the run's own rate, which is taken as known (A37)."""
    return level_of_exclusion(doubled_tail(successes, observed, rate))
