"""Cases that a run excludes: for one metric or for all, counted once, and in the splits of the report only."""

from __future__ import annotations

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
