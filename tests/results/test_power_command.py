"""`heldout results power`: plain numbers, the rules of the published policy, and the slices of the published run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import heldout
from support.published_run import published

from heldout.statistics.marking import harmonic
from heldout.statistics.power import marked_slice


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("powered"))


@pytest.mark.req("A40")
def test_every_rule_of_a_policy_is_answered(folder: Path) -> None:
    assumed = ("--gains", "0.1", "--losses", "0.2")
    ran = heldout(folder, "results", "power", "paired", "--policy", "compare.yaml", *assumed, "--json")
    assert ran.code == 0, ran.err
    rules = ran.json["rules"]
    assert [rule["rule"].partition(":")[0].partition(" ")[0] for rule in rules] == ["overall", "de", "en", "fr"]
    assert "Holm" not in rules[0]["rule"]
    assert "failures at 0.01667 (Holm over 3)" in rules[3]["rule"]
    alone, family = (rule["expected"] for rule in (rules[0], rules[3]))
    assert (alone["decision"], family["decision"]) == ("FAIL", "FAIL")
    assert 240 < alone["powered"] < family["powered"]
    assert heldout(folder, "results", "power", "paired", "--policy", "compare.yaml", *assumed).out.count("if the") == 4


def test_every_slice_of_a_run_is_answered(folder: Path) -> None:
    made = heldout(
        folder, "results", "report", "candidate.jsonl", "--suite", "suite.yaml", "--allow", "unknown", "--json"
    )
    (folder / "run.json").write_text(made.out)
    ran = heldout(folder, "results", "power", "mark", "--run", "run.json", "--json")
    assert ran.code == 0, ran.err
    (run,) = ran.json["runs"]
    assert (run["run_rate"], run["tested"], run["q"]) == (186 / 240, 5, 0.05)
    needed = {row["scope"].rpartition("=")[2]: (row["observed"], row["marked"], row["needed"]) for row in run["slices"]}
    assert [name for name, (_, marked, _) in needed.items() if marked] == ["de", "en", "fr", "account", "billing"]
    # de: were every case right, n of n is marked as soon as twice 0.775 ** n is a level of 0.05 / (5 * harmonic(5))
    step = 0.05 / (5 * harmonic(5))
    fewest = next(n for n in range(1, 100) if 2 * 0.775**n + 6.2e-5 <= step)
    assert abs(needed["de"][2] - fewest) <= 1
    fr = marked_slice(186 / 240, 0.05, 5, above=False)
    assert fr is not None
    assert fr.chance(needed["fr"][2], 26 / 80) >= 0.8 > fr.chance(needed["fr"][2] - 1, 26 / 80)
    assert needed["fr"][2] < 80 < 120 < needed["account"][2], "a mark that came is no promise that it comes again"
    text = heldout(folder, "results", "power", "mark", "--run", "run.json").out
    assert "pass_rate: 77.5 % of 240 cases; 5 slices were tested at q 0.05" in text


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("rate",), "bad-value"),
        (("rate", "--minimum", "0.9"), "bad-value"),
        (("rate", "--minimum", "1.5", "--rate", "0.5"), "bad-value"),
        (("paired", "--margin", "0.05", "--gains", "0.6", "--losses", "0.6"), "bad-value"),
        (("paired", "--gains", "0.6", "--losses", "0.1"), "bad-value"),
        (("mark", "--run-rate", "0.5", "--rate", "0.4"), "bad-value"),
        (("mark", "--run", "candidate.jsonl"), "bad-json"),
        (("mark", "--run", "empty.json"), "unknown-format"),
        (("mark", "--run", "none.json"), "no-rows"),
        (("mark", "--run", "forged.json"), "bad-value"),
        (("paired", "--policy", "none.yaml", "--gains", "0.1", "--losses", "0.1"), "no-rows"),
        (("paired", "--policy", "compare.yaml", "--gains", "0", "--losses", "0", "--alpha", "0.01"), "bad-value"),
        (("paired", "--margin", "0.05", "--gains", "0", "--losses", "0", "--q", "0.05"), "bad-value"),
        (("rate", "--minimum", "0.9", "--rate", "0.95", "--margin", "0.05"), "bad-value"),
        (("mark", "--run", "none.json", "--slices", "3"), "bad-value"),
    ],
)
def test_refusals(folder: Path, arguments: tuple[str, ...], slug: str) -> None:
    bundle = {"format": "heldout/results@1", "method": {"tested": 0, "q": 0.05}, "metrics": [], "slice_metrics": []}
    row = {"scope": "global", "metric": "pass_rate", "observed": 2, "successes": 3}
    (folder / "empty.json").write_text('{"format": "heldout/else@1"}')
    (folder / "none.json").write_text(json.dumps(bundle))
    (folder / "forged.json").write_text(json.dumps({**bundle, "metrics": [row]}))
    (folder / "none.yaml").write_text("format: heldout/compare@1\n")
    ran = heldout(folder, "results", "power", *arguments)
    assert ran.code == 2
    assert f"[{slug}]" in ran.err


def test_a_margin_of_nothing_is_said_without_a_sign(folder: Path, tmp_path: Path) -> None:
    policy = tmp_path / "none.yaml"
    policy.write_text("format: heldout/compare@1\nrules: [{id: g, metric: pass_rate, margin: 0}]\n")
    shares = ("--gains", "0.2", "--losses", "0.1")
    ran = heldout(folder, "results", "power", "paired", "--policy", str(policy), *shares)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("g: no worse than 0 points, alpha 0.05\n")


def test_a_policy_s_rules_on_scores_are_named_and_not_answered(folder: Path, tmp_path: Path) -> None:
    """How many scores decide depends on their spread; shares of gains and losses say nothing of it."""
    policy = tmp_path / "scores.yaml"
    start = "format: heldout/compare@1\nscores: {tone: [1, 5]}\nrules:\n"
    on_scores = "- {id: warm, metric: tone, margin: 1.5}\n- {id: mean, metric: mean_score, margin: 0.1}\n"
    policy.write_text(start + on_scores + "- {id: rate, metric: pass_rate, margin: 0.15}\n")
    arguments = ("results", "power", "paired", "--policy", str(policy), "--gains", "0.1", "--losses", "0.1")
    ran = heldout(folder, *arguments, "--json")
    assert (ran.code, len(ran.json["rules"]), ran.json["rules_on_scores"]) == (0, 1, ["mean", "warm"])
    assert (
        "no answer for rules on scores, which depend on how far scores spread: mean, warm"
        in heldout(folder, *arguments).out
    )
    policy.write_text(start + on_scores)
    assert "has rules on scores only [no-rows]" in heldout(folder, *arguments).err
    policy.write_text(start + "- {id: rate, metric: pass_rate, margin: 1.5}\n")
    assert "[rule-out-of-range]" in heldout(folder, *arguments).err


def test_numbers_are_said_as_they_were_given(folder: Path) -> None:
    ran = heldout(folder, "results", "power", "rate", "--minimum", "0.99999", "--rate", "0.999999")
    assert ran.out.startswith("the exact 0.95 interval of a rate lies above 0.99999\n  if the true rate is 0.999999:\n")
