"""A repository with a version of each verdict, as an evaluation meets it, and what its rows are.

`support@v1.0.0` is contaminated, `support@v2.0.0` clean, `support@v3.0.0` unknown (it was retired). Their texts are
awkward on purpose: what a harness could take for a template, a file, HTML or a line end has to arrive as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from support.cli import heldout
from support.story import Team

CONTAMINATED, CLEAN, UNKNOWN = "support@v1.0.0", "support@v2.0.0", "support@v3.0.0"
REASON_CONTAMINATED = "support@v1.0.0 is contaminated: 1 held-out example is given away"
REASON_UNKNOWN = "nobody knows whether support@v3.0.0 is clean: it was retired"
SECRET = "Can I pay in two instalments?"
"""The input of the example that is given away: it must stand in no refusal."""

Row = dict[str, Any]

TRAIN: list[Row] = [
    {"id": "1", "question": "Where is my parcel?", "answer": "shipping", "topic": "post", "turns": 1, "labels": ["de"]},
    {"id": "2", "question": SECRET, "answer": "billing", "topic": "money", "turns": 3, "labels": []},
]
GIVEN_AWAY: Row = {
    "id": "2",
    "question": SECRET,
    "answer": "billing",
    "topic": "money",
    "turns": 2,
    "labels": ["de", "new"],
}
TEST: list[Row] = [
    {
        "id": "8",
        "question": "Which countries do you deliver to?",
        "answer": "shipping",
        "topic": "post",
        "turns": 1,
        "labels": ["de"],
    },
    {
        "id": "9",
        "question": "file:///nowhere/at/all.txt {{ topic }} {% if %} {# no #} <b>&amp;</b> 'ü' \"€\"\n",
        "answer": "other {{ x }} <i>",
        "topic": "odd",
        "turns": 2,
        "labels": ["en", "de"],
    },
]
DATASET = """\
format: heldout/dataset@1
name: support
data:
- {path: train.jsonl, split: train}
- {path: test.jsonl, split: test}
fields:
  key: id
  input: question
  expected: answer
  tags: labels
  metadata: {topic: topic, turns: turns}
holdout: [test]
"""
SLICE = """\
format: heldout/slice@1
name: NAME
definition:
  conditions:
  - {subject: metadata, key: topic, operator: eq, value: NAME}
"""


def evaluated_repository(base: Path) -> Path:
    """Made by commands, under `base`; its top."""
    team = Team.start(base)
    team.write("datasets/support/dataset.yaml", DATASET)
    for name in ("post", "nothing"):
        team.write(f"datasets/support/slices/{name}.yaml", SLICE.replace("NAME", name))
    _freeze(team, CONTAMINATED, TRAIN, [GIVEN_AWAY, *TEST])
    _freeze(team, CLEAN, TRAIN, TEST)
    _freeze(team, UNKNOWN, [*TRAIN, {**TRAIN[0], "id": "3", "question": "How do I close my account?"}], TEST)
    assert heldout(team.path, "retire", UNKNOWN, "--reason", "made for nothing").code == 0
    return team.path


def _freeze(team: Team, version: str, train: Iterable[Row], test: Iterable[Row]) -> None:
    for split, rows in (("train", train), ("test", test)):
        (team.path / f"datasets/support/{split}.jsonl").unlink(missing_ok=True)
        team.write(f"datasets/support/{split}.jsonl", "".join(_line(row) for row in rows))
    team.track("datasets/support/train.jsonl", "datasets/support/test.jsonl")
    team.save(version)
    heldout(team.path, "freeze", "support", "--number", version.partition("@")[2])


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
