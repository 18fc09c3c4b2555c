"""Where the stories start: repositories that are built once and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.story import Team, around, nearly, rows, sentence

TRAIN = rows("t", 20)
TEST = {**rows("h", 8), "copied": sentence("t1"), "close": nearly("t2")}
"""Two held-out examples are given away by training ones: `copied` by t1, exactly, and `close` by t2."""
CLEAN_TEST = {**rows("h", 8), "longer": around("t5")}
"""Nothing is given away; `longer` holds a training text whole, which is for people to look at and blocks nothing."""


def copy(template: Path, target: Path) -> Team:
    shutil.copytree(template, target, symlinks=True, dirs_exist_ok=True)
    return Team(target / "work")


@pytest.fixture(scope="session")
def empty_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("empty")
    Team.start(base)
    return base


@pytest.fixture(scope="session")
def leaky_template(empty_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("leaky")
    team = copy(empty_template, base)
    team.dataset("support", train=TRAIN, test=TEST)
    team.save("Add support")
    return base


@pytest.fixture(scope="session")
def clean_template(empty_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("clean")
    team = copy(empty_template, base)
    team.dataset("support", train=TRAIN, test=CLEAN_TEST)
    team.save("Add support")
    team.push_data()
    team.git("tag", "-a", "support@v1.0.0", "-m", "first")
    pushed = team.push("main", "support@v1.0.0")
    assert pushed.code == 0, str(pushed)
    return base


@pytest.fixture
def empty(empty_template: Path, tmp_path: Path) -> Team:
    """Git, DVC, hooks and a remote; no dataset."""
    return copy(empty_template, tmp_path)


@pytest.fixture
def leaky(leaky_template: Path, tmp_path: Path) -> Team:
    """The dataset `support`, committed and not frozen, two of whose ten held-out examples are given away."""
    return copy(leaky_template, tmp_path)


@pytest.fixture
def clean(clean_template: Path, tmp_path: Path) -> Team:
    """support@v1.0.0 frozen, clean and pushed, data included."""
    return copy(clean_template, tmp_path)
