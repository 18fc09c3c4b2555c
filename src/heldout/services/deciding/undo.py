"""Taking back a decision that was only written: its file becomes what it was before."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.errors import UsageError
from heldout.services.workspace import Workspace
from heldout.storage.trees import FolderTree
from heldout.storage.working_files import write_own_file


@dataclass(frozen=True, slots=True)
class Written:
    """A file of the working copy as it was before and after it was written; None where there was none."""

    path: str
    before: bytes | None
    after: bytes


def read_file(workspace: Workspace, path: str) -> bytes | None:
    """A file of the working copy, None where there is none."""
    return FolderTree(workspace.git.top).read(path)


def take_back(workspace: Workspace, written: Written) -> None:
    """Raises UsageError (slug decision-changed) where somebody wrote the file since, or took it away."""
    if read_file(workspace, written.path) != written.after:
        raise UsageError(
            "decision-changed",
            f"{written.path} is not what was written, so it is left as it is",
            hint="git diff, and edit the file",
        )
    if written.before is None:
        (workspace.git.top / written.path).unlink()
    else:
        write_own_file(workspace.git.top, written.path, written.before)
