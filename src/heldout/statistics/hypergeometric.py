"""Draws without replacement, in whole numbers: no rounding of a probability decides anything.

A stratum of `units` holds `marked` ones; `drawn` of its units are taken uniformly without replacement, and `seen` of
these are marked. Chances are counts of ID sets out of `comb(units, drawn)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb


def outcomes(units: int, drawn: int, marked: int) -> range:
    """What can be seen."""
    return range(max(0, drawn - (units - marked)), min(drawn, marked) + 1)


def ways(units: int, drawn: int, marked: int, seen: int) -> int:
    """How many of the `comb(units, drawn)` ID sets show exactly `seen`."""
    return comb(marked, seen) * comb(units - marked, drawn - seen) if 0 <= seen <= drawn else 0


def ways_at_most(units: int, drawn: int, marked: int, seen: int) -> int:
    """ID sets that show `seen` or fewer: the inclusive lower tail."""
    first = outcomes(units, drawn, marked).start
    return sum(_ways_from(units, drawn, marked, first, seen))


def ways_at_least(units: int, drawn: int, marked: int, seen: int) -> int:
    """ID sets that show `seen` or more: the inclusive upper tail."""
    possible = outcomes(units, drawn, marked)
    return sum(_ways_from(units, drawn, marked, max(seen, possible.start), possible.stop - 1))


def _ways_from(units: int, drawn: int, marked: int, first: int, last: int) -> Iterator[int]:
    """The ways of `first` to `last`, each from the one before it: for large strata `comb` is what costs."""
    current = ways(units, drawn, marked, first)
    for seen in range(first, last + 1):
        yield current
        rest = units - marked - drawn + seen + 1
        if rest > 0:
            current = current * (marked - seen) * (drawn - seen) // ((seen + 1) * rest)


def kept(units: int, drawn: int, seen: int, tail: Fraction) -> tuple[int, int]:
    """The least and the greatest `marked` that both inclusive tails keep, each strictly above `tail` (decision A41).

    More marked ones make more of them likely to be seen (the family is stochastically increasing in `marked`), so what
    is kept is one run of whole numbers, and its ends are found by bisection. `tail` is below 1/2.
    """
    total = comb(units, drawn)

    def exceeds(count: int) -> bool:
        return count * tail.denominator > tail.numerator * total

    first, last = seen, units - drawn + seen
    low, high = first, last
    while low < high:  # the upper tail at `last` is certain
        middle = (low + high) // 2
        if exceeds(ways_at_least(units, drawn, middle, seen)):
            high = middle
        else:
            low = middle + 1
    least, low, high = low, first, last
    while low < high:  # the lower tail at `first` is certain
        middle = (low + high + 1) // 2
        if exceeds(ways_at_most(units, drawn, middle, seen)):
            low = middle
        else:
            high = middle - 1
    return least, low
