"""Two clones of a repository with a sealed holdout; one may read the inputs, one may not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.sealing import TRAIN, add_chat, seal
from support.story import Team, csv


@pytest.fixture(scope="session")
def sealed_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("sealed")
    owner = Team.start(base)
    seal(owner)
    made = owner.succeeds("signatures", "export", "faq")
    assert "signatures: signatures.parquet" in (owner.path / "datasets/faq/dataset.yaml").read_text(), made
    owner.git("add", "--all", "datasets")
    owner.save("Publish signatures of faq")
    owner.git("tag", "-a", "-m", "first", "faq@v1.0.0")
    owner.push_data()
    assert owner.push("main", "faq@v1.0.0").code == 0
    builder = owner.clone("builder")
    (base / "private").rename(base / "locked")
    add_chat(builder)
    return base


@pytest.fixture
def base(sealed_template: Path, tmp_path: Path) -> Path:
    shutil.copytree(sealed_template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def owner(base: Path) -> Team:
    """Whoever may read everything."""
    return Team(base / "work")


@pytest.fixture
def builder(base: Path) -> Team:
    """A clone whose machine cannot reach the private remote, with the training set committed."""
    return Team(base / "builder")


@pytest.fixture
def train_file(tmp_path: Path) -> Path:
    file = tmp_path / "train.csv"
    file.write_text(csv(TRAIN))
    return file
