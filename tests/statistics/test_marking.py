"""Marks under any overlap: Benjamini-Yekutieli against scipy, and how many are false where nothing differs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from heldout.statistics.marking import adjusted, harmonic, marked
from heldout.statistics.rates import rate_p

PUBLISHED = [0.0001, 0.0001, 0.0001, 0.0037003540039062493, 0.008582189941406249]


@pytest.mark.req("O19", "A36")
def test_the_published_marks() -> None:
    assert harmonic(5) == pytest.approx(2.283333333333333, abs=1e-15)
    assert [round(level, 8) for level in adjusted(PUBLISHED)] == [
        0.00038056,
        0.00038056,
        0.00038056,
        0.01056143,
        0.019596,
    ]
    assert marked(PUBLISHED, 0.05) == [True] * 5


@pytest.mark.req("O19")
@given(st.lists(st.floats(0.0001, 0.9999), max_size=40), st.sampled_from([0.01, 0.05, 0.2]))
def test_marks_are_those_of_scipy(levels: list[float], q: float) -> None:
    oracle = false_discovery_control(levels, method="by") if levels else []
    assert adjusted(levels) == pytest.approx(list(oracle), rel=1e-12)
    assert all(is_marked == (level <= q) for is_marked, level in zip(marked(levels, q), oracle, strict=True))


@pytest.mark.req("O19", "O20", "O22", "A36", "A37")
def test_false_marks_stay_rare_where_nothing_differs(capsys: pytest.CaptureFixture[str]) -> None:
    """2,000 runs of 600 cases, each right with the same chance; 40 slices of 150 cases that overlap.

    Where no slice differs every mark is false, so the share of runs with any mark is the false discovery rate.
    """
    chance = np.random.default_rng(8)
    slices = np.array([chance.permutation(600) < 150 for _ in range(40)]).astype(int)
    runs, q, with_marks = 2000, 0.05, 0
    for outcomes in chance.random((runs, 600)) < 0.8:
        rate = outcomes.mean()
        right = slices @ outcomes.astype(int)
        with_marks += any(marked([rate_p(int(k), 150, float(rate)) for k in right], q))
    with capsys.disabled():
        print(f"\nruns with a false mark: {with_marks} of {runs:,} = {with_marks / runs:.2%}, allowed {q:.0%}")
    assert with_marks / runs <= q
