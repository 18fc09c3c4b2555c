"""How alike two texts are, told from published signatures: an estimate with its interval, all in exact numbers.

Of each of 64 MinHash values a signature publishes two bits (b-bit minwise hashing: Li and König 2010). A value agrees
where the minima do, which happens with probability J, the Jaccard similarity (Broder 1997), and else by chance in one
case of four: with p = 1/4 + 3/4 J. So the number that agree is binomial, and the Clopper-Pearson interval of p (1934)
is one of J: it holds the true J in at least 95 of 100 cases, whatever J is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

VALUES: Final = 64
BITS: Final = 2
CHANCE: Final = Fraction(1, 1 << BITS)
"""How often two values agree that were made of different minima."""

_TAIL: Final = 40  # one in so many is left out on each side
_GRID: Final = 10_000  # bounds have four decimals, rounded outward (decision A34)


@dataclass(frozen=True, slots=True)
class Estimate:
    """`matches` of 64 values agree; `low` and `high` bound the similarity with 95 % confidence."""

    matches: int
    value: Fraction
    low: Fraction
    high: Fraction

    def reaches(self, threshold: Fraction) -> bool:
        return self.high >= threshold


def estimate(matches: int, ours: int, theirs: int) -> Estimate:
    """The estimate for two texts with these numbers of distinct shingles.

    J is no larger than the smaller set over the larger one, whatever the signatures say.
    """
    most = Fraction(min(ours, theirs), max(ours, theirs))
    low, high = interval(matches)
    value = max(Fraction(0), (Fraction(matches, VALUES) - CHANCE) / (1 - CHANCE))
    return Estimate(matches, min(value, most), min(low, most), min(high, most))


@cache
def interval(matches: int) -> tuple[Fraction, Fraction]:
    """The bounds of J in ten-thousandths.

    The lower one is the largest J at which so many matches or more come in one case of 40 at most, the upper one the
    smallest at which so many or fewer do.
    """
    low = _last(lambda number: _chance(number, matches, VALUES))
    high = _GRID - _last(lambda number: _chance(_GRID - number, 0, matches))
    return Fraction(low, _GRID), Fraction(high, _GRID)


@cache
def least(threshold: Fraction) -> int:
    """The smallest number of matches whose interval reaches the threshold."""
    return next(matches for matches in range(VALUES + 1) if interval(matches)[1] >= threshold)


def _last(chance: Callable[[int], int]) -> int:
    """The largest number on the grid at which a growing chance is one in 40 at most; 0 where it never is."""
    low, high = 0, _GRID + 1
    while high - low > 1:
        middle = (low + high) // 2
        if chance(middle) * _TAIL <= _WHOLE:
            low = middle
        else:
            high = middle
    return low


_WHOLE: Final = (4 * _GRID) ** VALUES


def _chance(number: int, first: int, last: int) -> int:
    """P(first <= matches <= last) at J = number / 10,000, in parts of `_WHOLE`."""
    yes = _GRID + 3 * number
    no = 4 * _GRID - yes
    return sum(comb(VALUES, k) * yes**k * no ** (VALUES - k) for k in range(first, last + 1))
