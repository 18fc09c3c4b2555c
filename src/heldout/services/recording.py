"""Putting scan records where they belong: files in the working copy, or a commit that holds nothing else."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from heldout.errors import RepositoryError
from heldout.services.workspace import Workspace
from heldout.storage.working_files import write_own_files

if TYPE_CHECKING:
    from heldout.services.scanner import Scanned

FOLLOW_UP_SUBJECT = "heldout: add scan records"


def files_of(scanned: Iterable[Scanned]) -> dict[str, bytes]:
    return {path: data for item in scanned for path, data in item.result.files().items()}


def write_records(workspace: Workspace, files: Mapping[str, bytes]) -> None:
    """Into the working copy, each file whole or not at all; findings first, so that a record never lacks them."""
    if workspace.git.bare:
        raise RepositoryError(
            "no-working-copy", "a bare repository has no working copy", hint="use --commit in a clone"
        )
    write_own_files(workspace.git.top, {path: files[path] for path in sorted(files)})


def commit_records(workspace: Workspace, files: Mapping[str, bytes], notes: list[str]) -> str:
    """A commit on the current branch with these records only; `notes` gets what could not be brought along.

    Raises RepositoryError (detached-head, head-moved, git-failed).
    """
    names = sorted({posixpath.basename(posixpath.dirname(path)) for path in files if not path.endswith(".json")})
    message = FOLLOW_UP_SUBJECT + "\n\n" + "".join(f"Heldout-Scan: {name}\n" for name in names)
    commit = workspace.git.commit_files(files, message, workspace.git.head(), notes.append)
    workspace.forget()
    return commit
