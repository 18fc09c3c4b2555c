"""How Git is run: the only place that decides the environment of a Git process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from heldout.errors import RepositoryError

HOOK_MARK = "HELDOUT_HOOK"
"""Set for every Git process started here, so that our own hooks do not start us again (other hooks still run)."""

_PATHSPEC_SWITCHES = frozenset(
    {"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS", "GIT_PREFIX"}
)

# What `git rev-parse --local-env-vars` prints (2.39 to 2.54). Listed here because asking costs a process for each hook.
LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_QUARANTINE_PATH",
    }
)

NAMES_A_REPOSITORY = LOCAL_VARIABLES - {"GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_PREFIX"}
"""Variables that tie a Git process to one repository. Settings do not: CI images export some for every repository."""

_PATHS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")


def inherited_environment() -> dict[str, str]:
    """For the repository whose hook we are in: its index and its quarantined objects stay visible.

    Git hands relative paths to hooks; they are made absolute because our commands run elsewhere.
    """
    env = _settled({name: value for name, value in os.environ.items() if name not in _PATHSPEC_SWITCHES})
    for name in _PATHS:
        if name in env:
            env[name] = str(Path(env[name]).absolute())
    return env


def foreign_environment() -> dict[str, str]:
    """For any other repository: nothing of the one we may have been called from leaks in."""
    hidden = LOCAL_VARIABLES | _PATHSPEC_SWITCHES
    return _settled({name: value for name, value in os.environ.items() if name not in hidden})


def _settled(env: dict[str, str]) -> dict[str, str]:
    # What a tag freezes is the object that it names, whatever `git replace` shows in its place.
    return env | {
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        HOOK_MARK: "1",
    }


def run_git(
    arguments: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    accept: Sequence[int] = (0,),
    timeout: float | None = None,
) -> tuple[int, bytes]:
    """The exit status and standard output of one Git command.

    Raises RepositoryError: `git-failed` with Git's own words for a status outside `accept`, `git-timeout`, and
    `git-missing` where there is no git to run.
    """
    try:
        done = subprocess.run(
            ["git", *arguments], input=stdin, capture_output=True, cwd=cwd, env=env, timeout=timeout, check=False
        )
    except FileNotFoundError as error:
        raise _cannot_start(cwd) from error
    except subprocess.TimeoutExpired as error:
        raise RepositoryError("git-timeout", f"git {arguments[0]} did not answer in {timeout:g} seconds") from error
    if done.returncode not in accept:
        words = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.returncode}"
        raise RepositoryError("git-failed", f"git {arguments[0]}: {words}")
    return done.returncode, done.stdout


def start_git(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A Git command that is talked to through pipes; what it says on standard error is lost."""
    try:
        return subprocess.Popen(
            ["git", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=env,
        )
    except FileNotFoundError as error:
        raise _cannot_start(cwd) from error


def _cannot_start(cwd: Path) -> RepositoryError:
    if not cwd.is_dir():
        return RepositoryError("not-a-repository", f"{cwd} is no folder")
    return RepositoryError("git-missing", "git is not installed", hint="install git 2.39 or newer")
