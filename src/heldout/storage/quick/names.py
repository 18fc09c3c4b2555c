"""Names of datasets, versions and slices as fast as a shell wants them: two questions to Git, and names of files.

Nothing is parsed, so a broken dataset.yaml has its name here, too.
"""

from __future__ import annotations

import os
from pathlib import Path

from heldout.domain.names import RESERVED, split_tag
from heldout.errors import HeldoutError
from heldout.storage.git.process import inherited_environment, run_git

_ROOT = "datasets"


def datasets(start: Path) -> list[str]:
    """Folders of the working copy with a dataset.yaml, sorted; none outside of a repository."""
    root = _top(start) / _ROOT
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in RESERVED]
        if "dataset.yaml" in files and Path(folder) != root:
            found.append(Path(folder).relative_to(root).as_posix())
    return sorted(found)


def versions(start: Path) -> list[str]:
    """Tags that name versions, by dataset, the newest number first."""
    output = _ask(start, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags/**/*@v*")
    parsed = ((tag, split_tag(tag)) for tag in output.splitlines())
    numbered = [(name[0], name[1], tag) for tag, name in parsed if name is not None and name[1] is not None]
    numbered.sort(key=lambda item: item[1], reverse=True)
    return [tag for _, _, tag in sorted(numbered, key=lambda item: item[0])]


def slices(start: Path, dataset: str) -> list[str]:
    """Names of a dataset's slices in the working copy, sorted."""
    folder = _top(start) / _ROOT / dataset / "slices"
    return sorted(file.stem for file in folder.glob("*.yaml")) if folder.is_dir() else []


def _top(start: Path) -> Path:
    """The top of the working copy; where there is none, a folder that holds no dataset."""
    found = _ask(start, "rev-parse", "--show-toplevel").rstrip("\n")
    return Path(found) if found else start / ".git"


def _ask(start: Path, *arguments: str) -> str:
    try:
        return os.fsdecode(run_git(arguments, cwd=start, env=inherited_environment(), timeout=2.0)[1])
    except HeldoutError:
        return ""
