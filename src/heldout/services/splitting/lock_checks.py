"""Holding contents against their locks, ahead of an answer: the part of it that needs data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from heldout.domain.canonical import digest_bytes
from heldout.domain.splitting.lock import dataset_changes
from heldout.domain.splitting.lock_cover import LockCheck, LockedChange
from heldout.errors import ConfigError, HeldoutError
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import DatasetState
from heldout.storage.git.trees import GitTree
from heldout.storage.splitting.lock_checks import lock_check_path, render_lock_check
from heldout.storage.splitting.lock_file import FILE, parse_lock_file
from heldout.storage.trees import FileTree

if TYPE_CHECKING:
    from heldout.services.reading import Reading
    from heldout.services.scanner import Scanner


def check_of(tree: FileTree, state: DatasetState, reading: Reading) -> LockCheck:
    """How a content differs from the lock that lies beside it in a tree.

    Raises ConfigError for a lock that cannot be read, or (slug other-lock) is another dataset's.
    """
    path = f"{state.folder}/{FILE}"
    data = tree.read(path) or b""
    lock = parse_lock_file(data, path)
    if lock.dataset != state.name:
        message = f"lock belongs to another dataset: it locks {lock.dataset!r}"
        raise ConfigError("other-lock", message, file=path, field="dataset", hint=f"heldout split lock {state.name}")
    now = {(member.split, member.key): member.example for member in reading.members}
    elsewhere = {member.key: member.example for member in reading.members}
    changes = (
        LockedChange(
            split,
            key,
            change,
            now.get((split, key)) or elsewhere.get(key, ""),
            lock.held_out.get(split, {}).get(key, ""),
        )
        for split, key, change in dataset_changes(lock, reading.members, reading.spec.holdout_names())
    )
    return LockCheck(state.name, state.source, digest_bytes(data), tuple(sorted(changes)))


def files_lacking(
    scanner: Scanner, tree: GitTree, states: Iterable[DatasetState], commit: str | None = None
) -> Iterator[tuple[str, bytes]]:
    """Checks that a tree lacks of datasets with a lock in it, as (path, bytes). What cannot be read here has none, and
    the gate then says so."""
    for state in states:
        data = tree.read(f"{state.folder}/{FILE}")
        if data is None:
            continue
        place = lock_check_path(state.name, state.source, digest_bytes(data))
        if tree.read(place) is None:
            try:
                yield place, render_lock_check(check_of(tree, state, scanner.reading(state, commit)))
            except HeldoutError:
                continue


def checks_lacking(workspace: Workspace, scanner: Scanner, datasets: Sequence[str] = ()) -> dict[str, bytes]:
    """Checks by path that no committed tree has yet: of HEAD's datasets, and of every version that takes part."""
    known = workspace.knowledge()
    if known.locks is None:
        return {}
    places = [(version.commit, version.dataset) for version in known.taking_part]
    head = workspace.git.head()
    places += [(head, name) for name in workspace.catalog(head).names] if head else []
    done = {lock_check_path(check.dataset, check.source, check.lock) for check in known.locks.checks}
    files: dict[str, bytes] = {}
    for commit, name in dict.fromkeys(place for place in places if not datasets or place[1] in datasets):
        state = readable_state(workspace.catalog(commit), name)
        if state is not None:
            files |= files_lacking(scanner, workspace.tree(commit), [state], commit)
    return {path: data for path, data in files.items() if path not in done}
