"""The stage of the demo: a folder with the bundled data, and an environment in which only it matters.

The commands are real ones, run by a real shell. What could make them differ from one machine to the next (the user's
and the system's Git and DVC settings, hooks and templates, identity, clock, language) is left outside.
"""

from __future__ import annotations

import gzip
import os
import shlex
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from heldout.errors import RepositoryError, UsageError

TEAM, REMOTE = "team", "remote.git"
WIDTH = 100
"""Columns that the commands may use."""

_FILES = ("train.csv", "test.csv")
_PROGRAMS = {"heldout": "-P -m heldout", "dvc": "-P -m dvc", "python": ""}
_FOREIGN = ("GIT_", "DVC_", "HELDOUT_", "XDG_", "LC_", "PYTEST_")
_GIT_CONFIG = """\
[user]
	name = Demo
	email = demo@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
"""
_DATE = "2026-01-01T12:00:00+00:00"

_DROP_LEAKED = """\
import csv, json, sys
from heldout.domain.canonical import digest

leaked = {finding["held"]["input"] for finding in json.load(sys.stdin)["findings"]}
with open("datasets/banking77/test.csv", newline="", encoding="utf-8") as file:
    header, *rows = csv.reader(file)
kept = [row for row in rows if digest(row[0]) not in leaked]
with open("datasets/banking77/test.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([header, *kept])
print(f"{len(rows) - len(kept)} of {len(rows)} questions removed")
"""


@dataclass(frozen=True, slots=True)
class Stage:
    """`folder` holds everything; commands run in the team's repository inside it, at home in `home`."""

    folder: Path
    home: Path
    environment: Mapping[str, str]

    def run(self, command: str, on_line: Callable[[str], None]) -> int:
        """Run a command line in a shell, give away each line (both streams) as it comes, and return the status."""
        process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=self.folder / TEAM,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                on_line(line.rstrip("\n"))
        return process.returncode

    def tidy(self) -> None:
        """Leave only what the story made; after a story that broke, the home's logs are worth keeping."""
        shutil.rmtree(self.home)


def set_up(folder: Path | None) -> Stage:
    """A stage in `folder`, by default in a new temporary one.

    Raises UsageError (slug folder-not-empty); RepositoryError (slug git-missing).
    """
    if shutil.which("git") is None:
        raise RepositoryError("git-missing", "git is not installed", hint="install git 2.39 or newer")
    place = _new_folder(folder)
    (place / TEAM).mkdir()
    for name in _FILES:
        packed = resources.files("heldout.demo_data").joinpath(f"{name}.gz").read_bytes()
        (place / name).write_bytes(gzip.decompress(packed))
    (place / "drop_leaked.py").write_text(_DROP_LEAKED, encoding="utf-8")
    home = place / ".home"
    home.mkdir()
    return Stage(place, home, _environment(home))


def _new_folder(wanted: Path | None) -> Path:
    if wanted is None:
        return Path(tempfile.mkdtemp(prefix="heldout-demo-")).resolve()
    taken = not wanted.is_dir() or any(wanted.iterdir()) if os.path.lexists(wanted) else False
    if taken:
        raise UsageError(
            "folder-not-empty", f"{wanted} is there already", hint="name a folder that is new or empty, or none at all"
        )
    wanted.mkdir(parents=True, exist_ok=True)
    return wanted.resolve()


def _environment(home: Path) -> dict[str, str]:
    """What is needed of the user's environment to find programs and libraries, and settings of our own for the rest."""
    config = home / "gitconfig"
    config.write_text(_GIT_CONFIG, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    dvc = {f"DVC_{kind}_DIR": str(home / kind.lower()) for kind in ("GLOBAL_CONFIG", "SYSTEM_CONFIG", "SITE_CACHE")}
    return (
        kept
        | dvc
        | {
            "HOME": str(home),
            "PYTHONUSERBASE": os.environ.get("PYTHONUSERBASE", site.getuserbase()),  # it would follow HOME
            "PATH": os.pathsep.join([str(_programs(home / "bin")), os.environ.get("PATH", os.defpath)]),
            "GIT_CONFIG_GLOBAL": str(config),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": _DATE,
            "GIT_COMMITTER_DATE": _DATE,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_EDITOR": "true",
            "DVC_NO_ANALYTICS": "1",
            "LC_ALL": "C",
            "PYTHONUTF8": "1",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "COLUMNS": str(WIDTH),
        }
    )


def _programs(folder: Path) -> Path:
    """This very installation under the names that people type, whatever is on their PATH."""
    folder.mkdir()
    for name, arguments in _PROGRAMS.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return folder
