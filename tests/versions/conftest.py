"""One repository with two versions that differ in every way a diff knows, built once and only read by most tests."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.story import Team, around, nearly, rows, sentence

Labelled = Mapping[str, tuple[str, str]]
"""Text and label by key."""

YAML = """\
format: heldout/dataset@1
name: support
description: Questions of customers
role: regression
data:
  - {path: train.csv, split: train}
  - {path: test.csv, split: test}
fields: {key: id, input: text, expected: label}
holdout: [test]
"""


def labelled(texts: Mapping[str, str], label: str = "yes") -> dict[str, tuple[str, str]]:
    return {key: (text, label) for key, text in texts.items()}


TRAIN = labelled({**rows("t", 12), "wide": around("h0")})
GIVEN_AWAY = labelled({"copied": sentence("t1"), "close": nearly("t2")})
TEST = labelled(rows("h", 5)) | GIVEN_AWAY
"""`copied` and `close` are given away by t1 and t2; h0 stands inside the training example `wide`."""

NEXT_TRAIN = {key: row for key, row in TRAIN.items() if key != "t4"} | GIVEN_AWAY | labelled({"new": sentence("new")})
NEXT_TRAIN["t5"] = (sentence("t5 again"), "yes")
NEXT_TRAIN["t6"] = (NEXT_TRAIN["t6"][0], "no")
NEXT_TEST = labelled(rows("h", 5))
"""One added (new), one removed (t4), two changed (t5, t6), one of them relabelled (t6), two moved (the copies)."""


def write_support(team: Team, train: Labelled, test: Labelled) -> None:
    team.write("datasets/support/dataset.yaml", YAML)
    for split, examples in (("train", train), ("test", test)):
        lines = [f"{key},{text},{label}" for key, (text, label) in examples.items()]
        team.write(f"datasets/support/{split}.csv", "\n".join(["id,text,label", *lines]) + "\n")
    team.track("datasets/support/train.csv", "datasets/support/test.csv")


@pytest.fixture(scope="session")
def _versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("versions")
    team = Team.start(base)
    write_support(team, TRAIN, TEST)
    team.save("Add support")
    team.git("tag", "-a", "support@v1.0.0", "-m", "first")
    write_support(team, NEXT_TRAIN, NEXT_TEST)
    team.save("Mend support")
    team.git("tag", "support@v2.0.0")
    team.push_data()
    return base


@pytest.fixture(scope="session")
def versions(_versions: Path) -> Team:
    """support@v1.0.0, contaminated and annotated, and v2.0.0, clean and lightweight. Only for reading."""
    return Team(_versions / "work")


@pytest.fixture
def own(_versions: Path, tmp_path: Path) -> Team:
    """A copy to change."""
    shutil.copytree(_versions, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Team(tmp_path / "work")
