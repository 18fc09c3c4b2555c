"""The datasets that a branch changes: their rows by split, their slices, and what happened to held-out examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heldout.domain.branch import DatasetChange, RowChanges, What
from heldout.domain.deciding.governed import ChangeStanding, GovernedChange
from heldout.domain.diff import diff
from heldout.domain.versioning import bump, next_number
from heldout.errors import HeldoutError
from heldout.services.branching.ends import Ends
from heldout.services.branching.slices import changed_slices
from heldout.services.contents import read_members
from heldout.services.deciding.changes import change_of, standing_of
from heldout.services.progress import Progress
from heldout.storage.catalog import DatasetState
from heldout.storage.settings_file import read_settings


def changed_datasets(ends: Ends, progress: Progress) -> Iterator[DatasetChange]:
    """Those whose source or slices differ, by name. Data that is not here and cannot be had leaves numbers untold."""
    before, after = ends.states
    for name in sorted({*before, *after}):
        now = after.get(name)
        change = _change(ends, name, before.get(name), now, progress)
        if change is not None:
            yield _as_recorded(ends, change, now) if isinstance(now, DatasetState) else change


def _as_recorded(ends: Ends, change: DatasetChange, state: DatasetState) -> DatasetChange:
    """With what the head's record says besides its findings; as it was where there is no record."""
    scans = ends.after.scans_of(state.source)
    if not scans:
        return change
    return replace(change, held_out=scans[0].record.holdout_members, outdates=tuple(ends.outdated_by(state)))


State = DatasetState | HeldoutError | None


def _change(ends: Ends, name: str, before: State, after: State, progress: Progress) -> DatasetChange | None:
    old = before if isinstance(before, DatasetState) else None
    if isinstance(after, HeldoutError):
        if isinstance(before, HeldoutError) and str(before) == str(after):
            return None
        answer, _ = ends.answers(old, None)
        return DatasetChange(name, What.CHANGED if before else What.ADDED, answer, broken=str(after))
    if after is None:
        answer, _ = ends.answers(old, None)
        if old is None:
            return DatasetChange(name, What.REMOVED, answer)
        return _removed(ends, old, DatasetChange(name, What.REMOVED, answer, holdout_before=_holdout(old)), progress)
    if old is None:
        return _added(ends, after, before if isinstance(before, HeldoutError) else None, progress)
    return _edited(ends, old, after, progress)


def _removed(ends: Ends, old: DatasetState, change: DatasetChange, progress: Progress) -> DatasetChange:
    """The whole holdout goes, and that is a change of it."""
    by_split = _recorded(ends, old, "removed")
    try:
        before = read_members(ends.workspace, ends.located(old, ends.base), progress)
    except HeldoutError as error:
        rows = RowChanges(by_split) if by_split else None
        return replace(change, rows=rows, untold=(f"which examples were held out cannot be told here: {error}",))
    by_split = by_split or {split: {"removed": count} for split, count in sorted(before.by_split.items())}
    return replace(change, rows=RowChanges(by_split), governed=_standing(ends, change_of(old.name, before, None)))


def _added(ends: Ends, state: DatasetState, before: HeldoutError | None, progress: Progress) -> DatasetChange:
    """A dataset that is new, or whose files could not be read `before`: then all of it is what came."""
    _, answer = ends.answers(None, state)
    by_split = _recorded(ends, state, "added")
    untold = [] if before is None else [f"what it was before cannot be read: {before}"]
    if not by_split:
        try:
            reading = read_members(ends.workspace, ends.located(state, ends.head), progress)
            by_split = {split: {"added": count} for split, count in sorted(reading.by_split.items())}
        except HeldoutError as error:
            untold.append(f"its examples cannot be counted here: {error}")
    slices, missing = changed_slices(ends, None, state, progress)
    rows = RowChanges(by_split) if by_split else None
    what, declared = What.ADDED if before is None else What.CHANGED, _holdout(state)
    old = () if before is None else declared
    return DatasetChange(state.name, what, None, answer, old, declared, rows, slices, untold=(*untold, *missing))


def _edited(ends: Ends, old: DatasetState, new: DatasetState, progress: Progress) -> DatasetChange | None:
    rows, governed, untold = None, None, []
    if old.source != new.source:
        try:
            rows, governed = _rows(ends, old, new, progress)
        except HeldoutError as error:
            untold.append(f"which examples changed cannot be told here: {error}")
    slices, missing = changed_slices(ends, old, new, progress)
    if old.source == new.source and not slices and not missing:
        return None
    before, after = ends.answers(old, new)
    return DatasetChange(
        new.name, What.CHANGED, before, after, _holdout(old), _holdout(new), rows, slices, governed, (*untold, *missing)
    )


def _rows(
    ends: Ends, old: DatasetState, new: DatasetState, progress: Progress
) -> tuple[RowChanges, ChangeStanding | None]:
    """Which examples changed, and how the change of held-out ones stands. Raises what reading the data does."""
    workspace = ends.workspace
    before = read_members(workspace, ends.located(old, ends.base), progress)
    after = read_members(workspace, ends.located(new, ends.head), progress)
    found = diff(before.members, after.members)
    part = bump(found, before.holdout_splits, after.holdout_splits)
    numbers = [version.name.number for version in ends.before.versions if version.dataset == new.name]
    rows = RowChanges(found.by_split(), found, part, next_number(max(numbers), part) if numbers else None)
    return rows, _standing(ends, change_of(new.name, before, after))


def _standing(ends: Ends, change: GovernedChange) -> ChangeStanding | None:
    """None where nothing held out was touched."""
    if not change.touched:
        return None
    workspace = ends.workspace
    policy = read_settings(workspace.tree(ends.base)).holdout_changes
    return standing_of(workspace, change, policy, ends.base, ends.head, workspace.tree(ends.head))


def _recorded(ends: Ends, state: DatasetState, name: str) -> dict[str, dict[str, int]]:
    """Examples by split as a scan record has them: they cost nothing to know."""
    scans = ends.after.scans_of(state.source)
    return {split: {name: count} for split, count in sorted(scans[0].record.examples.by_split.items())} if scans else {}


def _holdout(state: DatasetState | None) -> tuple[str, ...]:
    return () if state is None else tuple(sorted(state.spec.holdout or ()))
