"""Label conflicts of real sets, counted twice: by the truth files' pairs, and by an exact search written here."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.data import original, prepared, truth
from support.story import Team, nearly, sentence

Pairs = Counter[tuple[str, str, bool]]
"""Conflicting pairs by both splits, in order, and whether the inputs are equal."""


def by_truth(name: str) -> Pairs:
    labels = {row["id"]: row["metadata"]["label"] for row in prepared(name)}
    found: Pairs = Counter()
    for pair in truth(name):
        if pair["kind"] != "contain" and labels[pair["a"]["id"]] != labels[pair["b"]["id"]]:
            first, second = sorted((pair["a"]["split"], pair["b"]["split"]))
            found[first, second, pair["kind"] == "exact"] += 1
    return found


def by_search(name: str) -> Pairs:
    """Prefix filtering (Bayardo et al., Scaling Up All Pairs Similarity Search, 2007): sets of which 4/5 are shared
    share one of the rarest fifth, and one more, of either's elements."""
    rows = prepared(name)
    sets = [grams(row["input"]) for row in rows]
    frequency = Counter(gram for found in sets for gram in found)
    seen: defaultdict[str, list[int]] = defaultdict(list)
    result: Pairs = Counter()
    for here, mine in enumerate(sets):
        rare = sorted(mine, key=lambda gram: (frequency[gram], gram))[: len(mine) - -(-4 * len(mine) // 5) + 1]
        for there in {other for gram in rare for other in seen[gram]}:
            x, y = rows[here], rows[there]
            equal = x["input"] == y["input"]
            near = 5 * len(mine & sets[there]) >= 4 * len(mine | sets[there])
            if (equal or near) and x["metadata"]["label"] != y["metadata"]["label"]:
                first, second = sorted((x["split"], y["split"]))
                result[first, second, equal] += 1
        for gram in rare:
            seen[gram].append(here)
    return result


def grams(text: str) -> frozenset[str]:
    flat = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).lower()).strip()
    return frozenset(flat[at : at + 5] for at in range(max(1, len(flat) - 4)))


def reported(report: dict[str, Any]) -> Pairs:
    found: Pairs = Counter()
    for item in report["splits"]:
        found[item["a"], item["b"], True] += item["exact"]
        found[item["a"], item["b"], False] += item["near"]
    return +found


@pytest.mark.req("D57")
def test_banking77_eleven_of_its_175_near_pairs_conflict(tmp_path: Path) -> None:
    for name in ("train", "test"):
        original(f"banking77/{name}.csv", tmp_path)
    done = heldout(tmp_path, "conflicts", "train.csv", "test.csv", "--expected", "category", "--json")
    assert done.code == 0
    found = reported(done.json)
    assert found == by_truth("banking77") == by_search("banking77")
    assert found["test", "train", False] == 11
    assert sum(item["pairs"] for item in done.json["labels"]) == done.json["near"] == found.total()
    for item in done.json["conflicts"]:
        assert item["kind"] == "label_conflict"
        assert item["a"]["expected"] != item["b"]["expected"]


@pytest.mark.req("D57")
def test_clinc150_has_equal_inputs_with_two_labels(tmp_path: Path) -> None:
    original("clinc150/data_full.json", tmp_path)
    options = ("--expected", "1", "--text-field", "0", "--records", "{split}", "--json")
    done = heldout(tmp_path, "conflicts", "data_full.json", *options)
    found = reported(done.json)
    assert found == by_truth("clinc150") == by_search("clinc150")
    assert (found["test", "train", True], found["test", "train", False]) == (2, 2)


@pytest.fixture
def rows(tmp_path: Path) -> Callable[..., None]:
    def write(**files: list[tuple[str, Any]]) -> None:
        for name, found in files.items():
            lines = (json.dumps({"text": text, "label": label}) + "\n" for text, label in found)
            (tmp_path / f"{name}.jsonl").write_text("".join(lines))

    return write


def test_pairs_are_multiplied_out_and_examples_without_a_label_conflict_with_none(
    tmp_path: Path, rows: Callable[..., None]
) -> None:
    rows(
        a=[(sentence("p"), "x"), (sentence("p"), "x"), (sentence("p"), "y"), (sentence("q"), None)],
        b=[(nearly("p"), "y"), (nearly("p"), "y"), (sentence("q"), "z"), (sentence("r"), 7), (sentence("r"), "7")],
    )
    done = heldout(tmp_path, "conflicts", "a.jsonl", "b.jsonl", "--expected", "label", "--json").json
    # 2 x's and 1 y share an input in a; each x is near two y's of b; the number 7 is not the text "7"
    assert reported(done) == {("a", "a", True): 2, ("a", "b", False): 4, ("b", "b", True): 1}
    assert done["without_expected"] == 1
    assert {(item["a"], item["b"]): item["pairs"] for item in done["labels"]} == {("x", "y"): 6, ("7", "7"): 1}


def test_check_names_them_and_its_verdict_stays(tmp_path: Path, rows: Callable[..., None]) -> None:
    rows(a=[(sentence("p"), "x"), (sentence("p"), "y")], b=[(sentence("q"), "x")])
    command = ("check", "a.jsonl", "b.jsonl", "--text-field", "text", "--json")
    without, labelled = heldout(tmp_path, *command), heldout(tmp_path, *command, "--expected", "label")
    assert without.code == labelled.code == 0
    assert without.json["label_conflicts"] is None
    assert labelled.json["label_conflicts"]["exact"] == 1
    assert {**labelled.json, "label_conflicts": None} == without.json
    text = heldout(tmp_path, *command[:-1], "--expected", "label").out
    assert "label conflicts: 1 pairs with equal inputs, 0 with nearly equal ones" in text
    assert "review  a.jsonl:1 == a.jsonl:2  x / y" in text
    assert heldout(tmp_path, "conflicts", "a.jsonl", "b.jsonl", "--text-field", "text").code == 2


@pytest.mark.req("D57")
def test_of_a_dataset_and_of_its_versions(tmp_path: Path) -> None:
    team = Team.start(tmp_path)
    head = "format: heldout/dataset@1\nname: support\ndata:\n  - {path: rows.csv}\nholdout: [test]\n"
    team.write("datasets/support/dataset.yaml", f"{head}fields: {{input: text, expected: label, split: split}}\n")
    made = [("train", sentence("a"), "x"), ("train", sentence("b"), "x"), ("test", sentence("c"), "x")]
    rows = "\n".join(",".join(row) for row in [("split", "text", "label"), *made, ("train", nearly("a"), "y")])
    team.write("datasets/support/rows.csv", rows + "\n")
    team.track("datasets/support/rows.csv")
    team.save("Add support")
    records = {path: path.read_bytes() for path in team.path.glob("datasets/support/scans/*/*")}
    for subject in ("support", "support@HEAD"):
        done = team.heldout("conflicts", subject)
        assert done.code == 0
        assert "inside train: 0 equal, 1 near" in done.out
    assert records == {path: path.read_bytes() for path in team.path.glob("datasets/support/scans/*/*")}
    assert not any(b"label_conflict" in data for data in records.values())
    team.write("datasets/support/dataset.yaml", f"{head}fields: {{input: text, split: split}}\n")
    refused = team.heldout("conflicts", "support")
    assert refused.code == 2
    assert "no-expected" in refused.err
