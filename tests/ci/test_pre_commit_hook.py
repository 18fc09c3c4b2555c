"""The hooks of .pre-commit-hooks.yaml, by real pre-commit, in a repository without Heldout's own Git hooks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from story.conftest import CLEAN_TEST, TRAIN
from support.git import Repo
from support.story import Team, rows

ROOT = Path(__file__).resolve().parents[2]


def manifest(folder: Path) -> Repo:
    """A repository that has the manifest and nothing else: `language: system` installs nothing of it."""
    repo = Repo.create(folder)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", folder)
    repo.git("add", "--all")
    repo.commit("Hooks")
    return repo


def pre_commit(team: Team, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments], cwd=team.path, capture_output=True, text=True, check=False
    )


def test_try_repo_scans_what_is_staged_and_adds_the_record(clean: Team, tmp_path: Path) -> None:
    hooks = manifest(tmp_path / "hooks")
    clean.dataset("support", train={**TRAIN, **rows("n", 1)}, test=CLEAN_TEST)
    clean.write("notes.txt", "not staged")
    done = pre_commit(clean, "try-repo", str(hooks.path), "heldout", "--verbose")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "heldout (what is staged)" in done.stdout
    assert "Passed" in done.stdout
    staged = clean.git("diff", "--cached", "--name-only").splitlines()
    assert [path.rpartition("/")[2] for path in staged if "/scans/" in path] == ["findings.jsonl", "scan.yaml"]


def test_a_commit_runs_the_hook_and_brings_its_record(clean: Team, tmp_path: Path) -> None:
    """pre-commit's own Git hook instead of ours. It fails a hook that changes staged files; ours only adds some."""
    hooks = manifest(tmp_path / "hooks")
    clean.succeeds("hooks", "uninstall")
    config = (
        f"repos:\n- repo: {hooks.path}\n  rev: {hooks.head()}\n  hooks: [{{id: heldout}}, {{id: heldout-verify}}]\n"
    )
    clean.add(".pre-commit-config.yaml", config)
    clean.git("commit", "-q", "-m", "Use pre-commit")
    assert pre_commit(clean, "install", "-t", "pre-commit", "-t", "pre-push").returncode == 0
    before = clean.records()
    clean.dataset("support", train={**TRAIN, "copy": CLEAN_TEST["h1"]}, test=CLEAN_TEST)
    clean.git("commit", "-q", "-m", "Leak")
    assert len(clean.records()) == len(before) + 1

    pushed = clean.run("push", "-q", "origin", "HEAD:work")
    assert pushed.returncode != 0, "verify refuses what gives a holdout away"
    assert "1 held-out example is given away" in pushed.stdout + pushed.stderr


def test_other_hooks_are_not_run_by_others(clean: Team) -> None:
    done = clean.heldout("hooks", "run", "pre-push")
    assert done.code == 2
    assert "[bad-hook]" in done.err
