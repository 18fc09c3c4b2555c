"""The published sampling study, value by value and in fractions; every ID set listed one by one as the oracle."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.sampling.numbers import Observed
from heldout.statistics.hypergeometric import kept, ways, ways_at_least, ways_at_most
from heldout.statistics.qualification import Space, at_truth, everywhere
from heldout.statistics.sampling import interval, raw_rate, weighted_rate

F = Fraction
ALPHA = F(1, 20)
PROPORTIONAL, ENRICHED = ((12, 6), (4, 2)), ((12, 4), (4, 4))
"""(units, drawn) of the strata routine and risk."""
TRUTH = (1, 3)
CLEARANCE, STRICT = F(35, 100), F(20, 100)


@pytest.mark.req("D21", "D22")
def test_the_worked_example() -> None:
    strata = [Observed(12, 4, 0), Observed(4, 4, 3)]
    assert weighted_rate(strata) == F(3, 16)
    assert raw_rate(strata) == F(3, 8)


@pytest.mark.req("D23", "A41")
def test_the_worked_interval() -> None:
    bounds = interval([Observed(12, 4, 0), Observed(4, 4, 3)], ALPHA)
    assert (bounds.low, bounds.high) == (F(3, 16), F(9, 16))
    assert bounds.strata == ((0, 6), (3, 3))


@pytest.mark.req("D29")
def test_sample_spaces_and_expectations() -> None:
    for sizes, sets, raw in ((PROPORTIONAL, 5544, F(1, 4)), (ENRICHED, 495, F(5, 12))):
        study = at_truth(Space(sizes, ALPHA), TRUTH, ())
        assert Space(sizes, ALPHA).sets == sets == sum(cell.sets for cell in study.cells)
        assert study.rate == study.expected_weighted == F(1, 4)
        assert study.expected_raw == raw


@pytest.mark.req("D29")
def test_mean_squared_errors() -> None:
    proportional, enriched = (at_truth(Space(sizes, ALPHA), TRUTH, ()) for sizes in (PROPORTIONAL, ENRICHED))
    assert (proportional.error_raw, proportional.error_weighted) == (F(1, 128), F(1, 128)) == (0.0078125, 0.0078125)
    assert (enriched.error_raw, enriched.error_weighted) == (F(1, 32), F(1, 128)) == (0.03125, 0.0078125)


@pytest.mark.req("D25", "D29")
def test_cells() -> None:
    def rows(sizes: tuple[tuple[int, int], ...]) -> list[tuple[object, ...]]:
        cells = at_truth(Space(sizes, ALPHA), TRUTH, ()).cells
        return [(*c.failures, c.sets, c.raw, c.weighted, (c.bounds.low, c.bounds.high)) for c in cells]

    assert rows(PROPORTIONAL) == [
        (0, 1, 1386, F(1, 8), F(1, 8), (F(1, 16), F(7, 16))),
        (0, 2, 1386, F(1, 4), F(1, 4), (F(1, 8), F(1, 2))),
        (1, 1, 1386, F(1, 4), F(1, 4), (F(1, 8), F(9, 16))),
        (1, 2, 1386, F(3, 8), F(3, 8), (F(3, 16), F(5, 8))),
    ]
    assert rows(ENRICHED) == [
        (0, 3, 330, F(3, 8), F(3, 16), (F(3, 16), F(9, 16))),
        (1, 3, 165, F(1, 2), F(3, 8), (F(1, 4), F(3, 4))),
    ]


@pytest.mark.req("D24", "D29")
def test_decisions_at_both_thresholds() -> None:
    found = {
        (name, threshold): at_truth(Space(sizes, ALPHA), TRUTH, (threshold,)).chances[threshold]
        for name, sizes in (("proportional", PROPORTIONAL), ("enriched", ENRICHED))
        for threshold in (STRICT, CLEARANCE)
    }
    strict, enriched = found["proportional", STRICT], found["enriched", STRICT]
    assert (strict["raw"].clear, strict["weighted"].clear) == (F(1, 4), F(1, 4))
    assert (strict["interval"].clear, strict["interval"].hold, strict["interval"].exceed) == (0, 1, 0)
    assert (enriched["raw"].clear, enriched["weighted"].clear) == (0, F(2, 3))
    assert (enriched["interval"].clear, enriched["interval"].hold, enriched["interval"].exceed) == (0, F(2, 3), F(1, 3))
    loose, enriched = found["proportional", CLEARANCE], found["enriched", CLEARANCE]
    assert (loose["raw"].clear, loose["weighted"].clear, loose["interval"].hold) == (F(3, 4), F(3, 4), 1)
    assert (enriched["raw"].clear, enriched["weighted"].clear, enriched["interval"].hold) == (0, F(2, 3), 1)


@pytest.mark.req("D29")
def test_least_coverage_over_all_populations() -> None:
    proportional = everywhere(Space(PROPORTIONAL, ALPHA), (STRICT,))
    assert (proportional.populations, proportional.coverage) == (65, F(131, 132))
    assert proportional.worst == ((5, 0), (5, 4), (7, 0), (7, 4))
    enriched = everywhere(Space(ENRICHED, ALPHA), (STRICT,))
    assert (enriched.populations, enriched.coverage) == (65, F(98, 99))
    assert enriched.worst == tuple((routine, risk) for routine in (5, 7) for risk in range(5))
    assert enriched.false_clear[STRICT]["interval"] <= ALPHA
    assert enriched.false_exceed[STRICT]["interval"] <= ALPHA


@pytest.mark.req("D29")
@pytest.mark.parametrize("sizes", [PROPORTIONAL, ENRICHED])
def test_cells_are_all_id_sets_listed_one_by_one(sizes: tuple[tuple[int, int], ...]) -> None:
    labels = [[1] * marked + [0] * (units - marked) for (units, _), marked in zip(sizes, TRUTH, strict=True)]
    every = [
        [sum(chosen) for chosen in combinations(stratum, drawn)]
        for stratum, (_, drawn) in zip(labels, sizes, strict=True)
    ]
    listed = Counter(product(*every))
    assert listed == {cell.failures: cell.sets for cell in Space(sizes, ALPHA).cells(TRUTH)}


def everything_kept(units: int, drawn: int, seen: int, tail: F) -> list[int]:
    """The rule as it stands, population by population, from scipy's probabilities.

    A float cannot tell a tail that equals the level from one just above it; none is that near without being equal.
    """
    from scipy.stats import hypergeom

    level = float(tail) * (1 + 1e-9)
    marked = list(range(seen, units - drawn + seen + 1))
    lower, upper = hypergeom.cdf(seen, units, marked, drawn), hypergeom.sf(seen - 1, units, marked, drawn)
    return [count for count, low, high in zip(marked, lower, upper, strict=True) if low > level and high > level]


@pytest.mark.req("D23", "A41")
@given(st.data())
def test_what_is_kept_is_one_run_as_scipy_finds_it(data: st.DataObject) -> None:
    units = data.draw(st.integers(1, 40))
    drawn = data.draw(st.integers(1, units))
    seen = data.draw(st.integers(0, drawn))
    strata = data.draw(st.integers(1, 5))
    tail = F(1, 20) / (2 * strata)
    found = everything_kept(units, drawn, seen, tail)
    low, high = kept(units, drawn, seen, tail)
    assert found == list(range(low, high + 1))


@given(st.data())
def test_tails_count_id_sets(data: st.DataObject) -> None:
    units = data.draw(st.integers(1, 30))
    drawn, marked = data.draw(st.integers(1, units)), data.draw(st.integers(0, units))
    seen = data.draw(st.integers(0, drawn))
    all_ways = [ways(units, drawn, marked, count) for count in range(drawn + 1)]
    assert ways_at_most(units, drawn, marked, seen) == sum(all_ways[: seen + 1])
    assert ways_at_least(units, drawn, marked, seen) == sum(all_ways[seen:])


def test_a_tail_that_equals_the_level_is_not_kept() -> None:
    # one of four units is drawn and fails: with one failure among them, exactly 1/4 of the samples show it
    assert kept(4, 1, 1, F(1, 4)) == (2, 4)
    assert kept(4, 1, 1, F(1, 4) - F(1, 1000)) == (1, 4)


@pytest.mark.req("D23")
@pytest.mark.parametrize("sizes", [((9, 3), (5, 2)), ((6, 3), (4, 2), (3, 1)), ((10, 2),), ((7, 7), (6, 2))])
def test_coverage_is_at_least_the_level_in_every_population(sizes: tuple[tuple[int, int], ...]) -> None:
    for alpha in (F(1, 20), F(1, 5)):
        assert everywhere(Space(sizes, alpha), ()).coverage >= 1 - alpha
