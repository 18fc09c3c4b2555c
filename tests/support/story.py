"""A team's repository for end-to-end tests: real Git with our hooks, real DVC, data whose overlaps are known by hand.

Only the command line is used, as a person would. Every text is made of words that no other one shares, so that two
examples overlap exactly where a test makes them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.dvc import dvc_repository
from support.git import Repo, inside
from support.schemas import require_schema

from heldout.cli.app import invoke
from heldout.services.hooking.install import install

Split = Mapping[str, str]
"""Text by key."""


def sentence(name: str) -> str:
    """Nine words of seven letters: 71 characters, 67 shingles, none of them in another name's sentence."""
    digits = hashlib.sha256(name.encode()).hexdigest()
    return " ".join(digits[at : at + 7] for at in range(0, 63, 7))


def nearly(name: str) -> str:
    """That sentence with another last letter: 66 of 68 shingles are shared, a similarity of 33/34."""
    return sentence(name)[:-1] + "x"


def around(name: str) -> str:
    """A text that holds the sentence whole and goes on: contained, and far from near (67 of 139 shingles)."""
    return f"{sentence(name)} {sentence(name + ' and more')}"


def rows(prefix: str, count: int) -> dict[str, str]:
    """Examples without any overlap."""
    return {f"{prefix}{number}": sentence(f"{prefix}{number}") for number in range(count)}


@dataclass(frozen=True)
class Run:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __str__(self) -> str:
        return f"exit {self.code}\n{self.out}{self.err}"


@dataclass(frozen=True)
class Team(Repo):
    """One person's clone. Its remote `origin` and its DVC remote are named by relative paths: whole folders of clones
    can be copied."""

    @classmethod
    def start(cls, base: Path) -> Team:
        """`base/work` with hooks, and `base/origin.git` that has its first commit."""
        Repo.create_bare(base / "origin.git")
        team = cls(dvc_repository(base / "work"))
        with (team.path / ".dvc/config").open("a") as config:
            config.write("    remote = store\n['remote \"store\"']\n    url = ../../store\n")
        team.git("commit", "-q", "-a", "-m", "Keep data in a store")
        team.git("remote", "add", "origin", "../origin.git")
        team.git("push", "-q", "-u", "origin", "main")
        team.install()
        return team

    def install(self) -> None:
        install(self.door, sys.executable)

    def clone(self, name: str, *options: str) -> Team:
        """A colleague's clone of origin, hooks installed."""
        place = self.path.parent / name
        # as a URL: Git ignores --depth for a plain path
        self.git("clone", "-q", *options, (self.path.parent / "origin.git").as_uri(), str(place))
        other = type(self)(place)
        other.install()
        return other

    def heldout(self, *arguments: str, env: Mapping[str, str] | None = None) -> Run:
        done = subprocess.run(
            [sys.executable, "-m", "heldout", *arguments],
            cwd=self.path,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        require_schema(arguments, done.stdout)
        return Run(done.returncode, done.stdout, done.stderr)

    def succeeds(self, *arguments: str) -> Run:
        done = self.heldout(*arguments)
        assert done.code == 0, f"heldout {' '.join(arguments)}: {done}"
        return done

    def gate(self, subject: str) -> int:
        return self._ask(subject).code

    def answer(self, subject: str) -> Any:
        return self._ask(subject).json

    def _ask(self, subject: str) -> Run:
        """`heldout gate --json` in this process: stories ask often, and starting Python takes longer than answering."""
        out = io.StringIO()
        with inside(self.path), contextlib.redirect_stdout(out):
            code = invoke(["gate", subject, "--json"])
        require_schema(["--json"], out.getvalue())
        return Run(code, out.getvalue(), "")

    def dataset(
        self, name: str, *, holdout: Iterable[str] | None = ("test",), extra: str = "", **splits: Split
    ) -> None:
        """Write a dataset, `dvc add` its files and stage all of it."""
        folder = f"datasets/{name}"
        lines = ["format: heldout/dataset@1", f"name: {name}", "data:"]
        lines += [f"  - {{path: {split}.csv, split: {split}}}" for split in splits]
        lines += ["fields: {key: id, input: text}"]
        if holdout is not None:
            lines += [f"holdout: [{', '.join(holdout)}]"]
        self.write(f"{folder}/dataset.yaml", "\n".join([*lines, extra]) + "\n")
        for split, examples in splits.items():
            self.write(f"{folder}/{split}.csv", csv(examples))
        self.track(*(f"{folder}/{split}.csv" for split in splits))

    def track(self, *paths: str) -> None:
        """`dvc add`, in this process because importing DVC takes most of a second."""
        from dvc.repo import Repo as Dvc

        with Dvc(str(self.path)) as dvc, contextlib.redirect_stdout(io.StringIO()):
            dvc.add([str(self.path / path) for path in paths])
        self.git("add", "--all", "datasets")

    def push_data(self) -> None:
        from dvc.repo import Repo as Dvc

        # DVC resolves the committed relative path from the root of the file system when it reads other commits.
        store = str((self.path.parent / "store").resolve())
        with Dvc(str(self.path), config={"remote": {"store": {"url": store}}}) as dvc:
            dvc.push(all_commits=True)

    def save(self, message: str = "work", *options: str) -> str:
        """`git commit` as a person types it; what the hooks said."""
        done = self.run("commit", "-q", "-m", message, *options)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def push(self, *refs: str) -> Run:
        done = self.run("push", "origin", *refs)
        return Run(done.returncode, done.stdout, done.stderr)

    def records(self, treeish: str = "HEAD", dataset: str = "") -> list[str]:
        """Paths of the scan records of a commit."""
        return [
            path
            for path in self.files(treeish)
            if path.startswith(f"datasets/{dataset}") and "/scans/" in path and path.endswith("/scan.yaml")
        ]

    def on_remote(self, ref: str) -> bool:
        return bool(self.git("ls-remote", "origin", ref))


def csv(examples: Split) -> str:
    return "id,text\n" + "".join(f"{key},{text}\n" for key, text in examples.items())
