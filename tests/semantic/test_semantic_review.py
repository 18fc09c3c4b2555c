"""Paraphrase candidates of a dataset are decided like other findings. The model is a stand-in: first words count."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from story.conftest import copy, empty_template  # noqa: F401
from support.cli import heldout
from support.story import Team

from heldout.storage import embedding


class FirstWord:
    """Texts with one first word point the same way, all others do not."""

    name, digest = "first-word", "sha256:" + "0" * 64

    def embed(self, texts: Sequence[str], done: Callable[[int], None]) -> Any:
        vectors = np.zeros((len(texts), 256), np.float32)
        for number, text in enumerate(texts):
            vectors[number, hashlib.sha256(text.split()[0].encode()).digest()[0]] = 1
        done(len(texts))
        return embedding.Embedded(vectors, 0)


@pytest.fixture
def team(empty_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:  # noqa: F811
    monkeypatch.setattr(embedding, "load_embedder", lambda _: FirstWord())
    team = copy(empty_template, tmp_path)
    team.dataset("support", train={"t": "money back please"}, test={"h": "money returned to me", "o": "other words"})
    team.save("Add support")
    return team


def queue(team: Team) -> Any:
    ran = heldout(team.path, "semantic", "support", "--json")
    assert ran.code == 0, ran.err
    return ran.json


@pytest.mark.req("D58")
def test_a_candidate_is_accepted_by_one_person_until_a_text_changes(team: Team) -> None:
    (item,) = queue(team)["candidates"]
    assert (item["held"]["key"], item["other"]["key"], item["review"]) == ("h", "t", None)
    unnamed = heldout(team.path, "review", "accept", item["id"], "--reason", "another question")
    assert (unnamed.code, "[unknown-finding]" in unnamed.err) == (2, True)  # a model is asked where a subject is named
    done = heldout(team.path, "review", "accept", item["id"], "support", "--reason", "another question", "--commit")
    assert done.code == 0, done.err
    found = queue(team)
    assert (found["accepted"], found["candidates"][0]["review"]["reason"]) == (1, "another question")
    assert "accepted: another question" in heldout(team.path, "semantic", "support").out
    listed = heldout(team.path, "review", "list", "--json").json["reviews"]
    assert [(row["finding"], row["standing"]) for row in listed] == [(item["id"], "accepted")]
    team.dataset("support", train={"t": "money back now"}, test={"h": "money returned to me", "o": "other words"})
    team.save("Another text")
    (item,) = queue(team)["candidates"]
    assert item["review"] is None
