"""Example slices of this repository, and clinc150's domains: counts beside a single expression over the originals."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import rfc8785
from support.cli import heldout
from support.console import ROOT
from support.data import original
from support.dvc import commit, dvc, dvc_repository, git

import heldout as package

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


CLINC = """\
format: heldout/dataset@1
name: clinc150
data: [{path: data_full.json, records: "{split}"}]
fields:
  input: "0"
  metadata:
    intent: "1"
    domain: {path: domains.json, field: "1", groups: true}
holdout: [test, oos_test]
"""
Row = tuple[str, str, str]
"""(split, text, intent)."""


@pytest.fixture(scope="module")
def clinc(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Row], dict[str, list[str]]]:
    """clinc150 as its authors give it, in a repository: one file of all splits, and one that groups intents by domain.

    Tagged as version 1.0.0; our hooks are not there, since nobody asks for leakage here.
    """
    top = dvc_repository(tmp_path_factory.mktemp("clinc") / "work")
    folder = top / "datasets/clinc150"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text(CLINC)
    parsed = json.loads(original("clinc150/data_full.json", folder).read_text())
    domains = json.loads(original("clinc150/domains.json", folder).read_text())
    dvc(top, "add", "-q", "datasets/clinc150/data_full.json", "datasets/clinc150/domains.json")
    commit(top, "Add clinc150")
    git(top, "tag", "-a", "clinc150@v1.0.0", "-m", "first")
    return top, [(split, text, intent) for split, rows in parsed.items() for text, intent in rows], domains


@pytest.mark.req("O3", "B6", "B19", "B23")
def test_domains_of_clinc150_are_counted_through_a_lookup(
    clinc: tuple[Path, list[Row], dict[str, list[str]]],
) -> None:
    top, rows, domains = clinc
    assert len(rows) == 23_700
    wanted = {
        "banking": sum(intent in domains["banking"] for _, _, intent in rows),
        "held-out-travel": sum(split == "test" and intent in domains["travel"] for split, _, intent in rows),
        "no-domain": sum(intent == "oos" for _, _, intent in rows),
        "asks-to-cancel": sum("cancel" in text and intent in domains["travel"] for _, text, intent in rows),
        "not-banking": sum(intent not in domains["banking"] for _, _, intent in rows),
    }
    where = {
        "banking": ["metadata.domain eq banking"],
        "held-out-travel": ["metadata.domain eq travel", "split eq test"],
        "no-domain": ["metadata.domain not_exists"],
        "asks-to-cancel": ["metadata.domain eq travel", "input contains cancel"],
        "not-banking": ["slice neq banking#1"],
    }
    for name, conditions in where.items():
        words = [word for text in conditions for word in ("--where", text)]
        assert heldout(top, "slice", "new", "clinc150", name, *words).code == 0
    words = [word for text in where["asks-to-cancel"] for word in ("--where", text)]
    assert heldout(top, "slice", "preview", "clinc150", *words, "--json").json["matched"] == wanted["asks-to-cancel"]
    counted = heldout(top, "slice", "count", "clinc150", "--json").json["datasets"][0]["slices"]
    for place, subject in enumerate(("clinc150", "clinc150@v1.0.0")):
        assert {item["counts"][place]["subject"] for item in counted} == {subject}
        assert {item["name"]: item["counts"][place]["matched"] for item in counted} == wanted
    version = package.open(top).subject("clinc150")
    assert {item.name: item.counts().matched for item in version.slices()} == wanted
    listed = heldout(top, "slice", "members", "clinc150/held-out-travel").out.splitlines()
    texts = {text for split, text, intent in rows if split == "test" and intent in domains["travel"]}
    keys = {hashlib.sha256(rfc8785.dumps(text)).hexdigest()[:16] for text in texts}
    assert {line.partition("\t")[2].partition("-")[0] for line in listed} == keys
    assert len(listed) == wanted["held-out-travel"]


@pytest.mark.req("B13", "A16", "O3")
def test_a_sample_shared_by_domain_takes_as_many_of_each(clinc: tuple[Path, list[Row], dict[str, list[str]]]) -> None:
    """Ten domains of the same size and no out-of-scope question: 50 is 5 of each."""
    top, _, domains = clinc
    options = ("--where", "metadata.domain exists", "--sample", "50", "--seed", "s1", "--stratify", "domain")
    found = heldout(top, "slice", "preview", "clinc150", *options, "--json").json
    strata = found["sample"]["strata"]
    assert {json.loads(item["value"]): item["drawn"] for item in strata} == dict.fromkeys(domains, 5)


@pytest.mark.req("O3")
def test_suggestions_name_every_domain_and_intent(clinc: tuple[Path, list[Row], dict[str, list[str]]]) -> None:
    top, rows, domains = clinc
    found = heldout(top, "slice", "suggest", "clinc150", "--support", "100", "--json").json["suggestions"]
    sizes = {(item["condition"]["key"], item["condition"]["value"]): item["examples"] for item in found}
    by_intent = Counter(intent for _, _, intent in rows)
    assert sizes == {("intent", intent): count for intent, count in by_intent.items()} | {
        ("domain", domain): sum(by_intent[intent] for intent in intents) for domain, intents in domains.items()
    }
