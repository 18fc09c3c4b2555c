"""Real Git repositories for tests. Home, configuration and clock are those that conftest sets for the session."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from heldout.services.hooking.install import HOOKS
from heldout.storage.git import Git

NO_CONFIGURED_HOOKS = tuple(part for name in HOOKS for part in ("-c", f"hook.heldout-{name}.enabled=false"))
"""Git 2.54 and newer run ours by its configuration, whatever the folder of hooks."""


@dataclass(frozen=True)
class Repo:
    """A working tree and the commands a person would type in it."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> Repo:
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q")
        return repo

    @classmethod
    def create_bare(cls, path: Path) -> Repo:
        path.mkdir(parents=True, exist_ok=True)
        repo = cls(path)
        repo.git("init", "-q", "--bare")
        return repo

    @property
    def door(self) -> Git:
        """Heldout's own view of the repository."""
        return Git.discover(self.path)

    def run(
        self, *arguments: str, stdin: str = "", cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A Git command, whatever its exit status."""
        return subprocess.run(
            ["git", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd or self.path,
            env={**os.environ, **(env or {})},
            check=False,
        )

    def git(self, *arguments: str, stdin: str = "") -> str:
        """A Git command that has to work; its output without the last newline."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout.rstrip("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def add(self, path: str, content: str | bytes) -> None:
        self.write(path, content)
        self.git("add", "--sparse", "--", path)

    def commit(self, message: str = "work", **files: str) -> str:
        """Commit what is staged (an empty commit too); the new commit's id. Use `add` first for paths with slashes."""
        for path, content in files.items():
            self.add(path, content)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def pointer(self, name: str, version: str) -> str:
        """Stage a DVC pointer under datasets/ as `dvc add` writes it, without data behind it; its path."""
        md5 = hashlib.md5(version.encode(), usedforsecurity=False).hexdigest()
        path = f"datasets/{name}/{name}.csv.dvc"
        self.add(path, f"outs:\n- md5: {md5}\n  size: {len(version)}\n  hash: md5\n  path: {name}.csv\n")
        return path

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def show(self, spec: str) -> str:
        return self.git("show", spec)

    def status(self) -> list[str]:
        return self.git("status", "--porcelain", "--untracked-files=all").splitlines()

    def files(self, treeish: str = "HEAD") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", treeish).splitlines()

    def bypass(self, *arguments: str) -> str:
        """A Git command with every hook off, as another tool or another machine would do it."""
        return self.git("-c", "core.hooksPath=/dev/null", *NO_CONFIGURED_HOOKS, *arguments)

    def hook(self, name: str, script: str, mode: int = 0o755) -> Path:
        """Put a hook of the user's own into place."""
        file = self.write(f".git/hooks/{name}", script)
        file.chmod(mode)
        return file


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, as a hook does in the top of its repository."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
