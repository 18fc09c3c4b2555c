"""Comparing two states of one dataset: what changed, and which number the change is worth."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.diff import Diff, diff
from heldout.domain.names import VersionNumber
from heldout.domain.versioning import Part, bump, next_number
from heldout.errors import UsageError
from heldout.services.contents import read_members
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading
from heldout.services.workspace import Located, Workspace


@dataclass(frozen=True, slots=True)
class Comparison:
    """`part` is what the change is worth; `suggested` the number that would follow, where the second state is not
    frozen yet and the first one is."""

    first: Located
    second: Located
    before: Reading
    after: Reading
    diff: Diff
    part: Part
    suggested: VersionNumber | None = None


def compare(workspace: Workspace, first: str, second: str, progress: Progress = SILENT) -> Comparison:
    """What changed from one subject to another of the same dataset. Raises UsageError (slug two-datasets)."""
    left, right = workspace.find(first), workspace.find(second)
    if left.state.name != right.state.name:
        raise UsageError(
            "two-datasets",
            f"{left.state.name} and {right.state.name} are two datasets; a diff is between two states of one",
            hint=f"heldout diff {left.subject} {left.state.name}",
        )
    before, after = (read_members(workspace, located, progress) for located in (left, right))
    found = diff(before.members, after.members)
    part = bump(found, before.holdout_splits, after.holdout_splits)
    suggested = None
    if left.version is not None and right.version is None:
        suggested = next_number(workspace.versions_of(left.state.name)[-1].name.number, part)
    return Comparison(left, right, before, after, found, part, suggested)
