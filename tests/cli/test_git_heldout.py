"""`git heldout` wherever Git itself works: folders below, linked working trees, -C, --git-dir, aliases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import heldout
from support.git import Repo

TEXTS = [" ".join(f"word{number * 12 + place}" for place in range(12)) for number in range(6)]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A frozen, clean version; a folder below; a branch without the dataset in a linked working tree."""
    repo = Repo.create(tmp_path_factory.mktemp("git-heldout") / "repo")
    assert heldout(repo.path, "init").code == 0
    first = repo.commit("set up")
    repo.write("raw/train.csv", "text\n" + "\n".join(TEXTS[:3]) + "\n")
    repo.write("raw/test.csv", "text\n" + "\n".join(TEXTS[3:]) + "\n")
    ran = heldout(repo.path, "add", "support", "raw/train.csv", "raw/test.csv", "--holdout", "test")
    assert ran.code == 0, ran.err
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "support")
    repo.git("tag", "-m", "first", "support@v1.0.0")
    repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / "linked"), "HEAD")
    repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / "before"), first)
    repo.git("config", "alias.ho", "heldout")
    repo.git("config", "alias.hos", "!heldout")
    return repo


def names(output: str) -> list[str]:
    return [item["name"] for item in json.loads(output)["datasets"]]


def status(repo: Repo, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> list[str]:
    done = repo.run(*arguments, "status", "--json", cwd=cwd, env=env)
    assert done.returncode == 0, done.stderr
    return names(done.stdout)


@pytest.mark.parametrize("folder", [".", "datasets", "datasets/support", "raw"])
def test_in_a_folder_below(repo: Repo, folder: str) -> None:
    assert status(repo, "heldout", cwd=repo.path / folder) == ["support"]
    gate = repo.run("heldout", "gate", "support@v1.0.0", cwd=repo.path / folder)
    assert (gate.returncode, gate.stdout.splitlines()[0]) == (0, "support@v1.0.0: clean")


def test_with_C(repo: Repo, tmp_path: Path) -> None:  # noqa: N802
    assert status(repo, "-C", str(repo.path / "datasets"), "heldout", cwd=tmp_path) == ["support"]
    done = repo.run("-C", str(repo.path / "raw"), "heldout", "check", "train.csv", "test.csv", cwd=tmp_path)
    assert done.returncode == 0, "files are named from the folder that -C goes to"


def test_in_a_linked_working_tree(repo: Repo) -> None:
    """Versions and records are those of the repository; the working copy and HEAD are its own."""
    linked, before = repo.path.parent / "linked", repo.path.parent / "before"
    assert status(repo, "heldout", cwd=linked / "datasets") == ["support"]
    gate = repo.run("heldout", "gate", "support@v1.0.0", cwd=before)
    assert gate.returncode == 0, gate.stdout + gate.stderr
    shown = json.loads(repo.run("heldout", "status", "--json", cwd=before).stdout)["datasets"][0]
    assert (shown["head"], len(shown["versions"])) == (None, 1)


def test_with_a_named_git_dir_and_work_tree(repo: Repo, tmp_path: Path) -> None:
    named = (f"--git-dir={repo.path / '.git'}", f"--work-tree={repo.path}")
    assert status(repo, *named, "heldout", cwd=tmp_path) == ["support"]
    env = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    assert status(repo, "heldout", cwd=tmp_path, env=env) == ["support"]
    relative = {"GIT_DIR": ".git", "GIT_WORK_TREE": "."}
    assert status(repo, "heldout", cwd=repo.path, env=relative) == ["support"]


@pytest.mark.parametrize("alias", ["ho", "hos"])
def test_as_an_alias(repo: Repo, alias: str) -> None:
    """Git sets GIT_PREFIX then, and runs one with ! from the top of the working tree."""
    assert status(repo, alias, cwd=repo.path / "datasets/support") == ["support"]
    assert repo.run(alias, "gate", "support@v1.0.0", cwd=repo.path / "raw").returncode == 0


def test_files_of_an_alias_with_a_shell(repo: Repo) -> None:
    """What the documents say to write, so that files are named from where a person is."""
    done = repo.run(
        "-c",
        "alias.hc=!cd -- ${GIT_PREFIX:-.} && heldout",
        "hc",
        "check",
        "train.csv",
        "test.csv",
        cwd=repo.path / "raw",
    )
    assert done.returncode == 0, done.stderr


def test_outside_it_says_so(tmp_path: Path) -> None:
    done = Repo(tmp_path).run("heldout", "status")
    assert done.returncode == 2
    assert "[not-a-repository]" in done.stderr
