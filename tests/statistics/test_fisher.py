"""A slice against its rest: scipy's test, every small table in fractions, and the chance of a false alarm."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb

import pytest
from scipy.stats import fisher_exact

from heldout.statistics.fisher import fisher_p

pytestmark = pytest.mark.req("A37")


def _chance(k: int, n: int, total: int, others: int) -> Fraction:
    return (
        Fraction(comb(n, k) * comb(others, total - k), comb(n + others, total))
        if 0 <= total - k <= others
        else Fraction(0)
    )


def test_every_small_table_is_its_sum_of_chances_in_fractions() -> None:
    for n in range(7):
        for others in range(7):
            for total in range(n + others + 1):
                chances = {k: _chance(k, n, total, others) for k in range(n + 1)}
                for k, seen in chances.items():
                    if seen:
                        exact = sum(each for each in chances.values() if each <= seen)
                        assert fisher_p(k, n, total - k, others) == pytest.approx(float(exact), rel=1e-12)


def test_larger_tables_are_scipys() -> None:
    draw = random.Random(11)
    for _ in range(300):
        n, others = (int(10 ** draw.uniform(0, 4.5)) for _ in range(2))
        rate = draw.random()
        k = draw.choice([0, n, round(n * rate), draw.randint(0, n)])
        j = draw.choice([0, others, round(others * rate), draw.randint(0, others)])
        oracle = float(fisher_exact([[k, n - k], [j, others - j]])[1])
        assert fisher_p(k, n, j, others) == pytest.approx(oracle, rel=1e-9, abs=1e-280)


def test_a_million_cases_and_a_level_that_no_float_holds() -> None:
    oracle = float(fisher_exact([[400_000, 100_000], [400_500, 99_500]])[1])
    assert fisher_p(400_000, 500_000, 400_500, 500_000) == pytest.approx(oracle, rel=1e-8)
    assert fisher_p(0, 100_000, 100_000, 100_000) == 0.0


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_where_both_rates_are_one_it_is_at_most_alpha_of_the_time_below_alpha(alpha: float, rate: float) -> None:
    """By going through every table of 12 and 25 cases."""
    chance = 0.0
    for k in range(13):
        for j in range(26):
            if fisher_p(k, 12, j, 25) <= alpha:
                ways = comb(12, k) * comb(25, j)
                chance += ways * rate ** (k + j) * (1 - rate) ** (37 - k - j)
    assert 0 < chance <= alpha
