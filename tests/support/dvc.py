"""Repositories with real DVC for tests: DVC's own library and command line, never ours, make the state to be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def git(top: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def dvc(top: Path, *arguments: str) -> None:
    """About a second each: DVC's import."""
    subprocess.run([sys.executable, "-m", "dvc", "-q", *arguments], cwd=top, check=True, capture_output=True)


def dvc_repository(top: Path) -> Path:
    """A Git repository with DVC that needs no `dvc init`: the three files are all it writes."""
    top.mkdir(parents=True)
    git(top, "init", "-q")
    (top / ".dvc").mkdir()
    (top / ".dvc/config").write_text("[core]\n    analytics = false\n    check_update = false\n")
    (top / ".dvc/.gitignore").write_text("/config.local\n/tmp\n/cache\n")
    (top / ".dvcignore").write_text("")
    commit(top, "Start")
    return top


def write(top: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def commit(top: Path, message: str) -> str:
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", message)
    return git(top, "rev-parse", "HEAD")
