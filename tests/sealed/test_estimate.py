"""The interval holds the true similarity in 95 of 100 cases: by exact enumeration, and by published closed forms."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from heldout.domain.sealing.estimate import VALUES, estimate, interval, least

TAIL = Fraction(1, 40)


def probability(similarity: Fraction, matches: int) -> Fraction:
    """Of so many agreeing values: each agrees with the minima, or by chance in one case of four."""
    p = similarity + (1 - similarity) / 4
    return comb(VALUES, matches) * p**matches * (1 - p) ** (VALUES - matches)


@pytest.mark.req("A33")
@pytest.mark.parametrize("percent", range(0, 101, 4))
def test_the_interval_covers_every_similarity(percent: int) -> None:
    similarity = Fraction(percent, 100)
    chances = [probability(similarity, matches) for matches in range(VALUES + 1)]
    assert sum(chances) == 1
    above = sum(c for matches, c in enumerate(chances) if interval(matches)[0] > similarity)
    below = sum(c for matches, c in enumerate(chances) if interval(matches)[1] < similarity)
    assert above <= TAIL
    assert below <= TAIL


@pytest.mark.req("A33")
def test_bounds_are_the_last_ones_that_hold() -> None:
    """A ten-thousandth further in, more than one case in 40 would be left out."""
    step = Fraction(1, 10_000)
    for matches in range(VALUES + 1):
        low, high = interval(matches)
        if low > 0 and matches > 0:
            assert sum(probability(low + step, k) for k in range(matches, VALUES + 1)) > TAIL
        if 0 < high < 1:
            assert sum(probability(high - step, k) for k in range(matches + 1)) > TAIL


@pytest.mark.req("A33")
def test_all_values_agreeing_has_the_published_closed_form() -> None:
    """Clopper-Pearson for n of n: the lower bound is the n-th root of alpha/2."""
    p = 0.025 ** (1 / 64)
    low, high = interval(64)
    assert high == 1
    assert float(low) == pytest.approx((p - 0.25) / 0.75, abs=1e-4)
    assert float(low) <= (p - 0.25) / 0.75


@pytest.mark.req("A21")
def test_a_pair_at_the_threshold_is_told_in_39_of_40_cases() -> None:
    threshold = Fraction(4, 5)
    enough = least(threshold)
    assert sum(probability(threshold, k) for k in range(enough)) <= TAIL
    assert sum(probability(threshold, k) for k in range(enough + 1)) > TAIL
    assert estimate(enough, 1, 1).reaches(threshold)
    assert not estimate(enough - 1, 1, 1).reaches(threshold)


@pytest.mark.req("A21")
def test_no_estimate_says_more_than_the_sizes_allow() -> None:
    told = estimate(64, 79, 100)
    assert (told.value, told.high) == (Fraction(79, 100), Fraction(79, 100))
    assert not told.reaches(Fraction(4, 5))
    assert estimate(64, 80, 100).reaches(Fraction(4, 5))
