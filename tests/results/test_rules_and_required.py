"""Rules whose bound decides alone, required slices, and scopes whose values look like crosses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cli import Ran, heldout
from support.published_run import write_run

from heldout.domain.results.scope import Scope, parse_scope

RULE = "id: g, metric: pass_rate"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"key": f"k{at}", "outcome": at > 0, "metadata": {"size": ("s", "10 x 20")[at % 2]}} for at in range(200)]
    write_run(tmp_path / "run.jsonl", rows)
    return tmp_path


def _report(folder: Path, suite: str) -> Ran:
    (folder / "suite.yaml").write_text("format: heldout/suite@1\n" + suite)
    return heldout(folder, "results", "report", "run.jsonl", "--suite", "suite.yaml", "--allow", "unknown")


def _compare(folder: Path, policy: str) -> Ran:
    (folder / "compare.yaml").write_text("format: heldout/compare@1\n" + policy)
    options = ("--policy", "compare.yaml", "--allow", "unknown")
    return heldout(folder, "results", "compare", "run.jsonl", "run.jsonl", *options)


@pytest.mark.parametrize("minimum", ["95", "1", "-0.01"])
def test_a_minimum_that_no_run_can_miss_or_meet_is_refused(folder: Path, minimum: str) -> None:
    ran = _report(folder, f"rules: [{{{RULE}, minimum: {minimum}}}]\n")
    assert ran.code == 2
    assert "[rule-out-of-range]" in ran.err


def test_a_minimum_of_nothing_is_a_rule(folder: Path) -> None:
    assert _report(folder, f"rules: [{{{RULE}, minimum: 0}}]\n").code == 0


@pytest.mark.parametrize("margin", ["5", "1"])
def test_a_margin_as_wide_as_the_metric_is_refused(folder: Path, margin: str) -> None:
    """Five points written as 5 would pass whatever a candidate does."""
    ran = _compare(folder, f"rules: [{{{RULE}, margin: {margin}}}]\n")
    assert ran.code == 2
    assert f"the margin {margin}, and pass_rate lies between 0 and 1" in ran.err


def test_a_margin_of_nothing_is_shown_without_a_sign_of_its_own(folder: Path) -> None:
    assert "margin +0.0 points" in _compare(folder, f"rules: [{{{RULE}, margin: 0}}]\n").out


def test_two_release_rules_of_one_name_are_refused(folder: Path) -> None:
    ran = _report(folder, f"rules: [{{{RULE}, minimum: 0.1}}, {{{RULE}, minimum: 0.2}}]\n")
    assert ran.code == 2
    assert "the rule 'g' is there twice" in ran.err


@pytest.mark.parametrize("ends", ["[-1.0e308, 1.0e308]", "[0, 1.0e13]", "[1, 1]"])
def test_ends_of_scores_that_cannot_be_computed_with_are_refused(folder: Path, ends: str) -> None:
    ran = _report(folder, f"scores: {{s: {ends}}}\n")
    assert ran.code == 2
    assert "(field scores.s): expected the ends of the scores" in ran.err


@pytest.mark.req("B27")
def test_a_required_slice_is_declared_by_that_and_refused_where_nothing_of_it_was_seen(folder: Path) -> None:
    ran = _report(folder, "required: [metadata.size=s]\n")
    assert ran.code == 0
    assert "metadata.size=s " in ran.out
    assert _report(folder, "required: [metadata.size=xl]\n").code == 1


@pytest.mark.req("B25", "B27")
@pytest.mark.parametrize(("size", "code"), [("s", 0), ("xl", 1)])
def test_a_comparison_without_pairs_of_a_required_slice_is_refused(folder: Path, size: str, code: int) -> None:
    ran = _compare(folder, f"required: [metadata.size={size}]\nrules: [{{{RULE}, margin: 0.1}}]\n")
    assert ran.code == code
    assert ("[slice-not-reported]" in ran.err) == bool(code)


@pytest.mark.req("O23")
def test_a_rule_reaches_a_value_that_looks_like_a_cross(folder: Path) -> None:
    rule = f"{RULE}, margin: 0.1, scope: slice/metadata.size=10 x 20, min_support: 30"
    ran = _compare(folder, f"rules: [{{{rule}}}]\nfamilies: [{{id: f, correction: holm, rules: [g]}}]\n")
    assert ran.code == 0
    assert "Rule g: PASS (lower_bound_above_margin) · pass_rate [slice/metadata.size=10 x 20]" in ran.out


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("slice/metadata.a=10 x 20 x route=a>b", (("metadata.a", "10 x 20"), ("route", "a>b"))),
        ("slice/metadata.a=1 x metadata.user lang=de", (("metadata.a", "1"), ("metadata.user lang", "de"))),
        ("slice/metadata.a=b=c", (("metadata.a", "b=c"),)),
    ],
)
def test_scopes_as_rules_write_them(text: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert parse_scope(text) == Scope(pairs)


@pytest.mark.req("A43")
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"key": "a", "outcome": None}, {"key": "b", "score": None}], "missing_outcomes"),
        ([{"key": "a", "outcome": None}, {"key": "b", "excluded": True}], "missing_outcomes"),
        ([{"key": "a", "excluded": True}], "support_below_minimum"),
    ],
)
def test_a_rule_on_a_run_of_which_nothing_was_observed_is_undecided(
    tmp_path: Path, rows: list[dict[str, Any]], reason: str
) -> None:
    write_run(tmp_path / "run.jsonl", rows)
    ran = _report(tmp_path, f"rules: [{{{RULE}, minimum: 0.7}}]\n")
    assert ran.code == 3, ran.err
    assert f"Rule g: INSUFFICIENT_EVIDENCE ({reason}) · minimum 0.7" in ran.out


@pytest.mark.req("O36")
@pytest.mark.parametrize("view", ["table", "markdown"])
def test_a_release_rule_says_how_much_the_run_left_out(folder: Path, view: str) -> None:
    rows = [{"key": f"k{at}", "outcome": True} for at in range(200)]
    write_run(folder / "run.jsonl", [*rows, *({"key": f"x{at}", "excluded": "slow"} for at in range(30))])
    (folder / "suite.yaml").write_text(f"format: heldout/suite@1\nrules: [{{{RULE}, minimum: 0.7}}]\n")
    options = ("--suite", "suite.yaml", "--allow", "unknown", "--format", view)
    ran = heldout(folder, "results", "report", "run.jsonl", *options)
    assert "minimum 0.7 · without 30 excluded" in ran.out


def test_a_value_that_no_case_has_is_said_to_be_none(folder: Path) -> None:
    rule = f"{RULE}, margin: 0.1, scope: slice/metadata.size=large, min_support: 1"
    ran = _compare(folder, f"rules: [{{{rule}}}]\nfamilies: [{{id: f, correction: holm, rules: [g]}}]\n")
    assert ran.code == 3
    assert "  advice: no case is in this slice: is its value written as in the data?" in ran.out


def test_a_rule_without_its_minimum_is_told_what_is_needed(folder: Path) -> None:
    ran = _report(folder, f"rules: [{{{RULE}}}]\n")
    assert "(field rules[0].minimum): expected a number, found nothing" in ran.err


@pytest.mark.parametrize("name", ["trajectory_length:4,8", "confidence:0.5,0.8"])
def test_bounds_that_a_list_in_brackets_cuts_are_refused_with_how_to_write_them(folder: Path, name: str) -> None:
    ran = _report(folder, f"slices: [{name}]\n")
    assert ran.code == 2
    assert "are cut at a comma" in ran.err
    assert f'try: write "{name}"' in ran.err
    assert "are cut at a comma" not in _report(folder, f'slices: ["{name}"]\n').err


@pytest.mark.parametrize("text", ["key,outcome\na,1\n", "[]\n", '[{"key": "a", "outcome": true}]\n'])
def test_what_is_no_run_is_told_where_runs_come_from(folder: Path, text: str) -> None:
    (folder / "run.jsonl").write_text(text)
    ran = _report(folder, "")
    assert ran.code == 2
    assert "heldout results import reads exports of other tools" in ran.err
