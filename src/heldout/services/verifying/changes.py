"""Verification of changes of holdouts: what policy wants approved, was approved as it is, by people Git knows of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heldout.domain.deciding.governed import lacking
from heldout.domain.deciding.review import address
from heldout.domain.verification import Level, Problem
from heldout.errors import ConfigError
from heldout.services.deciding.changes import changes
from heldout.services.progress import Progress
from heldout.services.verifying.people import FileHistory
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT
from heldout.storage.people.approvals import approval_path, parse_approval
from heldout.storage.settings_file import read_settings


def holdout_changes(workspace: Workspace, head: str, base: str | None, progress: Progress) -> Iterator[Problem]:
    """Each change of a holdout since the base that lacks an approval; nothing where the base's policy asks for none."""
    if base is None or base == head or read_settings(workspace.tree(base)).holdout_changes.required == 0:
        return
    found = changes(workspace, base, head, progress=progress)
    for name, why in found.unread:
        text = f"whether its holdout changed cannot be told here: {why}"
        yield Problem(Level.UNKNOWN, f"{ROOT}/{name}", text, "unreadable-change")
    for standing in found.standings:
        change = standing.change
        path = approval_path(change.dataset, change.id)
        history = FileHistory(workspace, path)
        known = [person for person in standing.approved_by if address(person) in history.behind(_names(path, person))]
        lacks = lacking(found.policy, known, standing.authors)
        if lacks is not None:
            counts = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in change.counts().items() if count)
            text = f"held-out examples changed ({counts}); {lacks}: heldout changes approve {change.dataset}"
            yield Problem(Level.FAILED, f"{ROOT}/{change.dataset}", text, "change-not-approved")


def _names(path: str, person: str) -> Callable[[bytes], bool]:
    """Whether a state of the approval names a person."""

    def names(data: bytes) -> bool:
        try:
            return address(person) in {address(other) for other in parse_approval(data, path).by}
        except ConfigError:
            return False

    return names
