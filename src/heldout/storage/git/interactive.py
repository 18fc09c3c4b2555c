"""What a person asked for by name: tags and settings, through GitPython.

Never used by hooks: importing it costs more than everything else they do, and it keeps processes open until closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from heldout.errors import RepositoryError

if TYPE_CHECKING:
    from git import Repo

    from heldout.storage.git.repository import Git


@contextmanager
def _opened(git: Git) -> Iterator[Repo]:
    """GitPython reads the process environment; ours is handed over so that both see the same repository."""
    from git import Repo
    from git.exc import GitCommandError

    try:
        with Repo(git.git_dir if git.bare else git.top) as repo:
            repo.git.update_environment(**git.env)
            yield repo
    except GitCommandError as error:
        words = str(error.stderr).strip().removeprefix("stderr: ").strip("'")
        raise RepositoryError("git-failed", words or str(error)) from error


def create_tag(git: Git, name: str, commit: str, message: str | None, *, sign: bool | None) -> None:
    if sign is None:
        sign = git.config_bool("tag.gpgSign") or git.config_bool("commit.gpgSign")
    with _opened(git) as repo:
        if message is None:
            repo.git.tag("--no-sign", "--", name, commit)
        else:
            repo.git.tag("-s" if sign else "-a", "-m", message, "--", name, commit)


def delete_tag(git: Git, name: str) -> None:
    with _opened(git) as repo:
        repo.git.tag("-d", "--", name)


def config_set(git: Git, name: str, value: str) -> None:
    with _opened(git) as repo:
        repo.git.config("--local", name, value)
