"""Corrections and intervals held against statsmodels: Holm, Benjamini and Yekutieli, Clopper and Pearson."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from heldout.statistics.families import retest
from heldout.statistics.marking import adjusted, marked
from heldout.statistics.rates import clopper_pearson

LEVELS = st.lists(st.floats(0.0001, 0.9999), min_size=1, max_size=30, unique=True)


@pytest.mark.req("O33", "A40")
@given(LEVELS, st.integers(0, 5), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_drops_what_statsmodels_does_not_reject(levels: list[float], unsupported: int, alpha: float) -> None:
    """Rules that cannot be tested stay in m: statsmodels sees them as tests that never reject."""
    strengths = {f"rule-{number:02}": level for number, level in enumerate(levels)}
    failing = {rule: level for rule, level in strengths.items() if level <= alpha}
    passed = len(levels) - len(failing)
    found = retest(failing, len(levels) + unsupported, alpha, lambda rule, level: strengths[rule] <= level)
    padded = [*failing.values(), *[1.0] * (passed + unsupported)]
    rejected = multipletests(padded, alpha=alpha, method="holm")[0] if padded else []
    expected = {rule for rule, standing in zip(failing, rejected, strict=False) if standing}
    assert {*found.standing} == expected
    assert {*found.dropped} == failing.keys() - expected


@pytest.mark.req("O19", "A36")
@given(LEVELS, st.sampled_from([0.01, 0.05, 0.2]))
def test_marks_are_those_of_statsmodels(levels: list[float], q: float) -> None:
    rejected, corrected, _, _ = multipletests(levels, alpha=q, method="fdr_by")
    assert adjusted(levels) == pytest.approx(list(corrected), rel=1e-12)
    assert marked(levels, q) == list(rejected)


@pytest.mark.req("O14")
@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_rates_have_the_interval_of_statsmodels(counts: tuple[int, int], level: float) -> None:
    successes, observed = counts
    lower, upper = proportion_confint(successes, observed, alpha=1 - level, method="beta")
    found = clopper_pearson(successes, observed, level)
    assert found.lower == pytest.approx(lower, rel=1e-9, abs=1e-12)
    assert found.upper == pytest.approx(upper, rel=1e-9, abs=1e-12)
