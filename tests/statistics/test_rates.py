"""Exact intervals of rates, and the level on which a slice is ranked; scipy is the oracle."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest

from heldout.statistics.binomial import lower_tail, upper_tail
from heldout.statistics.rates import clopper_pearson, doubled_tail, level_of_exclusion, rate_p

PUBLISHED = {
    (26, 80): ((0.2244595851774534, 0.43893704560444824), (22.4, 43.9)),
    (80, 80): ((0.9549359649323077, 1.0), (95.4, 100.0)),
    (106, 120): ((0.8120049096131932, 0.9347278494900564), (81.2, 93.5)),
    (80, 120): ((0.5748217121636494, 0.7500649106972843), (57.4, 75.1)),
}
RUN = 186 / 240
LEVELS = {(80, 80): 0.0001, (26, 80): 0.0001, (106, 120): 0.0037003540039062493, (80, 120): 0.008582189941406249}
counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.req("O14")
@pytest.mark.parametrize(("case", "expected"), PUBLISHED.items())
def test_the_published_intervals(
    case: tuple[int, int], expected: tuple[tuple[float, float], tuple[float, float]]
) -> None:
    found = clopper_pearson(*case)
    assert (found.lower, found.upper) == pytest.approx(expected[0], abs=1e-14)
    assert found.percent() == expected[1]


@pytest.mark.req("O19", "O21", "A37")
@pytest.mark.parametrize(("case", "expected"), LEVELS.items())
def test_the_published_levels_bit_by_bit(case: tuple[int, int], expected: float) -> None:
    assert rate_p(*case, RUN) == expected


@pytest.mark.req("O19")
def test_doubled_tails_are_the_exact_ones() -> None:
    assert doubled_tail(106, 120, RUN) == pytest.approx(0.0036692995512019686, rel=1e-12)
    assert doubled_tail(80, 120, RUN) == pytest.approx(0.008575628457995749, rel=1e-12)


@pytest.mark.req("O14")
@settings(max_examples=200, deadline=None)
@given(counts, st.sampled_from([0.9, 0.95, 0.99, 0.9999]))
def test_intervals_are_those_of_scipy(case: tuple[int, int], level: float) -> None:
    k, n = case
    found = clopper_pearson(k, n, level)
    oracle = binomtest(k, n).proportion_ci(level, method="exact")
    assert (found.lower, found.upper) == pytest.approx((oracle.low, oracle.high), abs=1e-11)


@pytest.mark.req("O14")
@pytest.mark.parametrize("k", [0, 1, 17, 499_999, 500_000, 999_998, 1_000_000])
def test_intervals_of_a_million_cases(k: int) -> None:
    found, n = clopper_pearson(k, 1_000_000), 1_000_000
    lower = 0.0 if k == 0 else beta.ppf(0.025, k, n - k + 1)
    upper = 1.0 if k == n else beta.ppf(0.975, k + 1, n - k)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(counts, st.floats(0.001, 0.999))
def test_tails_are_those_of_scipy(case: tuple[int, int], p: float) -> None:
    k, n = case
    below, above = binom.cdf(k, n, p), binom.sf(k - 1, n, p)
    assert lower_tail(k, n, p) == pytest.approx(_or_exact(below, range(k + 1), n, p), rel=1e-9, abs=1e-300)
    assert upper_tail(k, n, p) == pytest.approx(_or_exact(above, range(k, n + 1), n, p), rel=1e-9, abs=1e-300)


def _or_exact(by_scipy: float, counted: range, n: int, p: float) -> float:
    """scipy's tails lose digits where they are tiny; there, the sum with fifty digits."""
    if by_scipy > 1e-100:
        return by_scipy
    with localcontext(prec=50):
        rate = Decimal(p)
        term = Decimal(comb(n, counted.start)) * rate**counted.start * (1 - rate) ** (n - counted.start)
        total = Decimal(0)
        for i in counted:
            total += term
            term *= Decimal(n - i) / (i + 1) * rate / (1 - rate)
        return float(total)


def test_a_tiny_tail_that_scipy_loses_digits_of() -> None:
    assert lower_tail(12, 510, 0.765625) == pytest.approx(_or_exact(0.0, range(13), 510, 0.765625), rel=1e-11)


@settings(max_examples=100, deadline=None)
@given(counts, st.floats(0.01, 0.99))
def test_a_level_is_where_the_interval_begins_to_leave_the_rate_out(case: tuple[int, int], rate: float) -> None:
    level = rate_p(*case, rate)
    exact = doubled_tail(*case, rate)
    assert 0 <= level - max(exact, 0.0001) <= 0.9998 / 2**14 + 1e-12 or level == level_of_exclusion(1.0)
    if 0.0001 < level < 0.99 and level - exact > 1e-12:  # nearer, rounding decides which side of the end the rate is on
        found = clopper_pearson(*case, 1 - level)
        assert not found.lower <= rate <= found.upper


@pytest.mark.req("O14", "A34")
@pytest.mark.parametrize("n", [1, 2, 5, 10, 30])
def test_rates_are_covered_as_promised_by_exact_enumeration(n: int) -> None:
    """For each rate the probabilities of all outcomes whose interval holds it; the least over a fine grid."""
    intervals = [clopper_pearson(k, n) for k in range(n + 1)]
    least = 1.0
    for step in range(1, 500):
        p = step / 500
        chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        held = zip(chances, intervals, strict=True)
        least = min(least, sum(chance for chance, item in held if item.lower <= p <= item.upper))
    assert least >= 0.95


def test_nothing_observed_says_nothing() -> None:
    found = clopper_pearson(0, 0)
    assert (found.lower, found.upper) == (0.0, 1.0)
