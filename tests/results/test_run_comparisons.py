"""Comparisons beyond the published one: missing outcomes, thin slices, families, scores, and slices of behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cli import Ran, heldout
from support.published_run import write_run

Outcome = bool | None | str | float
Pair = tuple[Outcome, Outcome]


def _row(key: str, outcome: Outcome, lang: str, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"key": key, "metadata": {"lang": lang}, **more}
    if isinstance(outcome, str):
        return row | {"excluded": outcome}
    return row | ({"score": outcome} if isinstance(outcome, float) else {"outcome": outcome})


def _compare(tmp_path: Path, pairs: dict[str, list[Pair]], policy: str, *options: str) -> Ran:
    """Candidate and baseline outcomes by language."""
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for lang, cells in pairs.items():
        for number, pair in enumerate(cells):
            for side, outcome in zip(sides, pair, strict=True):
                side.append(_row(f"{lang}{number}", outcome, lang))
    new, old = (write_run(tmp_path / f"{name}.jsonl", side) for name, side in zip(("new", "old"), sides, strict=True))
    (tmp_path / "compare.yaml").write_text("format: heldout/compare@1\nslices: [metadata.lang]\n" + policy)
    arguments = (str(new), str(old), "--policy", "compare.yaml", "--allow", "unknown")
    return heldout(tmp_path, "results", "compare", *arguments, *options)


def _rules(*rules: str, families: str = "") -> str:
    found = "".join(f"- {{{rule}}}\n" for rule in rules)
    return f"rules:\n{found}{families}"


def _slice(lang: str, margin: float = 0.05, support: int = 30) -> str:
    return f"id: {lang}, metric: pass_rate, margin: {margin}, scope: slice/metadata.lang={lang}, min_support: {support}"


OVERALL = "id: all, metric: pass_rate, margin: 0.05"


@pytest.mark.req("O30", "O35", "A34", "A43")
def test_a_pass_exits_0_and_evidence_that_does_not_suffice_exits_3(tmp_path: Path) -> None:
    better: list[Pair] = [(True, False)] * 20 + [(True, True)] * 80
    ran = _compare(tmp_path, {"de": better}, _rules(OVERALL))
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Gate: PASS (exit 0)")
    few: list[Pair] = [(True, True)] * 8
    ran = _compare(tmp_path, {"de": few}, _rules(OVERALL))
    assert (ran.code, ran.out.splitlines()[-1]) == (3, "Gate: INSUFFICIENT_EVIDENCE (exit 3)")
    assert "Rule all: INSUFFICIENT_EVIDENCE (interval_overlaps_margin)" in ran.out
    assert "no sample size would" not in ran.out


@pytest.mark.req("O32", "A39")
def test_below_the_least_support_no_evidence_is_read(tmp_path: Path) -> None:
    """Support is of pairs: 40 German cases, of which 29 were answered by both."""
    cells: list[Pair] = [(False, True)] * 29 + [(False, None)] * 11
    policy = _rules(_slice("de"), families="families: [{id: f, correction: holm, rules: [de]}]\n")
    ran = _compare(tmp_path, {"de": cells}, policy)
    assert ran.code == 3
    assert "Rule de: INSUFFICIENT_EVIDENCE (support_below_minimum)" in ran.out
    assert "-100.0 points < 30, no interval · 29 paired · 11 missing · 0 excluded · exploratory · support 29" in ran.out


@pytest.mark.req("O36", "A38", "A43")
def test_missing_outcomes_neither_pass_nor_block_where_they_could_turn_it(tmp_path: Path) -> None:
    good: list[Pair] = [(True, False)] * 40 + [(True, True)] * 160
    assert _compare(tmp_path, {"de": good}, _rules(OVERALL)).code == 0
    some = good + [(None, True)] * 5
    assert _compare(tmp_path, {"de": some}, _rules(OVERALL)).code == 0, "45 lost pairs at worst: still above"
    many = good + [(None, True)] * 60
    ran = _compare(tmp_path, {"de": many}, _rules(OVERALL))
    assert (ran.code, "INSUFFICIENT_EVIDENCE (missing_outcomes)" in ran.out) == (3, True)
    assert "200 paired · 60 missing · 0 excluded" in ran.out
    bad: list[Pair] = [(False, True)] * 40 + [(True, True)] * 40
    assert _compare(tmp_path, {"de": bad}, _rules(OVERALL)).code == 1
    ran = _compare(tmp_path, {"de": [*bad, *[(True, None)] * 60]}, _rules(OVERALL))
    assert (ran.code, "(missing_outcomes)" in ran.out) == (3, True)


@pytest.mark.req("O36")
def test_a_case_that_either_run_excluded_is_excluded(tmp_path: Path) -> None:
    cells: list[Pair] = [("flaky", True), (True, "flaky"), ("flaky", None), (None, None), (True, True)]
    row = _compare(tmp_path, {"de": cells}, "", "--json").json["results"][0]
    assert (row["paired"], row["missing"], row["excluded"]) == (1, 1, 3)


@pytest.mark.req("O33", "A40")
def test_a_failure_that_does_not_survive_its_family_decides_nothing(tmp_path: Path) -> None:
    """12 losses of 120 fail a margin of 2 points at 0.05 alone, and no longer at 0.05/20."""
    cells: list[Pair] = [(False, True)] * 12 + [(True, True)] * 108
    alone = _rules(_slice("de", 0.02), families="families: [{id: f, correction: holm, rules: [de]}]\n")
    ran = _compare(tmp_path, {"de": cells}, alone, "--json")
    assert (ran.json["rules"][0]["decision"], ran.json["families"][0]["adjusted_levels"]) == ("FAIL", [0.05])
    others = [f"x{number}" for number in range(19)]
    family = f"families: [{{id: f, correction: holm, rules: [de, {', '.join(others)}]}}]\n"
    ran = _compare(tmp_path, {"de": cells}, _rules(_slice("de", 0.02), *map(_slice, others), families=family), "--json")
    assert ran.json["families"][0]["adjusted_levels"] == [0.05 / 20], "unsupported rules are of the family too"
    assert (ran.json["rules"][0]["decision"], ran.json["rules"][0]["reason"]) == (
        "INSUFFICIENT_EVIDENCE",
        "failure_not_significant_in_family",
    )
    assert ran.code == 3


@pytest.mark.req("A34")
def test_equality_is_no_pass() -> None:
    from heldout.domain.results.decision import Decision, decide
    from heldout.domain.results.interval import Interval

    touching = Interval(-0.05, 0.1)
    assert decide(touching, touching, -0.05)[0] is Decision.INSUFFICIENT
    below = Interval(-0.2, -0.05)
    assert decide(below, below, -0.05)[0] is Decision.INSUFFICIENT


def test_scores_are_compared_by_their_differences(tmp_path: Path) -> None:
    cells: list[Pair] = [(0.9, 0.5)] * 150 + [(0.4, 0.5)] * 50
    policy = "rules: [{id: all, metric: mean_score, margin: 0.05}]\n"
    ran = _compare(tmp_path, {"de": cells}, policy, "--json")
    row = ran.json["results"][0]
    assert row["difference"] == pytest.approx(0.275)
    assert row["interval"][0] < 0.275 < row["interval"][1]
    assert row["interval"][0] > 0.2
    assert (row["gains"], row["losses"], ran.code) == (150, 50, 0)
    text = _compare(tmp_path, {"de": [(b, a) for a, b in cells]}, policy)
    assert text.code == 1
    assert "mean_score: -0.275 [-0." in text.out


def test_slices_of_behaviour_are_those_of_the_baseline(tmp_path: Path) -> None:
    """What the candidate did is what is judged, so it cannot choose who is compared."""
    old = [_row(f"k{n}", True, "de", route="a" if n < 40 else "a>b") for n in range(80)]
    new = [_row(f"k{n}", n >= 40, "de", route="b") for n in range(80)]
    runs = [write_run(tmp_path / f"{name}.jsonl", side) for name, side in (("new", new), ("old", old))]
    (tmp_path / "compare.yaml").write_text("format: heldout/compare@1\nslices: [route]\n")
    ran = heldout(
        tmp_path, "results", "compare", *map(str, runs), "--policy", "compare.yaml", "--allow", "unknown", "--json"
    )
    assert {row["scope"]: row["difference"] for row in ran.json["results"]} == {
        "global": -0.5,
        "slice/route=a": -1.0,
        "slice/route=a>b": 0.0,
    }


def test_release_rules_on_the_whole_run(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("format: heldout/suite@1\nrules: [{id: ship, metric: pass_rate, minimum: 0.7}]\n")
    for right, missing, code, decision in (
        (95, 0, 0, "PASS"),
        (95, 30, 3, "INSUFFICIENT_EVIDENCE"),
        (75, 0, 3, "INSUFFICIENT_EVIDENCE"),
        (50, 0, 1, "FAIL"),
    ):
        made = [_row(f"k{n}", n < right, "de") for n in range(100)]
        made += [_row(f"m{n}", None, "de") for n in range(missing)]
        run = write_run(tmp_path / "run.jsonl", made)
        ran = heldout(tmp_path, "results", "report", str(run), "--suite", "suite.yaml", "--allow", "unknown")
        assert (ran.code, f"Rule ship: {decision}" in ran.out) == (code, True), ran.out


@pytest.mark.req("A38", "O36")
def test_a_case_that_only_the_candidate_has_is_missing_in_its_slice(tmp_path: Path) -> None:
    """Else a slice would pass on the cases that the baseline happens to have."""
    old = [_row(f"de{number}", True, "de") for number in range(200)]
    new = [*old, *(_row(f"more{number}", False, "de") for number in range(100))]
    write_run(tmp_path / "old.jsonl", old)
    write_run(tmp_path / "new.jsonl", new)
    families = "families: [{id: all, correction: holm, rules: [de]}]\n"
    (tmp_path / "compare.yaml").write_text("format: heldout/compare@1\n" + _rules(_slice("de"), families=families))
    options = ("--policy", "compare.yaml", "--allow", "unknown")
    ran = heldout(tmp_path, "results", "compare", "new.jsonl", "old.jsonl", *options)
    assert "pass_rate [slice/metadata.lang=de]: +0.0 points [-2.7, +2.7] · 200 paired · 100 missing" in ran.out
    assert "(missing)" not in ran.out
    assert "Rule de: INSUFFICIENT_EVIDENCE (missing_outcomes)" in ran.out
    assert ran.code == 3


@pytest.mark.req("O12")
def test_runs_that_disagree_on_a_case_or_lack_its_value_are_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "old.jsonl", [_row("a", True, "de"), _row("b", True, "fr")])
    (tmp_path / "compare.yaml").write_text("format: heldout/compare@1\nslices: [metadata.lang]\n" + _rules(OVERALL))
    options = ("--policy", "compare.yaml", "--allow", "unknown")
    write_run(tmp_path / "new.jsonl", [_row("a", True, "de"), _row("b", True, "en")])
    ran = heldout(tmp_path, "results", "compare", "new.jsonl", "old.jsonl", *options)
    assert ran.code == 2
    assert "the two runs differ in metadata.lang of 1 cases, the first is run/b" in ran.err
    write_run(tmp_path / "new.jsonl", [_row("a", True, "de"), {"key": "c", "outcome": True}])
    ran = heldout(tmp_path, "results", "compare", "new.jsonl", "old.jsonl", *options)
    assert ran.code == 2
    assert "slice 'metadata.lang' requires" in ran.err


@pytest.mark.req("O36")
def test_markdown_of_a_comparison_says_what_was_put_up_with_and_what_was_not_paired(tmp_path: Path) -> None:
    nothing: list[Pair] = [(True, None)] * 3
    ran = _compare(tmp_path, {"de": nothing}, "", "--format", "markdown")
    assert ran.code == 0
    assert ran.out.startswith("## Gate: none, the policy has no rule (exit 0)\n")
    assert "> **WARNING: the holdout is unknown" in ran.out
    assert "| `global` | `pass_rate` |  | nothing paired | 0 | 3 | 0 |" in ran.out
    assert "no interval" not in ran.out


@pytest.mark.req("O36")
@pytest.mark.parametrize("view", ["table", "markdown"])
def test_a_metric_that_only_one_run_has_is_named(tmp_path: Path, view: str) -> None:
    old = [_row("a", True, "de"), {"key": "a", "metric": "safety", "outcome": False, "metadata": {"lang": "de"}}]
    write_run(tmp_path / "old.jsonl", old)
    write_run(tmp_path / "new.jsonl", old[:1])
    (tmp_path / "compare.yaml").write_text("format: heldout/compare@1\n")
    options = ("--policy", "compare.yaml", "--allow", "unknown", "--format", view)
    ran = heldout(tmp_path, "results", "compare", "new.jsonl", "old.jsonl", *options)
    assert ran.code == 0, ran.err
    assert "not compared, for the two runs do not share them: safety" in ran.out
