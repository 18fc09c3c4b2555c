"""Verification of locks: HEAD's data still is what was locked, and what was found by locks can be made again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heldout.domain.canonical import digest_bytes
from heldout.domain.splitting.lock_cover import METHOD, LockCheck
from heldout.domain.verification import Level, Problem
from heldout.errors import HeldoutError, MissingDataError, TamperedError
from heldout.services.progress import Progress
from heldout.services.scanner import Scanner
from heldout.services.splitting.lock_checks import check_of
from heldout.services.splitting.locks import SHOWN
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import ROOT, DatasetState
from heldout.storage.git.trees import GitTree
from heldout.storage.splitting.lock_checks import is_lock_check, parse_lock_check
from heldout.storage.splitting.lock_file import FILE


def locks(
    workspace: Workspace,
    scope: tuple[str, str | None],
    states: Iterable[DatasetState],
    progress: Progress,
    *,
    fetch: bool,
) -> Iterator[Problem]:
    """What verification says of locks, `scope` being (head, base): failed where data does not fit and nobody accepted
    that, unknown where it could not be had; a lock that is another one than the base's is reported."""
    head, base = scope
    tree = workspace.tree(head)
    before = None if base is None else workspace.tree(base)
    scanner = Scanner(workspace, fetch=fetch, progress=progress)
    for state in states:
        path = f"{state.folder}/{FILE}"
        data, earlier = tree.read(path), None if before is None else before.read(path)
        if earlier is not None and data != earlier:
            text = "the lock was removed" if data is None else "the split was locked anew"
            yield Problem(Level.REPORTED, path, f"{text} since {str(base)[:10]}", "lock-changed")
        if data is not None:
            missing = Level.UNKNOWN if fetch else Level.REPORTED
            yield from _changes(workspace, state, (scanner, head), missing)
    for path in tree.paths(ROOT):
        if is_lock_check(path) and (before is None or base == head or before.read(path) != tree.read(path)):
            yield from _check(workspace, tree, path, (scanner, head), fetch=fetch)


def _changes(workspace: Workspace, state: DatasetState, at: tuple[Scanner, str], missing: Level) -> Iterator[Problem]:
    path, (scanner, head) = f"{state.folder}/{FILE}", at
    try:
        check = check_of(workspace.tree(head), state, scanner.reading(state, head))
    except MissingDataError as error:
        yield Problem(missing, path, f"the lock could not be looked at: {error.message}", error.slug)
        return
    except HeldoutError as error:
        yield Problem(Level.FAILED, path, str(error), error.slug)
        return
    reviews = workspace.knowledge().reviews
    left = []
    for item in check.changes:
        finding = item.finding(check.dataset, check.source, check.lock)
        review = reviews.acceptance(finding, METHOD, contaminates=True)
        if review is None:
            left.append(item)
        else:
            text = f"{item.sentence()}; accepted: {review.reason}"
            yield Problem(Level.REPORTED, path, text, "lock-changed")
    for item in left[:SHOWN]:
        yield Problem(Level.FAILED, path, item.sentence(), "lock-changed")
    if len(left) > SHOWN:
        yield Problem(Level.FAILED, path, f"and {len(left) - SHOWN} more changes", "lock-changed")


def _check(
    workspace: Workspace, tree: GitTree, path: str, at: tuple[Scanner, str], *, fetch: bool
) -> Iterator[Problem]:
    """One file of what was found: as Heldout writes it and, where content and lock are at hand, what the data says."""
    scanner, head = at
    try:
        check = parse_lock_check(tree.read(path) or b"", path)
    except TamperedError as error:
        yield Problem(Level.FAILED, path, error.message, error.slug)
        return
    commits = [head, *(version.commit for version in workspace.versions_of(check.dataset))]
    for commit in dict.fromkeys(commits) if fetch else ():
        state = readable_state(workspace.catalog(commit), check.dataset)
        lock = workspace.tree(commit).read(f"{ROOT}/{check.dataset}/{FILE}")
        if state is not None and state.source == check.source and lock and digest_bytes(lock) == check.lock:
            yield from _again(workspace.tree(commit), state, (scanner, commit), path, check)
            return


def _again(
    tree: GitTree, state: DatasetState, at: tuple[Scanner, str], path: str, found: LockCheck
) -> Iterator[Problem]:
    scanner, commit = at
    try:
        made = check_of(tree, state, scanner.reading(state, commit))
    except HeldoutError as error:
        yield Problem(Level.UNKNOWN, path, f"whether it is right cannot be told here: {error}", "lock-check-unread")
        return
    if made != found:
        text = f"names {len(found.changes)} changes since the lock, and the data has {len(made.changes)}"
        yield Problem(Level.FAILED, path, text, "lock-check-broken")
