"""A dataset's working copy as files for `heldout clean`, read the way its dataset.yaml says."""

from __future__ import annotations

import os
from dataclasses import replace

from heldout.domain.dataset import DataFile
from heldout.errors import DataError, UsageError
from heldout.services.checking.files import HERE, CheckRequest, Planned
from heldout.services.reading import declared_splits
from heldout.services.workspace import Workspace
from heldout.storage.readers import format_of


def planned_files(workspace: Workspace, name: str, holdout: tuple[str, ...]) -> tuple[CheckRequest, list[Planned]]:
    """The request and how to read each file; without `holdout` the splits that dataset.yaml holds out.

    Raises UsageError (slug bad-value) for a committed version, and for inputs kept outside: neither has files here.
    """
    located = workspace.find(name)
    spec = located.state.spec
    if located.commit is not None or spec.payloads is not None:
        what = "a committed state" if located.commit is not None else "a dataset with inputs kept outside"
        raise UsageError("bad-value", f"{name} is {what}: clean rewrites files", hint="check it out, and name files")
    fields, planned = replace(spec.fields, metadata={}), []
    for item in spec.data:
        here = replace(item, path=os.path.relpath(workspace.git.top / located.state.repo_path(item.path)))
        split = item.split if isinstance(item.split, str) else ""
        reasons = ("read as its dataset.yaml says",)
        planned.append(Planned(here, _format(here), fields, split, reasons, own_names=True))
    held = holdout or tuple(sorted(spec.holdout or spec.holdout_names() & declared_splits(spec)))
    return CheckRequest(tuple(item.item.path for item in planned), holdout=held), planned


def _format(item: DataFile) -> str:
    """Of a folder, the format of its first file."""
    for name, _ in HERE.open(item.path):
        return format_of(item, None if item.format else name)
    raise DataError("no-examples", "the folder is empty", file=item.path, hint="dvc checkout")
