"""Each refusal of suites, policies and runs: exit 2, and the words that people search for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import heldout
from support.published_run import POLICY, SUITE, published, rows, write_run

KINDS = (
    "declare metadata.<key>, relevant_position, context_truncated, first_tool, repeated_action, route, "
    "trajectory_length:<bounds> or confidence:<bounds>"
)
RELEASE = "rules:\n- {id: ship, metric: pass_rate, minimum: 0.7, scope: slice/metadata.lang=fr}\n"
GLOBAL = "- {id: overall, metric: pass_rate, kind: non_inferiority, margin: 0.05"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("refusals"))


def _suite(folder: Path, tmp_path: Path, text: str) -> tuple[int, str]:
    suite = tmp_path / "suite.yaml"
    suite.write_text(text)
    ran = heldout(folder, "results", "report", "candidate.jsonl", "--suite", str(suite), "--allow", "unknown")
    return ran.code, ran.err


def _policy(folder: Path, tmp_path: Path, text: str) -> tuple[int, str]:
    policy = tmp_path / "compare.yaml"
    policy.write_text(text)
    arguments = ("candidate.jsonl", "baseline.jsonl", "--policy", str(policy), "--allow", "unknown")
    ran = heldout(folder, "results", "compare", *arguments)
    return ran.code, ran.err


@pytest.mark.req("O11")
@pytest.mark.parametrize("name", ["lang", "metadata.", "confidence", "route:1", "slice", "metadata.lang x topic"])
def test_an_unknown_slice_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(f"format: heldout/suite@1\nslices:\n- metadata.topic\n- {name}\n")
    ran = heldout(tmp_path, "results", "report", "no-such-run.jsonl", "--suite", str(suite))
    shown = name.rpartition(" ")[2]
    assert ran.code == 2
    assert f"suite.yaml:4 (field slices[1]): Configuration error: unknown slice '{shown}'; {KINDS}" in ran.err
    option = heldout(tmp_path, "results", "report", "no-such-run.jsonl", "--slice", name)
    assert (option.code, f"Configuration error: unknown slice '{shown}'; {KINDS}" in option.err) == (2, True)


@pytest.mark.req("O12", "A44")
@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("metadata.region", "the key in the metadata of every case"),
        ("relevant_position", "a RAG system (rag.top_k, and retrieval.retrieved on every row) and expected.relevant"),
        (
            "context_truncated",
            "a RAG system with a token budget (rag.token_budget, and retrieval.dropped on every row)",
        ),
        ("first_tool", "a trajectory (agent_trajectory/v1) on every row"),
        ("repeated_action", "a trajectory (agent_trajectory/v1) on every row"),
        ("route", "a trajectory (agent_trajectory/v1) whose steps name agents, or route, on every row"),
        ("trajectory_length:4,8", "a trajectory (agent_trajectory/v1) on every row"),
        ("confidence:0.5", "a predictive block (confidence on every row)"),
    ],
)
def test_a_slice_without_what_it_needs_is_refused(folder: Path, name: str, needs: str) -> None:
    ran = heldout(folder, "results", "report", "candidate.jsonl", "--slice", name, "--allow", "unknown")
    lacking = "240 of 240 cases lack it, the first is test/de-account-00"
    message = f"Configuration error: slice '{name}' requires {needs}; {lacking}"
    assert (ran.code, message in ran.err, "[slice-unavailable]" in ran.err) == (2, True, True), ran.err
    arguments = ("--slice", name, "--allow", "unknown", "--missing-as-slice", "--json")
    [row] = heldout(folder, "results", "report", "candidate.jsonl", *arguments).json["slice_metrics"]
    assert (row["scope"], row["observed"]) == (f"slice/{name}=(missing)", 240)


@pytest.mark.req("O16", "O17")
def test_a_release_rule_on_a_slice_is_refused(folder: Path, tmp_path: Path) -> None:
    code, err = _suite(folder, tmp_path, SUITE + RELEASE)
    assert code == 2
    assert (
        "(field rules[0].scope): Configuration error: release rule 'ship' targets slice/metadata.lang=fr; a run's "
        "slice results are exploratory, and only a comparison rule gates a slice, inside a family with a correction"
    ) in err
    assert "[slice-rule-of-one-run]" in err


@pytest.mark.req("O25")
@pytest.mark.parametrize("scope", ["metadata.lang=fr", "slices/lang=fr", "slice/metadata.lang", "slice/=fr", "all"])
def test_an_unknown_scope_of_a_comparison_is_refused(folder: Path, tmp_path: Path, scope: str) -> None:
    rule = GLOBAL + f", scope: '{scope}', min_support: 30}}"
    code, err = _policy(folder, tmp_path, f"format: heldout/compare@1\nrules:\n{rule}\n")
    assert code == 2
    assert (
        f"compare.yaml:3 (field rules[0].scope): Configuration error: rule 'overall' has unknown scope '{scope}'; a "
        "comparison rule decides on the global scope or on slice/<name>=<value>"
    ) in err


@pytest.mark.req("O26")
def test_a_slice_rule_in_no_family_is_refused(folder: Path, tmp_path: Path) -> None:
    code, err = _policy(folder, tmp_path, POLICY.replace("rules: [de, en, fr]", "rules: [de, en]"))
    assert code == 2
    assert (
        "Configuration error: slice rule 'fr' belongs to no family; slice rules multiply the chances of a false FAIL, "
        "so they gate only inside a family with a correction"
    ) in err
    assert "[slice-rule-without-family]" in err


@pytest.mark.req("O23", "O24", "O35")
@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (", min_support: 30}\n- {id: en", "}\n- {id: en", "rule 'de' is on a slice, and needs min_support"),
        ("correction: holm", "correction: bonferroni", "expected one of holm, found 'bonferroni'"),
        ("correction: holm, ", "", "family 'languages' needs a correction: holm"),
        ("rules: [de, en, fr]", "rules: [de, en, fr, it]", "names the rule 'it', which is not there"),
        ("id: en,", "id: de,", "the rule 'de' is there twice"),
        ("kind: non_inferiority, margin: 0.05}", "kind: superiority, margin: 0.05}", "one of non_inferiority"),
        ("margin: 0.05}", "margin: -0.05}", "expected a margin from 0"),
        ("margin: 0.05}", "marign: 0.05}", "expected a margin from 0"),
        ("metric: pass_rate, kind: non_inferiority, margin: 0.05}", "metric: f1, margin: 0.05}", "the metric 'f1'"),
        ("slice/metadata.lang=de", "slice/language=de", "unknown slice 'language'"),
        ("heldout/compare@1", "heldout/compare@9", "this Heldout reads 'heldout/compare@1' here"),
    ],
)
def test_policies_that_break_their_format(folder: Path, tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in POLICY
    code, err = _policy(folder, tmp_path, POLICY.replace(before, after, 1))
    assert (code, message in err) == (2, True), err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min_slice_suport: 3\n", "Did you mean 'min_slice_support'?"),
        ("min_slice_support: -1\n", "expected a whole number from 0"),
        ("mark_level: 1\n", "expected a number between 0 and 1"),
        ("slices: ['trajectory_length:8,4']\n", "slice 'trajectory_length:8,4' needs rising bounds, whole numbers"),
        ("slices: ['confidence:high']\n", "slice 'confidence:high' needs rising bounds, numbers"),
        ("slices: [metadata.a x metadata.a]\n", "names a slice twice"),
        ("scores: {rating: [5, 1]}\n", "expected the ends of the scores"),
        ("rag: {top_k: 0}\n", "expected a whole number from 1"),
        ("rules: [{id: a, metric: f1, minimum: 0.5}]\n", "rule 'a' is about the metric 'f1'"),
        ("rules: [{id: a, metric: f1, minimum: 0.5, scope: all}]\n", "a release rule decides on the global scope"),
        ("splits: [dev]\n", "the run has no case in split 'dev'"),
    ],
)
def test_suites_that_break_their_format(folder: Path, tmp_path: Path, text: str, message: str) -> None:
    code, err = _suite(folder, tmp_path, "format: heldout/suite@1\n" + text)
    assert (code, message in err) == (2, True), err


@pytest.mark.req("O36", "A50")
@pytest.mark.parametrize(
    ("line", "slug", "message"),
    [
        ('{"key": "a", "outcome": true, "outcome": false}', "duplicate-key", '"outcome" appears twice'),
        ('{"key": "a", "score": NaN}', "not-finite", "NaN"),
        ('{"key": "a", "outcome": 1}', "bad-run-row", "expected true, false or null, found the number 1"),
        ('{"key": 7, "outcome": true}', "bad-run-row", "expected a text"),
        ('{"outcome": true}', "bad-run-row", "'key' is needed"),
        ('{"key": "a"}', "bad-run-row", "a row says outcome or score"),
        ('{"key": "a", "outcome": true, "score": 0.5}', "bad-run-row", "not both"),
        ('{"key": "a", "outcom": true}', "bad-run-row", "unknown field 'outcom'"),
        ('{"key": "q0", "outcome": true}', "repeated-result", "the case run/q0 has two results for 'pass_rate'"),
        ('{"key": "a", "score": 0.5}', "mixed-metric", "has outcomes on some rows and scores here"),
        ('{"format": "heldout/run@1"}', "bad-run-header", "a header is a file's first line"),
        ("[]", "bad-run-row", "expected an object, found a list"),
        ('{"key": "a", "outcome": true', "bad-json", ""),
    ],
)
@pytest.mark.parametrize("before", [2, 3000])
def test_lines_that_are_no_results_are_refused_with_their_line(
    tmp_path: Path, line: str, slug: str, message: str, before: int
) -> None:
    """Early, where every row is read strictly, and late, where rows of one shape are read the quick way."""
    good = "".join(json.dumps({"key": f"q{number}", "outcome": True}) + "\n" for number in range(before))
    (tmp_path / "run.jsonl").write_text(good + line + "\n")
    ran = heldout(tmp_path, "results", "report", "run.jsonl", "--allow", "unknown")
    assert ran.code == 2
    assert f"run.jsonl:{before + 1}" in ran.err
    assert f"[{slug}]" in ran.err
    assert message in ran.err


def test_scores_outside_their_range_and_rows_that_disagree(tmp_path: Path) -> None:
    lines = [{"key": "a", "score": 0.5}, {"key": "b", "score": 1.5}]
    write_run(tmp_path / "run.jsonl", lines)
    ran = heldout(tmp_path, "results", "report", "run.jsonl", "--allow", "unknown")
    assert (ran.code, "run.jsonl:3: the score 1.5 of 'mean_score' is outside [0, 1]" in ran.err) == (2, True)
    lines = [
        {"key": "a", "metric": "x", "outcome": True, "metadata": {"lang": "de"}},
        {"key": "a", "metric": "y", "outcome": True, "metadata": {"lang": "en"}},
    ]
    write_run(tmp_path / "run.jsonl", lines)
    ran = heldout(tmp_path, "results", "report", "run.jsonl", "--slice", "metadata.lang", "--allow", "unknown")
    assert (ran.code, "[row-disagrees]" in ran.err) == (2, True)


def test_a_run_that_names_no_version_is_unknown(folder: Path, tmp_path: Path) -> None:
    ran = heldout(folder, "results", "report", "candidate.jsonl")
    assert ran.code == 3
    assert "[run-without-dataset]" in ran.err
    write_run(tmp_path / "empty.jsonl", [])
    ran = heldout(tmp_path, "results", "report", "empty.jsonl", "--allow", "unknown")
    assert (ran.code, "[no-results]" in ran.err) == (2, True)
    header = write_run(tmp_path / "header.jsonl", rows("candidate"), modle="x")
    ran = heldout(tmp_path, "results", "report", str(header), "--allow", "unknown")
    assert (ran.code, "header.jsonl:1 (field modle): unknown key 'modle'" in ran.err) == (2, True)
