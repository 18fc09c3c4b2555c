"""Cases that a rule needs: chances against scipy and against every count listed, bounds by hand."""

from __future__ import annotations

from math import comb

import pytest

from heldout.domain.results.power import Needed
from heldout.errors import ConfigError
from heldout.services.results.power import Asked, Margin, margins_of, mark_power, paired_power, rate_power
from heldout.statistics.paired import Pairs, interval, level_below
from heldout.statistics.power import OnePairing, enough, exact_rate, first_number, marked_slice
from heldout.statistics.rates import clopper_pearson, rate_p


def decided_by_interval(n: int, minimum: float, rate: float, alpha: float) -> float:
    """Every count, its interval from scipy's beta quantiles."""
    from scipy.stats import beta, binom

    lower = [0.0, *beta.ppf(alpha / 2, range(1, n + 1), range(n, 0, -1))]
    return float(sum(binom.pmf(k, n, rate) for k in range(n + 1) if lower[k] > minimum))


@pytest.mark.parametrize(("minimum", "rate"), [(0.9, 0.95), (0.5, 0.8), (0.05, 0.3), (0.9, 0.85)])
def test_chances_of_one_rate_are_sums_over_every_count(minimum: float, rate: float) -> None:
    rule = exact_rate(minimum, 0.05, above=True)
    for n in (1, 7, 36, 80, 200):
        assert rule.chance(n, rate) == pytest.approx(decided_by_interval(n, minimum, rate, 0.05), abs=1e-10)
        below = exact_rate(1 - minimum, 0.05, above=False)
        assert below.chance(n, 1 - rate) == pytest.approx(rule.chance(n, rate), abs=1e-10)


def test_the_fewest_cases_of_a_minimum_by_hand() -> None:
    # 0.9 ** 35 = 0.02503 is above 0.025, 0.9 ** 36 = 0.02253 is below
    assert exact_rate(0.9, 0.05, above=True).possible(1000) == 36
    assert clopper_pearson(35, 35).lower < 0.9 < clopper_pearson(36, 36).lower


def test_enough_is_enough_and_one_less_is_not() -> None:
    rule = exact_rate(0.9, 0.05, above=True)

    def chance(n: int) -> float:
        return rule.chance(n, 0.95)

    found = enough(chance, 0.8, 10_000, 200)
    assert found == 255
    assert chance(254) < 0.8
    assert min(chance(n) for n in range(255, 456)) >= 0.8
    assert enough(chance, 0.8, 100, 10) is None


def every_pair(rule: OnePairing, n: int, gains: float, losses: float) -> float:
    """The trinomial listed count by count, decided by the interval itself."""
    total = 0.0
    for won in range(n + 1):
        for lost in range(n - won + 1):
            if interval(Pairs(won, lost, n), rule.alpha).lower > rule.bound:
                ways = comb(n, won) * comb(n - won, lost)
                total += ways * gains**won * losses**lost * (1 - gains - losses) ** (n - won - lost)
    return total


@pytest.mark.parametrize(("bound", "gains", "losses"), [(-0.05, 0.03, 0.02), (-0.2, 0.1, 0.1), (0.05, 0.4, 0.1)])
def test_chances_of_pairs_are_sums_over_every_count(bound: float, gains: float, losses: float) -> None:
    rule = OnePairing(bound, 0.05)
    for n in (1, 12, 40):
        assert rule.chance(n, gains, losses) == pytest.approx(every_pair(rule, n, gains, losses), abs=1e-12)


def test_pairs_decide_where_their_interval_does() -> None:
    rule = OnePairing(-0.05, 0.05)
    for pairs in (Pairs(22, 34, 240), Pairs(7, 0, 80), Pairs(0, 0, 106), Pairs(0, 0, 107), Pairs(0, 34, 80)):
        assert rule.decides(pairs) is (interval(pairs, 0.05).lower > -0.05)
    assert rule.same(1000) == 107
    assert OnePairing(0.05, 0.05).same(1000) is None
    assert level_below(Pairs(5000, 0, 5000), 0.05) == 1.0


def test_a_mark_is_the_reports_own_rule() -> None:
    below = marked_slice(0.775, 0.05, 6, above=False)
    assert below is not None
    step = 0.05 / (6 * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6))
    for n in (5, 20, 80, 120):
        failures = below.critical(n)
        found = [k for k in range(n + 1) if k < 0.775 * n and rate_p(k, n, 0.775) <= step]
        assert (failures is None and not found) or (failures is not None and n - failures == max(found))
    # 1 + 1/2 + ... + 1/140 is 5.52: 0.05 / (140 * 5.52) is below 0.0001
    assert marked_slice(0.775, 0.05, 140, above=False) is None


def test_first_number() -> None:
    assert [first_number(lambda n, least=least: n >= least, 100) for least in (1, 2, 3, 64, 65, 100)] == [
        *(1, 2, 3, 64, 65, 100)
    ]
    assert first_number(lambda n: n >= 101, 100) is None


def test_an_answer_names_the_decision_that_the_rates_lead_to() -> None:
    def expected(answer: Needed | None) -> str:
        return "" if answer is None else answer.decision

    asked = Asked(0.8, 80)
    assert expected(rate_power(0.9, 0.95, 0.05, asked).expected) == "PASS"
    assert expected(rate_power(0.9, 0.8, 0.05, asked).expected) == "FAIL"
    assert rate_power(0.9, 0.9, 0.05, asked).expected is None
    assert expected(paired_power(Margin(0.05), 0.03, 0.02, asked).expected) == "PASS"
    assert expected(paired_power(Margin(0.05), 0.1, 0.25, asked).expected) == "FAIL"
    assert paired_power(Margin(0.05), 0.05, 0.1, asked).expected is None, "0.05 - 0.1 + 0.05 is 0, floats or not"
    assert expected(mark_power(0.775, 0.6, 40, 0.05, asked).expected) == "marked below"


@pytest.mark.req("A40")
def test_failures_are_asked_at_the_level_of_their_family() -> None:
    alone, family = (paired_power(Margin(0.05, rules=rules), 0.1, 0.25, Asked()) for rules in (1, 3))
    assert alone.expected is not None
    assert family.expected is not None
    assert (alone.expected.powered or 0) < (family.expected.powered or 0)
    rule = OnePairing(0.05, 0.05 / 3)
    assert family.expected.powered is not None
    assert family.expected.chance == pytest.approx(rule.chance(family.expected.powered, 0.25, 0.1))


@pytest.mark.req("O32")
def test_support_is_asked_before_evidence() -> None:
    answer = paired_power(Margin(0.05, min_support=400), 0.03, 0.02, Asked(cases=399))
    assert answer.expected is not None
    assert answer.other is not None
    assert (answer.expected.possible, answer.expected.same, answer.other.possible) == (400, 400, 400)
    assert answer.expected.powered == 400
    assert dict(answer.chances) == {"PASS": 0.0, "FAIL": 0.0}


def test_rules_of_a_policy(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "compare.yaml"
    path.write_text(
        "format: heldout/compare@1\nrules:\n"
        "- {id: overall, metric: outcome, kind: non_inferiority, margin: 0.05}\n"
        "- {id: german, metric: outcome, margin: 0.1, scope: slice/metadata.lang=de, min_support: 30}\n"
        "- {id: french, metric: outcome, margin: 0.1, scope: slice/metadata.lang=fr, min_support: 30}\n"
        "families:\n- {id: languages, correction: holm, rules: [german, french]}\n"
    )
    (overall, german, _), of_scores = margins_of(str(path))
    assert of_scores == ()
    assert (overall.margin, overall.rules, overall.alpha) == (0.05, 1, 0.05)
    assert (german.margin, german.rules, german.min_support) == (0.1, 2, 30)
    assert "slice/metadata.lang=de" in german.name
    path.write_text("format: heldout/compare@1\nrules: 3\n")
    with pytest.raises(ConfigError):
        margins_of(str(path))
