"""Estimates from a stratified sample without replacement: exact fractions of counts.

The weighted rate is Horvitz and Thompson's estimator of a population mean (1952), divided by the population's size and
not by the sum of the weights. The interval combines the strata's exact hypergeometric ones, each at alpha / (2 H) a
tail, H counting every stratum, censuses too (decision A41): conservative, and valid for any sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from heldout.domain.sampling.numbers import Bounds, Observed
from heldout.statistics.hypergeometric import kept


def raw_rate(strata: Sequence[Observed]) -> Fraction:
    """Failures among what was drawn. It estimates the population's rate only where all had one probability."""
    return Fraction(sum(each.failures for each in strata), sum(each.drawn for each in strata))


def weighted_rate(strata: Sequence[Observed]) -> Fraction:
    """(1/N) sum y_i / pi_i, with pi_i = drawn / units of the case's stratum."""
    weighted = sum(Fraction(each.failures * each.units, each.drawn) for each in strata)
    return Fraction(weighted, sum(each.units for each in strata))


def tail_level(alpha: Fraction, strata: int) -> Fraction:
    """What each inclusive tail has to exceed."""
    return alpha / (2 * strata)


def interval(strata: Sequence[Observed], alpha: Fraction) -> Bounds:
    """The population's rate, and beside it the failures of each stratum, all together at level 1 - alpha."""
    tail = tail_level(alpha, len(strata))
    return combined(strata, [kept(each.units, each.drawn, each.failures, tail) for each in strata])


def combined(strata: Sequence[Observed], counts: Sequence[tuple[int, int]]) -> Bounds:
    """Ends added up: [sum of the least, sum of the greatest] / N."""
    size = sum(each.units for each in strata)
    low, high = sum(least for least, _ in counts), sum(greatest for _, greatest in counts)
    return Bounds(tuple(counts), Fraction(low, size), Fraction(high, size))
