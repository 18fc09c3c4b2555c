"""Example slices of this repository, and clinc150's domains: counts beside a single expression over the originals."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.cli import heldout
from support.console import ROOT
from support.data import data_path, original, prepared

from heldout.domain.example import Example
from heldout.domain.slice_definition import Condition, Definition
from heldout.domain.slice_evaluation import count

LANGUAGES = ("bn", "de", "en", "es", "fr", "ja", "ru", "sw", "te", "th", "zh")


@pytest.mark.req("B1", "B19")
def test_the_examples_of_this_repository_count_what_their_files_hold(tmp_path: Path) -> None:
    """In a fresh clone, which has no data yet: counting fetches it from the DVC remote inside the repository."""
    lines = {name: original(f"mgsm/mgsm_{name}.tsv", tmp_path).read_bytes().count(b"\n") for name in LANGUAGES}
    problems = json.loads(original("mbpp/sanitized-mbpp.json", tmp_path).read_text())
    wanted = {
        "german": lines["de"],
        "indo-european": sum(lines[name] for name in ("bn", "de", "en", "es", "fr", "ru")),
        "several-tests": sum("list" in item["prompt"] and bool(item["test_list"]) for item in problems),
    }
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    found = {}
    for dataset in ("mgsm", "mbpp"):
        done = heldout(clone, "slice", "count", dataset, "--json")
        assert done.code == 0, done
        for row in done.json["datasets"][0]["slices"]:
            found[row["name"]] = row["counts"][0]["matched"]
    assert found == wanted


@pytest.mark.req("O3", "B6")
def test_domains_of_clinc150_as_metadata() -> None:
    assert data_path("clinc150/data_full.json")
    rows = prepared("clinc150")
    examples = [Example(row["split"], row["input"], row["id"], metadata=row["metadata"]) for row in rows]
    for key, value in sorted({(k, v) for row in rows[:400] for k, v in row["metadata"].items() if isinstance(v, str)}):
        found = count(Definition((Condition("metadata", key, "eq", value),)), examples)
        assert found.matched == sum(row["metadata"].get(key) == value for row in rows)
        assert found.total == len(rows)
