"""A walk over real data: how often a word-counting classifier is wrong on banking77's test split, from 300 labels.

All 3,080 outcomes are computed, so the truth is known here and to nobody else: the estimate sees what was drawn.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from sampling.conftest import AT
from support.cli import heldout
from support.console import ROOT

RISK = (
    *("card_payment_not_recognised", "cash_withdrawal_not_recognised", "compromised_card"),
    *("direct_debit_payment_not_recognised", "lost_or_stolen_card", "lost_or_stolen_phone"),
)
POPULATION = """\
format: heldout/population@1
product: banking assistant
workflows: [intent of a question]
languages: [en]
channels: [chat]
risk_window: test split of banking77
traffic_window: as published in 2020
excluded: [questions of two intents]
unit: question
"""


def words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def outcomes(rows: list[dict[str, str]]) -> dict[str, int]:
    """1 where multinomial naive Bayes, with one added to each count, names another intent; by `test/KEY`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["split"] == "train":
            counts[row["expected"]].update(words(row["input"]))
    vocabulary = len({word for counter in counts.values() for word in counter})
    totals = {intent: counter.total() + vocabulary for intent, counter in counts.items()}

    def guess(text: str) -> str:
        found = words(text)
        return max(
            counts, key=lambda intent: sum(math.log((counts[intent][word] + 1) / totals[intent]) for word in found)
        )

    tested = [row for row in rows if row["split"] == "test"]
    return {f"test/{row['key']}": int(guess(row["input"]) != row["expected"]) for row in tested}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("banking") / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    (folder / "population.yaml").write_text(POPULATION)
    yaml = folder / "datasets/banking77/dataset.yaml"
    yaml.write_text(
        yaml.read_text().replace("  expected: category\n", "  expected: category\n  metadata: {intent: category}\n")
    )
    return folder


@pytest.fixture(scope="module")
def truth(clone: Path) -> dict[str, int]:
    ran = heldout(clone, "load", "banking77", "--allow", "contaminated", "--allow", "unknown", "-o", "rows.jsonl")
    assert ran.code == 0, ran.err
    found = outcomes([json.loads(line) for line in (clone / "rows.jsonl").read_text().split("\n") if line])
    rows = ({"id": name, "label": label} for name, label in found.items())
    (clone / "outcomes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return found


@pytest.mark.req("D19", "D21", "D28")
def test_an_estimate_from_three_hundred_labels_covers_the_truth(clone: Path, truth: dict[str, int]) -> None:
    def sample(*arguments: str, code: int = 0) -> str:
        ran = heldout(clone, "sample", *arguments)
        assert ran.code == code, ran.err
        return ran.out

    by = ("--by", "metadata.intent", "--group", f"risk={','.join(RISK)}", "--rest", "routine")
    sample("frame", "banking77", "--split", "test", *by, "--population", "population.yaml", "-o", "frame.jsonl")
    units = [json.loads(line) for line in (clone / "frame.jsonl").read_text().splitlines()[1:]]
    sizes = Counter(unit["stratum"] for unit in units)
    assert sizes == {"risk": 240, "routine": 2840}
    assert {unit["id"] for unit in units} == set(truth)
    rate = Fraction(sum(truth.values()), len(truth))
    of = {unit["id"]: unit["stratum"] for unit in units}
    true_risk = sum(truth[name] for name in truth if of[name] == "risk")

    covered, errors = 0, []
    for seed in range(12):
        names = [f"{seed}-{name}" for name in ("design.yaml", "draw.json", "labels.jsonl", "study.json")]
        design, draw, labels, study = names
        sample(
            *("design", "frame.jsonl", "--kind", "risk_enriched", "--size", "180", "--draw", "risk=120"),
            *("--risk", "risk", "--threshold", "release=0.1", "--failure", "another intent", "--maturity", "at once"),
            *("--seed", str(seed), "-o", design),
        )
        sample("draw", "frame.jsonl", design, "--at", AT, "-o", draw)
        sample("label", draw, "--by", "naive-bayes", "--rubric", "intent@1", "--from", "outcomes.jsonl", "-o", labels)
        sample("estimate", "frame.jsonl", design, draw, labels, "-o", study, code=1)
        result = json.loads((clone / study).read_text())["result"]
        low, high = map(Fraction, result["interval"])
        least, greatest = result["strata"]["risk"]["kept"]
        covered += low <= rate <= high and least <= true_risk <= greatest
        errors.append(Fraction(result["weighted"]) - rate)
        assert result["decisions"][0]["interval"] == "exceed", "more than a tenth is wrong, and every sample says so"
    assert covered == 12
    # one design's weighted rate has a standard deviation of about 3 points here
    assert abs(sum(errors)) / 12 < Fraction(3, 100)
    assert sample("replay", "0-study.json").endswith("every entry is the same\n")
