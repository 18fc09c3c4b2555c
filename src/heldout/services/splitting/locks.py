"""Locks of datasets: written when a person asks, looked at when a commit touches the dataset, and by verify."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from heldout.domain.splitting.lock import Change, DatasetLock, dataset_changes
from heldout.domain.verification import Level, Problem
from heldout.errors import ConfigError, HeldoutError, MissingDataError
from heldout.services.workspace import Workspace
from heldout.storage.atomic import write_file
from heldout.storage.catalog import DatasetState, names_content
from heldout.storage.git.trees import GitTree
from heldout.storage.splitting.lock_file import FILE, parse_lock_file, render_lock_file
from heldout.storage.trees import FileTree

if TYPE_CHECKING:
    from heldout.services.progress import Progress
    from heldout.services.reading import Reading
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
    write_file(workspace.git.top / path, render_lock_file(lock))
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
            reading = scanner.reading(state)
        except MissingDataError as error:
            notes.append(f"{state.name}: the split's lock was not looked at: {error.message} ({error.hint})")
            continue
        found = _changes(tree, state, reading)
        notes += [f"{state.name}: {_sentence(*item)} [lock_changed]" for item in found[:SHOWN]]
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


def locks(
    workspace: Workspace,
    scope: tuple[str, str | None],
    states: Iterable[DatasetState],
    progress: Progress,
    *,
    fetch: bool,
) -> Iterator[Problem]:
    """What verification says of locks, `scope` being (head, base): failed where data does not fit, unknown where it
    could not be had; a lock that is another one than the base's is reported."""
    from heldout.services.scanner import Scanner

    head, base = scope
    tree = workspace.tree(head)
    before = None if base is None else workspace.tree(base)
    scanner = None
    for state in states:
        path = f"{state.folder}/{FILE}"
        data, earlier = tree.read(path), None if before is None else before.read(path)
        if earlier is not None and data != earlier:
            text = "the lock was removed" if data is None else "the split was locked anew"
            yield Problem(Level.REPORTED, path, f"{text} since {str(base)[:10]}", "lock-changed")
        if data is None:
            continue
        scanner = scanner or Scanner(workspace, fetch=fetch, progress=progress)
        missing = Level.UNKNOWN if fetch else Level.REPORTED
        yield from _problems(tree, state, (scanner, head), missing)


def _problems(tree: GitTree, state: DatasetState, at: tuple[Scanner, str], missing: Level) -> Iterator[Problem]:
    path, (scanner, head) = f"{state.folder}/{FILE}", at
    try:
        found = _changes(tree, state, scanner.reading(state, head))
    except MissingDataError as error:
        yield Problem(missing, path, f"the lock could not be looked at: {error.message}", error.slug)
    except HeldoutError as error:
        yield Problem(Level.FAILED, path, str(error), error.slug)
    else:
        for item in found[:SHOWN]:
            yield Problem(Level.FAILED, path, _sentence(*item), "lock-changed")
        if len(found) > SHOWN:
            yield Problem(Level.FAILED, path, f"and {len(found) - SHOWN} more changes", "lock-changed")


def _changes(tree: FileTree, state: DatasetState, reading: Reading) -> list[tuple[str, str, Change]]:
    path = f"{state.folder}/{FILE}"
    lock = parse_lock_file(tree.read(path) or b"", path)
    if lock.dataset != state.name:
        message = f"lock belongs to another dataset: it locks {lock.dataset!r}"
        raise ConfigError("other-lock", message, file=path, field="dataset", hint=f"heldout split lock {state.name}")
    return dataset_changes(lock, reading.members, reading.spec.holdout_names())


def _sentence(split: str, key: str, change: Change) -> str:
    return f"{split}/{key} was {change.value} since the split was locked"
