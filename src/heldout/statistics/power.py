"""How many cases a rule needs, by enumeration of everything that can be observed, without a normal curve.

A chance is summed over all counts that lead to the decision, so it rises in teeth and not evenly: an answer names a
number of cases that is enough, with how many numbers after it were looked at too. Counts beyond eight standard
deviations are left out of sums of two dimensions, which can only make a chance smaller, by less than 1e-14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, isqrt, lgamma, log, log1p

from heldout.statistics.binomial import lower_tail, upper_tail
from heldout.statistics.marking import harmonic
from heldout.statistics.paired import Pairs, log_wealth
from heldout.statistics.rates import SMALLEST_LEVEL, level_of_exclusion

Chance = Callable[[int], float]
"""Of a decision, by the number of cases."""


@dataclass(frozen=True, slots=True)
class OneRate:
    """A decision that a rate lies above `null` (or below it), when its tail under `null` is small enough.

    `accepts` is monotone: what accepts a tail accepts every smaller one.
    """

    null: float
    above: bool
    accepts: Callable[[float], bool]

    def critical(self, n: int) -> int | None:
        """The fewest successes of `n` that decide "above"; failures of `n` that decide "below"; None: none does."""
        if not self.accepts(self._tail(n, n)):
            return None
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if self.accepts(self._tail(middle, n)):
                high = middle
            else:
                low = middle + 1
        return low

    def _tail(self, k: int, n: int) -> float:
        """P(X >= k) under the null rate, of successes or of failures."""
        return upper_tail(k, n, self.null) if self.above else lower_tail(n - k, n, self.null)

    def chance(self, n: int, rate: float) -> float:
        """Of the decision where `rate` is true."""
        least = self.critical(n)
        if least is None:
            return 0.0
        return upper_tail(least, n, rate) if self.above else lower_tail(n - least, n, rate)

    def possible(self, limit: int) -> int | None:
        return first_number(lambda n: self.accepts(self._tail(n, n)), limit)


def exact_rate(bound: float, alpha: float, *, above: bool) -> OneRate:
    """The Clopper-Pearson interval at level 1 - alpha lies above, or below, `bound`: one tail is under alpha / 2."""
    return OneRate(bound, above, lambda tail: tail < alpha / 2)


def marked_slice(run_rate: float, q: float, slices: int, *, above: bool) -> OneRate | None:
    """A Benjamini-Yekutieli mark of a slice that stands out alone among `slices`, on the level that reports rank by.

    None where even the smallest level that is reported, 0.0001, is not enough among so many.
    """
    step = q / (slices * harmonic(slices))
    if step < SMALLEST_LEVEL:
        return None
    return OneRate(run_rate, above, lambda tail: level_of_exclusion(min(1.0, 2 * tail)) <= step)


@dataclass(frozen=True, slots=True)
class OnePairing:
    """A decision that the mean difference lies above `bound`, at `alpha`, by the paired interval's own bet.

    That it lies below is the same decision about mirrored pairs and the mirrored bound.
    """

    bound: float
    alpha: float

    def decides(self, pairs: Pairs) -> bool:
        return log_wealth(pairs, self.bound) >= log(2 / self.alpha)

    def chance(self, n: int, gains: float, losses: float) -> float:
        """Summed over losses, and for each over the gains that are enough beside them."""
        return _paired_chance(self, n, gains, losses)

    def possible(self, limit: int) -> int | None:
        """Were every case a gain."""
        return first_number(lambda n: self.decides(Pairs(n, 0, n)), limit)

    def same(self, limit: int) -> int | None:
        """Were every case a tie: None for a bound that ties do not lie above."""
        return first_number(lambda n: self.decides(Pairs(0, 0, n)), limit) if self.bound < 0 else None


@lru_cache(maxsize=4096)
def _paired_chance(rule: OnePairing, n: int, gains: float, losses: float) -> float:
    spread = 8 * isqrt(int(n * losses * (1 - losses)) + 1) + 8
    expected = int(n * losses)
    share = gains / (1 - losses) if losses < 1 else 0.0
    needed, total = 0, 0.0
    for lost in range(max(0, expected - spread), min(n, expected + spread) + 1):
        enough = _gains_needed(rule, n, lost, needed)
        if enough is None:
            break  # with more losses even less is enough
        needed = enough
        total += _binomial(lost, n, losses) * upper_tail(needed, n - lost, share)
    return total


def _gains_needed(rule: OnePairing, n: int, lost: int, start: int) -> int | None:
    """The fewest gains beside so many losses that decide; at least `start`, which was enough beside fewer."""
    if not rule.decides(Pairs(n - lost, lost, n)):
        return None
    low, step = min(start, n - lost), 1
    while not rule.decides(Pairs(min(low + step, n - lost), lost, n)) and low + step < n - lost:
        low, step = low + step, step * 2
    high = min(low + step, n - lost)
    while low < high:
        middle = (low + high) // 2
        if rule.decides(Pairs(middle, lost, n)):
            high = middle
        else:
            low = middle + 1
    return low


def _binomial(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(k == n * p)
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p))


def first_number(holds: Callable[[int], bool], limit: int) -> int | None:
    """The first number from 1 on at which something holds that goes on to hold."""
    high = 1
    while not holds(high):
        if high >= limit:
            return None
        high = min(2 * high, limit)
    low = high // 2 + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def enough(chance: Chance, power: float, limit: int, window: int) -> int | None:
    """The first number of cases that has the power and keeps it at the next `window` numbers; None up to `limit`.

    Found near the first power of two that has it, so a tooth far below may have been passed over; the number before
    the answer has not.
    """
    low = first_number(lambda n: chance(n) >= power, limit)
    if low is None:
        return None
    at = low
    while at <= low + window:
        if at > limit:
            return None
        if chance(at) < power:
            low = at + 1
        at += 1
    while low > 1 and chance(low - 1) >= power:
        low -= 1
    return low
