"""What is only ever added, records and retirements: what one state of history has and a later one lost."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from heldout.services.knowledge import dataset_of
from heldout.services.workspace import Workspace
from heldout.storage.catalog import FILE, ROOT
from heldout.storage.retirements import is_retirement


@dataclass(frozen=True, slots=True)
class Lost:
    """`gone` where nothing is at the path any more, else it holds other bytes. `retirement` or else a record's file."""

    path: str
    gone: bool
    retirement: bool

    def text(self) -> str:
        return "was removed" if self.gone else "was changed"


def lost(workspace: Workspace, old: str, new: str) -> Iterator[Lost]:
    """Records and retirements of `old` that are not in `new` as they were.

    A dataset that was removed as a whole, or renamed, takes its records along: what they say of versions stays in the
    commits of the versions' tags. A retirement taken back brings evidence back, and hides nothing.
    """
    before, after = workspace.tree(old), workspace.tree(new)
    for path in workspace.git.changed_paths(before.oid, after.oid, (ROOT,)):
        retirement = is_retirement(path)
        if not (retirement or "/scans/" in path) or not before.paths(path):
            continue
        gone = not after.paths(path)
        if gone and (retirement or not after.paths(posixpath.join(ROOT, dataset_of(path), FILE))):
            continue
        yield Lost(path, gone, retirement)
