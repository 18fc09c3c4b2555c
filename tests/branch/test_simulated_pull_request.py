"""A pull request on real data, from two clones and a bare remote to the comment: what `tools.pull_request` shows.

How many questions repeat is known from two exact algorithms without signatures (tests/data/README.md).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.pull_request import Clone, main_branch, pull_request, questions, repeated


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return pull_request(main_branch(tmp_path_factory.mktemp("pull-request")), "leak")


@pytest.mark.req("B52")
def test_the_comment_says_what_was_done(proposed: Clone) -> None:
    training, held_out = repeated()
    said = proposed.heldout("report", "--base", "origin/main", "--markdown")
    assert f"**{len(held_out)} of the 3,080 examples that `banking77` keeps for evaluation are repeated" in said
    assert f"Newly given away: {len(held_out)} held-out examples" in said
    assert f"`banking77` changed: 1 changed in `test` (held out); {len(training)} added in `train`" in said
    assert "`gsm8k` added: 1,319 examples in `test` (held out); 7,473 examples in `train`" in said
    assert "| **Compared** | completely" in said
    assert "held-out examples of `banking77` change (1 edited): 1 more person has to approve it" in said
    assert len(said.encode()) < 65_536
    shown = [text for split in ("train", "test") for _, text, _ in questions(split) if len(text) > 20 and text in said]
    assert shown == [], "no question of the data is in the comment"


def test_findings_are_those_of_the_truth(proposed: Clone) -> None:
    training, held_out = repeated()
    found = json.loads(proposed.heldout("report", "--base", "origin/main", "--json"))["findings"]["new"]
    assert {hit["held"]["key"] for hit in found} == held_out
    assert {hit["other"]["key"] for hit in found} == training


def test_slices_are_counted_by_hand(proposed: Clone) -> None:
    """Over the questions as published, without those left out at the base, and with the label that is mended."""
    wanted = {"card_arrival", "card_not_working", "lost_or_stolen_card"}
    training, _ = repeated()
    rows = [*questions("train"), *questions("test")]
    before = sum(label in wanted for key, _, label in rows if key not in training)
    after = sum(label in wanted | {"card_swallowed"} for key, _, label in rows if key != "test-0")
    (dataset, _) = json.loads(proposed.heldout("report", "--base", "origin/main", "--json"))["datasets"]
    (cards,) = dataset["slices"]
    assert (cards["before"]["matched"], cards["after"]["matched"]) == (before, after)
    assert len(cards["members"]["entered"]) == sum(label == "card_swallowed" for _, _, label in rows)


def test_the_same_commits_give_the_same_bytes(proposed: Clone, tmp_path: Path) -> None:
    once, again = (proposed.heldout("report", "--base", "origin/main", "--markdown") for _ in range(2))
    assert once == again
