"""A small repository with a remote, two datasets and hand-made DVC data, built once and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.dvc import dvc_repository
from support.git import Repo
from support.story import rows
from support.twins import QuickTeam, Twins

from heldout.services.hooking.install import uninstall

TRAIN = rows("t", 6)
TEST = rows("h", 3)
NOTES = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture(scope="session")
def safety_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`work` on main, pushed to `origin.git`: datasets a and b with their records, notes.txt, no hook installed."""
    base = tmp_path_factory.mktemp("safety")
    Repo.create_bare(base / "origin.git")
    team = QuickTeam(dvc_repository(base / "work"))
    team.write(".gitattributes", "datasets/**/scans/** -text\n")
    team.write(".gitignore", "/.heldout/\n")
    team.write("notes.txt", NOTES)
    team.git("add", "--all")
    team.git("commit", "-q", "-m", "Notes")
    team.install()
    for name in ("a", "b"):
        team.dataset(name, train={key + name: text + name for key, text in TRAIN.items()}, test=TEST)
        team.git("commit", "-q", "-m", f"Add {name}")
    team.git("remote", "add", "origin", "../origin.git")
    team.bypass("push", "-q", "-u", "origin", "main")
    uninstall(team.door)
    for hook in (team.path / ".git/hooks").iterdir():  # Git's samples
        hook.unlink()
    return base


@pytest.fixture
def twins(safety_template: Path, tmp_path: Path) -> Twins:
    return Twins.copied(safety_template, tmp_path)


@pytest.fixture
def unborn(tmp_path: Path) -> Twins:
    """A repository without a commit."""
    team = QuickTeam.create(tmp_path / "template/work")
    team.write(".dvc/config", "[core]\n    analytics = false\n")
    team.write(".dvc/.gitignore", "/tmp\n/cache\n")
    team.write(".gitignore", "/.heldout/\n")
    found = Twins.copied(tmp_path / "template", tmp_path)
    shutil.rmtree(tmp_path / "template")
    return found
