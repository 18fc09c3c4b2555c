"""Locks of datasets: written when a person asks, and looked at when a commit touches the dataset."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from heldout.domain.splitting.lock import DatasetLock
from heldout.errors import MissingDataError
from heldout.services.splitting.lock_checks import check_of
from heldout.services.workspace import Workspace
from heldout.storage.catalog import DatasetState, names_content
from heldout.storage.git.trees import GitTree
from heldout.storage.splitting.lock_file import FILE, render_lock_file
from heldout.storage.working_files import write_own_file

if TYPE_CHECKING:
    from heldout.services.progress import Progress
    from heldout.services.scanner import Scanner

SHOWN = 5


def lock_dataset(workspace: Workspace, name: str, progress: Progress) -> tuple[DatasetLock, str]:
    """Write the lock of what a dataset's pointers hold out now; (lock, path from the top). An older one is replaced:
    Git keeps what it said, and a review sees what the lock now allows."""
    from heldout.services.scanner import Scanner

    state = workspace.find(name).state
    reading = Scanner(workspace, fetch=True, progress=progress).reading(state)
    lock = DatasetLock.of(state.name, reading.members, reading.spec.holdout_names() & {*reading.by_split})
    path = f"{state.folder}/{FILE}"
    write_own_file(workspace.git.top, path, render_lock_file(lock))
    return lock, path


def locked_states(tree: GitTree, states: Iterable[DatasetState], changed: Sequence[str]) -> list[DatasetState]:
    """States with a lock whose data, reading or lock a commit changes."""
    touched = {posixpath.dirname(path) for path in changed if names_content(path) or posixpath.basename(path) == FILE}
    return [
        state
        for state in states
        if any(place == state.folder or place.startswith(f"{state.folder}/") for place in touched)
        and tree.read(f"{state.folder}/{FILE}") is not None
    ]


def lock_notes(scanner: Scanner, tree: GitTree, states: Iterable[DatasetState]) -> list[str]:
    """A sentence for each example that is not as it was locked, the first few of each dataset.

    Raises ConfigError for a lock that cannot be read.
    """
    notes = []
    for state in states:
        try:
            found = check_of(tree, state, scanner.reading(state)).changes
        except MissingDataError as error:
            notes.append(f"{state.name}: the split's lock was not looked at: {error.message} ({error.hint})")
            continue
        notes += [f"{state.name}: {item.sentence()} [lock_changed]" for item in found[:SHOWN]]
        if len(found) > SHOWN:
            notes.append(f"{state.name}: and {len(found) - SHOWN} more changes of what was locked")
        if found:
            notes.append(f"next: take the change back; or, where it is meant: heldout split lock {state.name}")
    return notes


def removed_locks(tree: GitTree, states: Iterable[DatasetState], changed: Sequence[str]) -> list[str]:
    """A sentence for each dataset that a commit leaves without the lock it had."""
    return [
        f"{state.name}: {FILE} is removed: what it held out is no longer locked [lock_changed]"
        for state in states
        if f"{state.folder}/{FILE}" in changed and tree.read(f"{state.folder}/{FILE}") is None
    ]
