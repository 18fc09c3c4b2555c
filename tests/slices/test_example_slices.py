"""Example slices of this repository, and clinc150's domains: counts beside a single expression over the originals."""

from __future__ import annotations

import json

import pytest
from support.cli import heldout
from support.console import ROOT
from support.data import data_path, prepared

from heldout.domain.example import Example
from heldout.domain.slice_definition import Condition, Definition
from heldout.domain.slice_evaluation import count

DATASETS = ROOT / "datasets"


@pytest.mark.req("B1", "B19")
def test_the_examples_of_this_repository_count_what_their_files_hold() -> None:
    languages = {p.stem[5:]: p.read_bytes().count(b"\n") for p in DATASETS.glob("mgsm/mgsm_*.tsv")}
    if not languages:
        pytest.skip("the data is not checked out: dvc pull")
    problems = json.loads((DATASETS / "mbpp/sanitized-mbpp.json").read_text())
    wanted = {
        "german": languages["de"],
        "indo-european": sum(languages[name] for name in ("bn", "de", "en", "es", "fr", "ru")),
        "several-tests": sum("list" in item["prompt"] and bool(item["test_list"]) for item in problems),
    }
    found = {}
    for dataset in ("mgsm", "mbpp"):
        done = heldout(ROOT, "slice", "count", dataset, "--json")
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
