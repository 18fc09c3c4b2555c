"""`heldout init` against real Git and DVC: what it sets up, what it asks for, and that it can be run again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.cli import heldout, snapshot
from support.git import Repo

from heldout.services.hooking.install import HOOKS


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, str]:
    repo = Repo.create(tmp_path_factory.mktemp("init") / "repo")
    repo.write(".gitignore", "build/\r\n")
    repo.git("remote", "add", "origin", "nowhere")
    ran = heldout(repo.path, "init")
    assert ran.code == 0, ran.err
    return repo, ran.out


def test_it_says_what_it_did_and_what_is_next(fresh: tuple[Repo, str]) -> None:
    _, said = fresh
    assert "+ set up DVC (dvc init), which staged .dvc/.gitignore, .dvc/config, .dvcignore" in said
    assert "+ hooks in .git/hooks installed: pre-commit," in said
    assert "+ added to .gitattributes: datasets/**/scans/** -text" in said
    assert "+ added to .gitignore: /.heldout/" in said
    assert "heldout add NAME train.csv test.csv" in said


def test_only_what_dvc_staged_is_staged(fresh: tuple[Repo, str]) -> None:
    repo, _ = fresh
    staged = [line[3:] for line in repo.status() if line.startswith("A")]
    assert staged == [".dvc/.gitignore", ".dvc/config", ".dvcignore"]


def test_hooks_start_this_interpreter(fresh: tuple[Repo, str]) -> None:
    repo, _ = fresh
    for name in HOOKS:
        assert sys.executable in (repo.path / ".git/hooks" / name).read_text()


def test_a_file_keeps_its_line_ends(fresh: tuple[Repo, str]) -> None:
    repo, _ = fresh
    assert (repo.path / ".gitignore").read_bytes() == b"build/\r\n/.heldout/\r\n"
    assert repo.run("check-ignore", "-q", ".heldout/cache").returncode == 0


def test_fetching_tags_is_set_by_consent_only(fresh: tuple[Repo, str], tmp_path: Path) -> None:
    repo, said = fresh
    assert "- fetches from origin may miss version tags (heldout init --yes" in said
    assert repo.run("config", "remote.origin.tagOpt").returncode == 1
    repo.git("clone", "-q", "--no-hardlinks", str(repo.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    assert heldout(clone.path, "init", "--yes").code == 0
    assert clone.git("config", "remote.origin.tagOpt") == "--tags"


def test_again_changes_nothing_and_says_so(fresh: tuple[Repo, str]) -> None:
    repo, _ = fresh
    before = snapshot(repo.path), repo.status()
    ran = heldout(repo.path, "init", "--json")
    assert ran.code == 0
    assert {step["state"] for step in ran.json["steps"]} == {"already", "left_out"}
    assert (snapshot(repo.path), repo.status()) == before


def test_rules_spelt_otherwise_are_recognised(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write(".gitattributes", "* -text\n")
    repo.write(".gitignore", ".held*\n")
    assert heldout(repo.path, "init", "--no-tag-hook").code == 0
    assert (repo.path / ".gitattributes").read_text() == "* -text\n"
    assert (repo.path / ".gitignore").read_text() == ".held*\n"
    assert not (repo.path / ".git/hooks/reference-transaction").exists()


def test_no_repository_is_never_made(tmp_path: Path) -> None:
    ran = heldout(tmp_path, "init")
    assert ran.code == 2
    assert "not inside a Git repository [not-a-repository]" in ran.err
    assert "git init, then heldout init" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    repo = Repo.create_bare(tmp_path / "bare.git")
    ran = heldout(repo.path, "init")
    assert ran.code == 2
    assert "[no-working-copy]" in ran.err


def test_hooks_outside_of_the_repository_need_consent(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.git("config", "core.hooksPath", str(tmp_path / "everywhere"))
    (tmp_path / "everywhere").mkdir()
    assert "- no hooks: core.hooksPath is" in heldout(repo.path, "init").out
    assert list((tmp_path / "everywhere").iterdir()) == []
    assert heldout(repo.path, "init", "--yes").code == 0
    assert (tmp_path / "everywhere/pre-push").exists()
