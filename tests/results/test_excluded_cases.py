"""Cases that a run excludes: for one metric or for all, counted once, and in the splits of the report only."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.cli import Ran, heldout
from support.published_run import write_run

_TWO_METRICS: list[dict[str, Any]] = [
    {"key": "a", "split": "test", "metric": "exact", "outcome": True},
    {"key": "a", "split": "test", "metric": "tone", "score": 0.5},
    {"key": "b", "split": "test", "metric": "exact", "excluded": "judge"},
    {"key": "b", "split": "test", "metric": "tone", "excluded": "judge"},
    {"key": "c", "split": "test", "excluded": "no answer"},
    {"key": "d", "split": "train", "excluded": "elsewhere"},
]


def _report(tmp_path: Path, rows: list[dict[str, Any]], suite: str = "") -> Ran:
    write_run(tmp_path / "run.jsonl", rows)
    (tmp_path / "suite.yaml").write_text("format: heldout/suite@1\n" + suite)
    arguments = ("run.jsonl", "--suite", "suite.yaml", "--allow", "unknown", "--json")
    return heldout(tmp_path, "results", "report", *arguments)


@pytest.mark.req("O36")
def test_an_exclusion_without_a_metric_is_of_every_metric_and_makes_none(tmp_path: Path) -> None:
    found = _report(tmp_path, _TWO_METRICS, "splits: [test]\n").json
    counts = {row["metric"]: (row["observed"], row["missing"], row["excluded"]) for row in found["metrics"]}
    assert counts == {"exact": (1, 0, 2), "tone": (1, 0, 2)}


@pytest.mark.req("O36")
def test_reasons_count_cases_of_the_reported_splits_and_not_rows(tmp_path: Path) -> None:
    assert _report(tmp_path, _TWO_METRICS, "splits: [test]\n").json["excluded_for"] == {"judge": 1, "no answer": 1}
    found = _report(tmp_path, _TWO_METRICS).json["excluded_for"]
    assert found == {"elsewhere": 1, "judge": 1, "no answer": 1}


@pytest.mark.parametrize("more", [{"excluded": "again"}, {"metric": "tone", "score": 0.5}])
def test_a_case_that_is_excluded_and_has_a_result_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    ran = _report(tmp_path, [*_TWO_METRICS, {"key": "c", "split": "test", **more}])
    assert ran.code == 2
    assert ran.json["error"] == "repeated-result"
    assert ran.json["location"] == {"file": "run.jsonl", "line": 8}
    assert "the case test/c has two results for" in ran.json["message"]


@pytest.mark.parametrize("score", [0.5, None])
def test_a_run_of_scores_has_no_second_metric_for_what_it_excludes(tmp_path: Path, score: float | None) -> None:
    found = _report(tmp_path, [{"key": "a", "score": score}, {"key": "b", "excluded": True}]).json
    assert [row["metric"] for row in found["metrics"]] == ["mean_score"]
    assert [row["excluded"] for row in found["metrics"]] == [1]


def test_a_run_that_excludes_every_case_has_nothing_observed(tmp_path: Path) -> None:
    found = _report(tmp_path, [{"key": "a", "excluded": "x"}, {"key": "b", "excluded": "x"}]).json
    row = found["metrics"][0]
    assert (row["metric"], row["observed"], row["excluded"], row["estimate"]) == ("pass_rate", 0, 2, None)


ALL_RIGHT = 200
"""Pairs that both runs got right; the margin is five points, alpha 0.05."""


def _worst_wealth(losses: int) -> Fraction:
    """By hand: the wealth that a bet above -0.05 has after 200 ties and so many losses.

    The stake on the j-th of twenty accounts is j / (21 * 0.95). A tie multiplies it by 1 + 0.05 * stake = 1 + j / 399,
    a loss by 1 - 0.95 * stake = 1 - j / 21.
    """
    accounts = [(1 + Fraction(j, 399)) ** ALL_RIGHT * (1 - Fraction(j, 21)) ** losses for j in range(1, 21)]
    return sum(accounts, Fraction(0)) / 20


LEAST_WEALTH = 2 / Fraction(5, 100)
"""2 / alpha: beyond it the whole interval lies above the margin."""


def _exclusions(tmp_path: Path, candidate: int, baseline: int, both: int, policy: str = "", *options: str) -> Ran:
    """200 cases that both got right, and some that the candidate, the baseline or both exclude."""
    sides: dict[str, list[dict[str, Any]]] = {"new": [], "old": []}
    for name, alone in (("new", candidate), ("old", baseline)):
        other = baseline if name == "new" else candidate
        sides[name] += [{"key": f"right{number}", "outcome": True} for number in range(ALL_RIGHT)]
        sides[name] += [{"key": f"{name}{number}", "excluded": "flaky"} for number in range(alone)]
        answered = "old" if name == "new" else "new"
        sides[name] += [{"key": f"{answered}{number}", "outcome": True} for number in range(other)]
        sides[name] += [{"key": f"both{number}", "excluded": True} for number in range(both)]
        write_run(tmp_path / f"{name}.jsonl", sides[name])
    rule = "rules: [{id: all, metric: pass_rate, margin: 0.05}]\n"
    (tmp_path / "compare.yaml").write_text(f"format: heldout/compare@1\n{rule}{policy}")
    arguments = ("new.jsonl", "old.jsonl", "--policy", "compare.yaml", "--allow", "unknown", *options)
    return heldout(tmp_path, "results", "compare", *arguments)


@pytest.mark.req("A38", "A43", "O36")
@pytest.mark.parametrize("side", ["candidate", "baseline"])
def test_what_one_run_alone_excluded_counts_for_a_rule_as_if_it_were_lost(tmp_path: Path, side: str) -> None:
    """Else a candidate passes by excluding what it fails, and a baseline by excluding what it is better at."""
    most = max(losses for losses in range(50) if _worst_wealth(losses) >= LEAST_WEALTH)
    assert 0 < most < 49
    for count, code, decision, reason in (
        (most, 0, "PASS", "lower_bound_above_margin"),
        (most + 1, 3, "INSUFFICIENT_EVIDENCE", "one_sided_exclusions"),
    ):
        counts = (count, 0) if side == "candidate" else (0, count)
        ran = _exclusions(tmp_path, *counts, 7, "", "--json")
        assert (ran.code, ran.json["one_sided_exclusions"]) == (code, "missing")
        [rule], row = ran.json["rules"], ran.json["results"][0]
        assert (rule["decision"], rule["reason"]) == (decision, reason)
        assert (row["paired"], row["missing"], row["excluded"]) == (ALL_RIGHT, 0, count + 7)
        assert (row["excluded_by_candidate_alone"], row["excluded_by_baseline_alone"]) == counts
    ran = _exclusions(tmp_path, *counts, 7, "one_sided_exclusions: drop\n", "--json")
    assert (ran.code, ran.json["one_sided_exclusions"], ran.json["rules"][0]["decision"]) == (0, "drop", "PASS")


@pytest.mark.req("A43")
def test_a_candidate_cannot_pass_by_excluding_its_failures(tmp_path: Path) -> None:
    """40 failures of 240 block; excluded they decide nothing, and where both runs exclude them they do not count."""
    assert _exclusions(tmp_path, 40, 0, 0).code == 3
    rows = [{"key": f"right{number}", "outcome": True} for number in range(ALL_RIGHT)]
    write_run(tmp_path / "new.jsonl", [*rows, *({"key": f"new{number}", "outcome": False} for number in range(40))])
    arguments = ("new.jsonl", "old.jsonl", "--policy", "compare.yaml", "--allow", "unknown")
    assert heldout(tmp_path, "results", "compare", *arguments).code == 1
    assert _exclusions(tmp_path, 0, 0, 40).code == 0


@pytest.mark.req("A38", "O33")
def test_a_failure_has_to_survive_that_every_exclusion_was_a_gain(tmp_path: Path) -> None:
    """Twenty losses of twenty fail; with 30 that the baseline alone excluded they could be a gain."""
    for excluded, code in ((0, 1), (30, 3)):
        old = [{"key": f"k{number}", "outcome": True} for number in range(20)]
        old += [{"key": f"x{number}", "excluded": "slow"} for number in range(excluded)]
        new = [{"key": f"k{number}", "outcome": False} for number in range(20)]
        new += [{"key": f"x{number}", "outcome": True} for number in range(excluded)]
        write_run(tmp_path / "old.jsonl", old)
        write_run(tmp_path / "new.jsonl", new)
        (tmp_path / "compare.yaml").write_text(
            "format: heldout/compare@1\nrules: [{id: all, metric: pass_rate, margin: 0.05}]\n"
        )
        arguments = ("new.jsonl", "old.jsonl", "--policy", "compare.yaml", "--allow", "unknown")
        assert heldout(tmp_path, "results", "compare", *arguments).code == code


@pytest.mark.req("O36")
def test_exclusions_of_one_run_are_said_with_whose_they_are(tmp_path: Path) -> None:
    ran = _exclusions(tmp_path, 40, 2, 7)
    line = "200 paired · 0 missing · 49 excluded (40 by the candidate alone, 2 by the baseline alone)"
    assert line in ran.out
    assert "Rule all: INSUFFICIENT_EVIDENCE (one_sided_exclusions)" in ran.out
    assert "  advice: cases that one run alone excluded count as missing" in ran.out
    assert (
        "49 (40 by the candidate alone, 2 by the baseline alone) |"
        in _exclusions(tmp_path, 40, 2, 7, "", "--format", "markdown").out
    )
    for view in ("table", "markdown"):
        dropped = _exclusions(tmp_path, 40, 2, 7, "one_sided_exclusions: drop\n", "--format", view)
        assert "WARNING: cases that one run alone excluded count for no rule" in dropped.out
        assert (
            "WARNING: cases" not in _exclusions(tmp_path, 0, 0, 7, "one_sided_exclusions: drop\n", "--format", view).out
        )
    refused = _exclusions(tmp_path, 1, 0, 0, "one_sided_exclusions: dropped\n")
    assert refused.code == 2
    assert "expected one of missing, drop, found 'dropped'" in refused.err


@pytest.mark.req("O27")
def test_the_digest_of_a_comparison_covers_what_becomes_of_exclusions(tmp_path: Path) -> None:
    digests = [
        _exclusions(tmp_path, 1, 0, 0, policy, "--json").json["digest"]
        for policy in ("", "one_sided_exclusions: drop\n")
    ]
    assert len(set(digests)) == 2
