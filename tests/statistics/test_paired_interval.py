"""The paired interval and Holm's correction: published numbers, laws, and coverage by exact enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.statistics.families import retest
from heldout.statistics.paired import Pairs, interval, level_below

PUBLISHED = {
    (22, 34, 240): ((-0.15126359146631196, 0.04858900541140111), (-15.2, 4.9)),
    (7, 0, 80): ((-0.004457684866344104, 0.21406719412595143), (-0.5, 21.5)),
    (15, 0, 80): ((0.07037453803231025, 0.3438161476166127), (7.0, 34.4)),
    (0, 34, 80): ((-0.602579500400005, -0.26813087887225284), (-60.3, -26.8)),
    (9, 0, 120): ((0.009201720969147075, 0.17019302723161905), (0.9, 17.1)),
    (13, 34, 120): ((-0.3492707489019682, -0.001726823480329045), (-35.0, -0.1)),
}
FRENCH = {
    0.05 / 3: (-0.620513450292909, -0.24509456007332991),
    0.05 / 2: (-0.6141332033722127, -0.2533800150050153),
}


@pytest.mark.req("O29", "A34")
@pytest.mark.parametrize(("case", "expected"), PUBLISHED.items())
def test_the_published_intervals(
    case: tuple[int, int, int], expected: tuple[tuple[float, float], tuple[float, float]]
) -> None:
    found = interval(Pairs(*case), 0.05)
    assert (found.lower, found.upper) == pytest.approx(expected[0], abs=1e-15)
    assert found.percent() == expected[1]


@pytest.mark.req("O33")
@pytest.mark.parametrize(("alpha", "expected"), FRENCH.items())
def test_the_published_failure_at_its_adjusted_levels(alpha: float, expected: tuple[float, float]) -> None:
    found = interval(Pairs(0, 34, 80), alpha)
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-15)


@pytest.mark.req("A35")
def test_differences_come_from_counts() -> None:
    assert 186 / 240 - 198 / 240 != -0.05
    assert Pairs(22, 34, 240).difference == Fraction(-1, 20)
    assert float(Pairs(22, 34, 240).difference) == -0.05


@st.composite
def _pairs(draw: st.DrawFn) -> Pairs:
    gains, losses, ties = (draw(st.integers(0, 200)) for _ in range(3))
    return Pairs(gains, losses, gains + losses + ties)


@settings(max_examples=60, deadline=None)
@given(_pairs(), st.sampled_from([0.01, 0.05, 0.2]))
def test_intervals_hold_the_estimate_mirror_and_grow_with_confidence(pairs: Pairs, alpha: float) -> None:
    found = interval(pairs, alpha)
    assert found.lower <= float(pairs.difference) <= found.upper
    mirrored = interval(pairs.mirrored(), alpha)
    assert (mirrored.lower, mirrored.upper) == (-found.upper, -found.lower)
    surer = interval(pairs, alpha / 2)
    assert surer.lower <= found.lower
    assert surer.upper >= found.upper


@settings(max_examples=60, deadline=None)
@given(_pairs(), st.floats(0.01, 0.5))
def test_a_failure_is_as_strong_as_the_smallest_level_that_keeps_it(pairs: Pairs, margin: float) -> None:
    level = level_below(pairs, margin)
    if 1e-12 < level < 0.9:
        assert interval(pairs, level * 1.0001).upper < -margin
        assert interval(pairs, level * 0.9999).upper > -margin


@pytest.mark.req("O29")
def test_differences_are_covered_as_promised_by_exact_enumeration() -> None:
    """Every outcome of 20 pairs under a grid of chances to gain and to lose: conservative, at least 99.6 %."""
    n = 20
    outcomes = [(g, losses) for g, losses in product(range(n + 1), repeat=2) if g + losses <= n]
    intervals = {case: interval(Pairs(*case, n), 0.05) for case in outcomes}
    least = 1.0
    for gain, loss in product([0.0, 0.05, 0.1, 0.25, 0.4, 0.5, 0.8], repeat=2):
        if gain + loss > 1:
            continue
        mean = gain - loss
        covered = 0.0
        for (g, losses), found in intervals.items():
            ways = comb(n, g) * comb(n - g, losses)
            chance = ways * gain**g * loss**losses * max(0.0, 1 - gain - loss) ** (n - g - losses)
            covered += chance * (found.lower - 1e-12 <= mean <= found.upper + 1e-12)
        least = min(least, covered)
    assert least >= 0.996


@pytest.mark.req("O33", "O34", "A40")
def test_failures_are_retested_from_the_strongest_and_the_first_that_holds_no_more_takes_the_rest() -> None:
    """By hand, for a family of 5 of which 4 fail: levels 0.01, 0.0125, 0.01667, 0.025."""
    strengths = {"d": 0.024, "a": 0.001, "c": 0.014, "b": 0.012}
    found = retest(strengths, 5, 0.05, lambda rule, level: strengths[rule] < level)
    assert (found.standing, found.dropped) == (("a", "b", "c", "d"), ())
    assert found.levels == (0.05 / 5, 0.05 / 4, 0.05 / 3, 0.05 / 2)
    strengths["b"] = 0.013  # not below 0.0125: it ends there, though c and d would hold at their own levels
    found = retest(strengths, 5, 0.05, lambda rule, level: strengths[rule] < level)
    assert (found.standing, found.dropped, found.levels) == (("a",), ("b", "c", "d"), (0.05 / 5, 0.05 / 4))
    assert retest({}, 3, 0.05, lambda rule, level: True).levels == ()
