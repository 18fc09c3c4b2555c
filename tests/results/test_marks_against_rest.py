"""`--against rest`: the published run's slices by Fisher's test, as scipy gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scipy.stats import fisher_exact
from support.cli import heldout
from support.published_run import published, write_run

pytestmark = pytest.mark.req("A37")


def test_each_slice_is_tested_against_all_other_cases(tmp_path: Path) -> None:
    published(tmp_path)
    arguments = ("results", "report", "candidate.jsonl", "--suite", "suite.yaml", "--allow", "unknown")
    found = heldout(tmp_path, *arguments, "--against", "rest", "--json").json
    assert found["method"]["against"] == "rest"
    levels = {row["scope"]: row["fdr_p_value"] for row in found["slice_metrics"]}
    counts = {"lang=de": (80, 80), "lang=fr": (26, 80), "topic=account": (106, 120), "topic=billing": (80, 120)}
    for name, (k, n) in counts.items():
        oracle = float(fisher_exact([[k, n - k], [186 - k, 160 - n + 80 - 186 + k]])[1])
        assert levels[f"slice/metadata.{name}"] == pytest.approx(oracle, rel=1e-9)
    assert all(row["fdr_marked"] for row in found["slice_metrics"])
    text = heldout(tmp_path, *arguments, "--against", "rest").out
    assert "marked p<0.0001" in text
    assert "5 slices tested against the rest of the run (Fisher's exact test" in text


def test_a_slice_that_is_the_whole_run_has_no_rest(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"key": f"k{at}", "outcome": at % 2 == 0, "metadata": {"one": "all", "two": str(at % 2)}} for at in range(80)
    ]
    write_run(tmp_path / "run.jsonl", rows)
    suite = "format: heldout/suite@1\nagainst: rest\nslices: [metadata.one, metadata.two]\n"
    (tmp_path / "suite.yaml").write_text(suite)
    arguments = ("results", "report", "run.jsonl", "--suite", "suite.yaml", "--allow", "unknown", "--json")
    ran = heldout(tmp_path, *arguments)
    marks = {row["scope"]: row["fdr_marked"] for row in ran.json["slice_metrics"]}
    assert marks == {"slice/metadata.one=all": None, "slice/metadata.two=0": True, "slice/metadata.two=1": True}
    assert ran.json["method"]["tested"] == 2
    (tmp_path / "run.json").write_text(ran.out)
    ran = heldout(tmp_path, "results", "power", "mark", "--run", "run.json")
    assert ran.code == 2
    assert "marked against the rest of the run" in ran.err
