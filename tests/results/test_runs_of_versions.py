"""A run against a dataset version: its cases, its own slices, what is missing, and the leakage answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest
from results.conftest import HELD, results
from support.cli import Ran, heldout
from support.published_run import write_run
from support.story import Team

from heldout.services.contents import Contents


def _report(team: Team, path: Path, *arguments: str) -> Ran:
    return heldout(team.path, "results", "report", str(path), *arguments)


def _rows(ran: Ran) -> dict[str, Any]:
    assert ran.code in (0, 1, 3), ran.err
    return {row["scope"]: row for row in ran.json["slice_metrics"]}


@pytest.mark.req("O3", "O36", "A38", "A44", "B17", "B25", "B26")
def test_cases_and_metadata_are_the_datasets_and_its_own_slices_are_reported_by_number(
    team: Team, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run.jsonl", results(), dataset="support@v1.0.0", model="m-1")
    ran = _report(team, run, "--slice", "metadata.lang", "--json")
    found = _rows(ran)
    assert list(found) == [
        "slice/german=#1",
        "slice/long=#1",
        "slice/metadata.lang=de",
        "slice/metadata.lang=en",
        "slice/metadata.lang=fr",
    ]
    # Of the 40 cases 0, 3, 6 ... every fourth is wrong: 10.
    assert (found["slice/german=#1"]["successes"], found["slice/german=#1"]["observed"]) == (30, 40)
    assert found["slice/long=#1"]["interval"] is None
    data = ran.json
    assert data["dataset"]["subject"] == "support@v1.0.0"
    assert data["leakage"]["verdict"] == "clean"
    assert (data["cases"], data["splits"], data["about"]["model"]) == (HELD, ["test"], "m-1")
    shown = heldout(team.path, "show", "support@v1.0.0", "--json").json
    assert data["dataset"]["content"] in json.dumps(shown)
    [german] = heldout(team.path, "required-slices", "support@v1.0.0", "--json").json["slices"]
    entry = next(item for item in data["slices"] if item["name"] == "german")
    assert (entry["number"], entry["digest"], entry["required"]) == (1, german["digest"], True)


@pytest.mark.req("B25", "B27")
def test_a_bundle_passes_the_check_of_required_slices(team: Team, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", results(), dataset="support@v1.0.0")
    bundle = tmp_path / "run.json"
    assert _report(team, run, "--bundle", str(bundle)).code == 0
    assert heldout(team.path, "required-slices", "support@v1.0.0", "--check", str(bundle)).code == 0


@pytest.mark.req("O15", "O20", "O36", "A36", "A38")
def test_what_is_missing_or_excluded_is_counted_shown_and_never_tested(team: Team, tmp_path: Path) -> None:
    made = results(skip=frozenset(range(9)))  # 9 cases without a row, 3 of each language
    made[0] |= {"outcome": None}  # q009, German: it has a row and no outcome
    made[1] = {"key": "q010", "split": "test", "excluded": "the judge refused"}  # English
    run = write_run(tmp_path / "run.jsonl", made, dataset="support@v1.0.0")
    ran = _report(team, run, "--slice", "metadata.lang", "--json")
    found = _rows(ran)
    assert [(row["observed"], row["missing"], row["excluded"]) for row in list(found.values())[2:]] == [
        (36, 4, 0),
        (36, 3, 1),
        (37, 3, 0),
    ]
    assert all(row["fdr_marked"] is None for row in found.values())
    assert ran.json["method"]["tested"] == 0
    assert ran.json["excluded_for"] == {"the judge refused": 1}
    text = _report(team, run, "--slice", "metadata.lang").out
    assert "27 / 36 observed · 3 missing · 1 excluded · exploratory · support 36" in text
    assert "excluded: the judge refused 1" in text
    assert "< 30, no interval" in text
    assert "111" not in text.split("Slices")[0]
    assert "109 observed · 10 missing · 1 excluded" not in text.split("Slices")[1]
    assert "109 observed · 10 missing · 1 excluded" in text.split("Slices")[0]


@pytest.mark.req("B25", "B27")
def test_a_required_slice_without_a_result_refuses_the_report(team: Team, tmp_path: Path) -> None:
    german = frozenset(range(0, HELD, 3))
    run = write_run(tmp_path / "run.jsonl", results(skip=german), dataset="support@v1.0.0")
    ran = _report(team, run)
    assert ran.code == 1
    assert "the required slice german=#1 is not reported" in ran.err
    assert "[slice-not-reported]" in ran.err
    suite = tmp_path / "suite.yaml"
    suite.write_text("format: heldout/suite@1\nslices: [metadata.lang]\nrequired: [metadata.lang=it]\n")
    whole = write_run(tmp_path / "whole.jsonl", results(), dataset="support@v1.0.0")
    assert "[slice-not-reported]" in _report(team, whole, "--suite", str(suite)).err


@pytest.mark.req("B50")
def test_a_contaminated_or_unknown_holdout_is_refused_unless_it_is_said_aloud(team: Team, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", results(), dataset="leaky@v1.0.0")
    refused = _report(team, run)
    assert (refused.code, refused.out) == (1, "")
    assert "leaky@v1.0.0 is contaminated: 6 held-out examples are given away" in refused.err
    wrong = _report(team, run, "--allow", "unknown")
    assert wrong.code == 1
    allowed = _report(team, run, "--allow", "contaminated")
    assert allowed.code == 0
    warning = (
        "WARNING: the holdout is contaminated (6 held-out examples given away); reported because --allow contaminated"
    )
    assert warning in allowed.out
    unknown = write_run(tmp_path / "working.jsonl", results(), dataset="support")
    assert _report(team, unknown).code == 3
    data = _report(team, unknown, "--allow", "unknown", "--json").json
    assert data["leakage"]["verdict"] == "unknown"
    assert "not_frozen" in data["leakage"]["gaps"]


def test_metrics_with_and_without_contaminated_cases(team: Team, tmp_path: Path) -> None:
    """Cases 0 to 5 are given away, of which 0 and 4 are wrong: 90 of 120 right, and 86 of 114 without them."""
    run = write_run(tmp_path / "run.jsonl", results(), dataset="leaky@v1.0.0")
    arguments = ("--allow", "contaminated", "--with-and-without")
    [item] = _report(team, run, *arguments, "--json").json["without_contaminated"]
    assert [(item[side]["successes"], item[side]["observed"]) for side in ("all", "without")] == [(90, 120), (86, 114)]
    text = _report(team, run, *arguments).out
    assert "With and without the 6 contaminated cases" in text
    assert "75.4 % [66.4, 83.1]" in text


def test_digests_in_the_header_tie_a_run_to_its_data(team: Team, tmp_path: Path) -> None:
    first = write_run(tmp_path / "first.jsonl", results(), dataset="support@v1.0.0")
    dataset = _report(team, first, "--json").json["dataset"]
    tied = {"dataset": "support@v1.0.0", "source": dataset["source"], "content": dataset["content"]}
    assert _report(team, write_run(tmp_path / "tied.jsonl", results(), **tied)).code == 0
    for key in ("source", "content"):
        other = write_run(tmp_path / f"{key}.jsonl", results(), **{**tied, key: "sha256:" + "0" * 64})
        ran = _report(team, other)
        assert ran.code == 2
        assert f"the run read a dataset with the {key} digest sha256:000000000000, " in ran.err
    ran = _report(team, first, "--dataset", "leaky@v1.0.0")
    assert ran.code == 2
    assert "[run-of-other-data]" in ran.err


@pytest.mark.req("O4")
def test_relevant_positions_come_from_the_expected_part_of_each_example(team: Team, tmp_path: Path) -> None:
    made = results()
    for number, row in enumerate(made):
        retrieved = ["x1", "x2", "x3", "x4"]
        if number % 3:
            retrieved[0 if number % 3 == 1 else 3] = f"doc{number}"
        row["retrieval"] = {"retrieved": retrieved}
    run = write_run(tmp_path / "run.jsonl", made, dataset="support@v1.0.0", rag={"top_k": 3})
    found = _rows(_report(team, run, "--slice", "relevant_position", "--json"))
    assert {scope: row["observed"] for scope, row in found.items() if "relevant" in scope} == {
        "slice/relevant_position=beyond_top_k": 40,
        "slice/relevant_position=not_retrieved": 40,
        "slice/relevant_position=top_k": 40,
    }


def test_comparisons_are_made_on_one_version_and_may_gate_on_its_own_slices(team: Team, tmp_path: Path) -> None:
    better = results()
    for row in better:
        row["outcome"] = True
    old = write_run(tmp_path / "old.jsonl", results(), dataset="support@v1.0.0")
    new = write_run(tmp_path / "new.jsonl", better, dataset="support@v1.0.0")
    policy = tmp_path / "compare.yaml"
    policy.write_text(
        "format: heldout/compare@1\nrules:\n- {id: g, metric: pass_rate, margin: 0.05, scope: slice/german=#1, "
        "min_support: 30}\nfamilies:\n- {id: f, correction: holm, rules: [g]}\n"
    )
    ran = heldout(team.path, "results", "compare", str(new), str(old), "--policy", str(policy), "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["gate"], ran.json["rules"][0]["reason"]) == ("PASS", "lower_bound_above_margin")
    other = write_run(tmp_path / "other.jsonl", results(), dataset="leaky@v1.0.0")
    ran = heldout(team.path, "results", "compare", str(new), str(other), "--policy", str(policy))
    assert ran.code == 2
    assert "the two runs are of leaky@v1.0.0 and support@v1.0.0" in ran.err


@pytest.mark.req("B25")
def test_a_slice_of_the_dataset_is_crossed_by_its_name(team: Team, tmp_path: Path) -> None:
    """German cases are 0, 3, 6 ...; long ones every tenth: together those of 0, 30, 60, 90."""
    run = write_run(tmp_path / "run.jsonl", results(), dataset="support@v1.0.0")
    crosses = ("--slice", "slice/german x metadata.topic", "--slice", "slice/german x slice/long")
    found = _rows(_report(team, run, *crosses, "--json"))
    expected = {"metadata.topic=account": range(0, HELD, 6), "metadata.topic=billing": range(3, HELD, 6)}
    expected["long=#1"] = range(0, HELD, 30)
    right = {row["key"] for row in results() if row["outcome"]}
    for name, numbers in expected.items():
        row = found.pop(f"slice/german=#1 x {name}")
        wanted = sum(f"q{number:03}" in right for number in numbers)
        assert (row["observed"], row["successes"], row["missing"]) == (len(numbers), wanted, 0)
    assert sorted(found) == ["slice/german=#1", "slice/long=#1"]
    refused = _report(team, run, "--slice", "slice/french x metadata.topic")
    assert refused.code == 2
    assert "its slices: german, long" in refused.err


@pytest.mark.req("O23")
def test_a_rule_is_about_a_cross_with_a_slice_of_the_dataset(team: Team, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run.jsonl", results(), dataset="support@v1.0.0")
    policy = tmp_path / "compare.yaml"
    policy.write_text(
        "format: heldout/compare@1\nrules:\n- {id: g, metric: pass_rate, margin: 0.5, min_support: 20, "
        "scope: slice/german=#1 x metadata.topic=account}\nfamilies:\n- {id: f, correction: holm, rules: [g]}\n"
    )
    ran = heldout(team.path, "results", "compare", str(run), str(run), "--policy", str(policy))
    assert ran.code == 0, ran.err
    assert "pass_rate [slice/german=#1 x metadata.topic=account]: +0.0 points" in ran.out
    assert "Gate: PASS (exit 0)" in ran.out


@pytest.mark.req("A38")
def test_cases_are_the_same_whether_the_data_are_read_for_slices_or_not(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = results(skip=frozenset({3, 5}))
    run = write_run(tmp_path / "run.jsonl", made, dataset="leaky@v1.0.0")
    options = ("--allow", "contaminated", "--with-and-without", "--json")
    sliced = _report(team, run, "--slice", "metadata.lang", *options).json

    def read_again(contents: Contents) -> NoReturn:
        raise AssertionError("nothing but splits and keys is asked for")

    monkeypatch.setattr(Contents, "examples", read_again)
    plain = _report(team, run, *options).json
    for key in ("metrics", "dataset", "cases", "splits", "without_contaminated"):
        assert plain[key] == sliced[key]
    assert plain["dataset"]["contaminated_cases"] == 6
    assert plain["metrics"][0]["missing"] == 2
    assert _report(team, run, "--slice", "metadata.lang", *options).code == 70  # so the trap is one
