"""Hooks by Git's configuration (`hook.NAME.event` and `hook.NAME.command`, git 2.54 and newer).

Nobody's hook file is in our way then, and ours in nobody's: `dvc install`, pre-commit and husky find the folder as they
left it, and core.hooksPath does not matter. By Git's documentation (git-hook, git-config) configured hooks run in the
order of their `event` lines, before the one in the hooks folder; `command` is an executable or a line for the shell,
given the arguments and standard input of the hook; `hook.NAME.enabled=false` switches one off.

Older Git does not know these settings and would run nothing, so the choice is made by the version of Git that is here
when hooks are installed, and the other way of installing is undone.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from heldout.storage.git import Git

FIRST_VERSION = (2, 54)
_PREFIX = "heldout-"
_FOLDER = "heldout/hooks"


def version_of(git: Git) -> tuple[int, int]:
    """(major, minor); (0, 0) where Git's answer is none that we know."""
    found = re.search(r"(\d+)\.(\d+)", git.line("--version") or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def runs_configured_hooks(version: tuple[int, int]) -> bool:
    """The one place that knows which Git reads hooks from its configuration."""
    return version >= FIRST_VERSION


def folder(git: Git) -> Path:
    """Where the scripts lie that the configuration names; shared by linked worktrees, as the configuration is."""
    return git.common_dir / _FOLDER


def command(event: str, script: Path) -> str:
    """The shell line for one hook. Git appends the hook's arguments to it.

    `exec`, so that the script's parent is Git itself, whose command line says whether a tag is being made. Where the
    repository has moved, the script is looked for again; one that is gone must not stop the user's commit, and is no
    word in each of the hundreds of calls for references.
    """
    said = (
        ""
        if event == "reference-transaction"
        else f"echo 'heldout: nothing was checked, {event} is gone. Repair with: heldout init' >&2; "
    )
    moved = f'"$(git rev-parse --path-format=absolute --git-common-dir)"/{_FOLDER}/{event}'
    return (
        f'heldout={shlex.quote(str(script))}; [ -x "$heldout" ] || heldout={moved}; '
        f'[ -x "$heldout" ] || {{ {said}exit 0; }}; exec "$heldout"'
    )


def is_set(git: Git, event: str) -> bool:
    """Whether Git would run ours, exactly as `enable` says it."""
    key = f"hook.{_PREFIX}{event}"
    wanted = command(event, folder(git) / event)
    switched_off = git.line("config", "--type=bool", "--get", f"{key}.enabled") == "false"
    return not switched_off and git.config_get(f"{key}.command") == wanted and git.config_get(f"{key}.event") == event


def enable(git: Git, event: str) -> bool:
    """Whether anything had to be changed."""
    if is_set(git, event):
        return False
    disable(git, event)
    key = f"hook.{_PREFIX}{event}"
    git.config_set(f"{key}.command", command(event, folder(git) / event))
    git.config_set(f"{key}.event", event)
    return True


def disable(git: Git, event: str) -> bool:
    """Whether there was anything."""
    return git.succeeds("config", "--local", "--remove-section", f"hook.{_PREFIX}{event}")


def named(git: Git) -> Iterator[str]:
    """Events that this repository's configuration gives to us, whatever version of Git reads it."""
    for key in (
        git.line("config", "--local", "--name-only", "--get-regexp", rf"^hook\.{_PREFIX}.*\.event$") or ""
    ).split():
        yield key.removeprefix(f"hook.{_PREFIX}").removesuffix(".event")
