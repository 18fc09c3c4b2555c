"""A repository with our hooks installed, whose interpreter is a recorder."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.git import Repo
from support.recorder import Recorder

from heldout.services.hooking.install import install


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder.create(tmp_path / "recorder")


@pytest.fixture
def repo(tmp_path: Path, recorder: Recorder) -> Repo:
    """One commit without datasets, a remote `origin` that has it, and hooks."""
    repo = Repo.create(tmp_path / "repo")
    repo.commit("start", readme="r")
    bare = Repo.create_bare(tmp_path / "origin.git")
    repo.git("remote", "add", "origin", str(bare.path))
    repo.git("push", "-q", "-u", "origin", "main")
    # As files, which every Git runs; tests/safety has those of Git's configuration.
    install(repo.door, str(recorder.path), configured=False)
    return repo
