"""The mean of bounded scores: laws, and coverage by exact enumeration of small samples."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.statistics.means import Scores, level_above, mean_interval, mean_level

samples = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@settings(max_examples=80, deadline=None)
@given(samples, st.sampled_from([0.01, 0.05, 0.2]))
def test_intervals_hold_the_mean_mirror_and_ignore_the_order(values: list[float], alpha: float) -> None:
    found = mean_interval(Scores.of(values), alpha)
    assert found.lower - 1e-9 <= float(np.mean(values)) <= found.upper + 1e-9
    again = mean_interval(Scores.of(values[::-1]), alpha)
    assert again == found
    mirrored = mean_interval(Scores.of([1 - value for value in values]), alpha)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((1 - found.upper, 1 - found.lower), abs=1e-8)


@settings(max_examples=80, deadline=None)
@given(samples, st.floats(0.05, 0.95))
def test_a_level_is_where_the_interval_begins_to_leave_the_mean_out(values: list[float], mean: float) -> None:
    scores = Scores.of(values)
    level = mean_level(scores, mean)
    if 1e-9 < level < 0.9:
        wider, narrower = mean_interval(scores, level * 0.99), mean_interval(scores, level * 1.01)
        assert wider.lower <= mean <= wider.upper
        assert not narrower.lower <= mean <= narrower.upper
    assert level <= level_above(scores, mean)


@pytest.mark.req("O14")
@pytest.mark.parametrize("n", [1, 4, 12])
@pytest.mark.parametrize("values", [(0.0, 0.5, 1.0), (0.0, 0.1, 0.9), (0.2, 0.25, 1.0)])
def test_means_are_covered_as_promised_by_exact_enumeration(n: int, values: tuple[float, ...]) -> None:
    """Every sample of n scores with three values, under chances on a grid: the multinomial weights of those covered."""
    least = 1.0
    found = {}
    for picks in combinations_with_replacement(range(3), n):
        counts = tuple(picks.count(place) for place in range(3))
        found[counts] = mean_interval(Scores.of([values[place] for place in picks]), 0.05)
    for a in range(0, 11, 2):
        for b in range(0, 11 - a, 2):
            chances = (a / 10, b / 10, (10 - a - b) / 10)
            mean = sum(chance * value for chance, value in zip(chances, values, strict=True))
            covered = 0.0
            for counts, item in found.items():
                ways = factorial(n) / prod(map(factorial, counts))
                weight = ways * prod(chance**count for chance, count in zip(chances, counts, strict=True))
                covered += weight * (item.lower - 1e-9 <= mean <= item.upper + 1e-9)
            least = min(least, covered)
    assert least >= 0.95


def test_many_scores_are_put_into_cells_that_only_widen_the_interval() -> None:
    values = np.random.default_rng(3).beta(3, 1, 4000)
    fine = mean_interval(Scores.of(np.round(values, 3)), 0.05)
    coarse = mean_interval(Scores.of(values), 0.05)
    assert len(np.unique(values)) > 2048
    assert coarse.lower <= fine.lower + 0.0005
    assert coarse.upper >= fine.upper - 0.0005
    assert coarse.upper - coarse.lower < 0.035


def test_intervals_narrow_where_there_are_many_scores() -> None:
    values = np.tile([0.6, 0.7, 0.8], 100_000)
    found = mean_interval(Scores.of(values), 0.05)
    assert found.upper - found.lower < 0.002


@pytest.mark.req("A38")
def test_missing_scores_at_their_worst_are_scores_of_nothing_or_of_everything() -> None:
    values = [0.5, 0.75, 1.0, 0.25]
    low, high = Scores.of(values).padded(2, 0.0), Scores.of(values).padded(2, 1.0)
    assert mean_interval(low, 0.05).lower == pytest.approx(mean_interval(Scores.of([*values, 0, 0]), 0.05).lower)
    assert mean_interval(high, 0.05).upper == pytest.approx(mean_interval(Scores.of([*values, 1, 1]), 0.05).upper)
    assert (low.count, low.mean) == (6, pytest.approx(2.5 / 6))
