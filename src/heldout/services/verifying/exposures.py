"""Verification of logs of exposures: against their own chain, against Git's history, and of what was found by them.

Whoever edits a line can chain all lines after it anew. So the chain alone proves nothing: each state of a log that any
commit has is held against the one that is there now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from heldout.domain.exposing.exposure import Exposure, ExposureCheck, history_faults
from heldout.domain.verification import Level, Problem
from heldout.errors import HeldoutError, TamperedError
from heldout.services.contents import read_members
from heldout.services.exposing.check import check_of, states_of
from heldout.services.progress import Progress
from heldout.services.workspace import Workspace
from heldout.storage.catalog import FILE as DATASET_FILE
from heldout.storage.catalog import ROOT
from heldout.storage.git.history import Step, steps
from heldout.storage.git.trees import GitTree
from heldout.storage.people.exposure_log import dataset_of_log, is_check, parse_check, parse_log


def exposures(
    workspace: Workspace, head: str, base: str | None, progress: Progress, *, replay: bool
) -> Iterator[Problem]:
    """What is wrong with HEAD's logs and checks; with a base, only what happened since."""
    tree = workspace.tree(head)
    paths = list(tree.paths(ROOT))
    for path in paths:
        if dataset_of_log(path):
            try:
                parse_log(tree.read(path) or b"", path)
            except TamperedError as error:
                yield Problem(Level.FAILED, path, error.message, error.slug)
    yield from _kept(workspace, head, base)
    checks = [path for path in paths if is_check(path)]
    old = workspace.tree(base) if base is not None and base != head else None
    for path in checks:
        if old is None or old.read(path) != tree.read(path):
            yield from _check(workspace, tree, path, progress, replay=replay)


# --- history ---------------------------------------------------------------------------------------------------------


def _kept(workspace: Workspace, head: str, base: str | None) -> Iterator[Problem]:
    """Lines that a commit has and HEAD has not as they were; each told once, by the first commit that shows it."""
    now = workspace.tree(head)
    told: set[tuple[str, int, str]] = set()
    made = [
        replace(step, paths=logs)
        for step in steps(workspace.git, head, base if base != head else None, ROOT)
        if (logs := frozenset(path for path in step.paths if dataset_of_log(path)))
    ]
    for commit, path in _states(made, base):
        for number, what in _faults(workspace, commit, path, now):
            if (path, number, what) not in told:
                told.add((path, number, what))
                text = f"line {number}, as {commit[:10]} has it, {what}"
                yield Problem(Level.FAILED, path, text, "exposure-log-broken")
    yield from _gone(workspace, made, base, now)
    for step in made:
        if len(step.parents) == 1:
            for path in sorted(step.paths):
                for number in _rechained(workspace, step, path):
                    text = f"line {number} was chained anew by {step.commit[:10]}, which is no merge"
                    yield Problem(Level.FAILED, path, text, "exposure-log-broken")


def _states(made: Iterable[Step], base: str | None) -> Iterator[tuple[str, str]]:
    """(commit, path) of every state that a log had, the oldest first."""
    made = list(made)
    if base is not None:
        yield from ((base, path) for path in sorted({path for step in made for path in step.paths}))
    for step in reversed(made):
        yield from ((step.commit, path) for path in sorted(step.paths))


def _faults(workspace: Workspace, commit: str, path: str, now: GitTree) -> Iterator[tuple[int, str]]:
    before, after = _log(workspace.tree(commit), path), _log(now, path)
    if before and after is not None and now.read(path) is not None:
        yield from history_faults(before, after, merged=True)


def _gone(workspace: Workspace, made: Iterable[Step], base: str | None, now: GitTree) -> Iterator[Problem]:
    """Logs that are not there any more. One that went with its dataset may go on under another name."""
    present = [log for path in now.paths(ROOT) if dataset_of_log(path) and (log := _log(now, path))]
    for path in sorted({path for _, path in _states(made, base)}):
        if now.read(path) is not None:
            continue
        if now.read(f"{ROOT}/{dataset_of_log(path)}/{DATASET_FILE}") is not None:
            yield Problem(Level.FAILED, path, "was removed; a log is only ever added to", "exposure-log-broken")
        elif not any(_continues(workspace, made, path, log) for log in present):
            text = "went with its dataset; the commits of versions still have it"
            yield Problem(Level.REPORTED, path, text, "exposure-log-gone")


def _continues(workspace: Workspace, made: Iterable[Step], path: str, log: tuple[Exposure, ...]) -> bool:
    states = [_log(workspace.tree(step.commit), path) for step in made if path in step.paths]
    return all(not any(history_faults(state, log, merged=False)) for state in states if state)


def _rechained(workspace: Workspace, step: Step, path: str) -> Iterator[int]:
    before, after = (_log(workspace.tree(commit), path) for commit in (step.parents[0], step.commit))
    if before and after:
        for number, what in history_faults(before, after, merged=False):
            if what == "was chained anew":
                yield number
                return


def _log(tree: GitTree, path: str) -> tuple[Exposure, ...] | None:
    """None where it cannot be read: HEAD's is told by itself, and an older one that was mended says nothing."""
    try:
        return parse_log(tree.read(path) or b"", path)
    except TamperedError:
        return None


# --- what was found --------------------------------------------------------------------------------------------------


def _check(workspace: Workspace, tree: GitTree, path: str, progress: Progress, *, replay: bool) -> Iterator[Problem]:
    try:
        check = parse_check(tree.read(path) or b"", path)
    except TamperedError as error:
        yield Problem(Level.FAILED, path, error.message, error.slug)
        return
    known = workspace.knowledge().exposures
    logs = known.logs.get(check.dataset) if known else None
    lines = tuple(reversed([*logs.up_to(check.log)])) if logs else ()
    if not (replay and lines):
        return
    for located in states_of(workspace, check.dataset):
        if located.state.source == check.source:
            try:
                reading = read_members(workspace, located, progress)
            except HeldoutError as error:
                text = f"whether it is right cannot be told here: {error}"
                yield Problem(Level.UNKNOWN, path, text, "exposure-check-unread")
                return
            made = check_of(check.dataset, check.source, lines, reading.members, reading.holdout_splits)
            yield from _differs(path, check, made)
            return


def _differs(path: str, found: ExposureCheck, made: ExposureCheck) -> Iterator[Problem]:
    if found != made:
        text = f"names {len(found.held)} held-out examples, and the data has {len(made.held)} of those exposed"
        yield Problem(Level.FAILED, path, text, "exposure-check-broken")
