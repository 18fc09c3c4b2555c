"""Freezing: scan, commit the record, tag. `git tag` alone does it too, where the record is in the commit already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heldout.domain.answer import Answer
from heldout.domain.coverage import Version
from heldout.domain.diff import diff
from heldout.domain.names import VersionName, VersionNumber, split_tag
from heldout.domain.outcomes import ScanDone
from heldout.domain.versioning import bump, next_number
from heldout.errors import HeldoutError, RepositoryError, UsageError
from heldout.services.progress import Progress
from heldout.services.recording import commit_records, files_of
from heldout.services.scanner import Scanner
from heldout.services.workspace import Workspace
from heldout.storage.catalog import DatasetState

Part = Literal["major", "minor", "patch"]


@dataclass(frozen=True, slots=True)
class Frozen:
    """A new version, why it got its number, the scan made for it (None: the record was there), and its answer."""

    version: Version
    reason: str
    scan: ScanDone | None
    answer: Answer


def freeze(
    workspace: Workspace,
    dataset: str,
    progress: Progress,
    *,
    number: VersionNumber | None = None,
    part: Part | None = None,
    message: str | None = None,
) -> Frozen:
    """Freeze HEAD's state of a dataset under the next number, as an annotated tag (signed if Git is set up to sign).

    Raises UsageError: uncommitted-changes; nothing-to-freeze; version-taken.
    """
    git = workspace.git
    head = git.require_commit("HEAD")
    state = workspace.catalog(head).state(dataset)
    _refuse_uncommitted(workspace, state)
    chosen, reason = _number(workspace, state, head, progress, number, part)
    name = VersionName(dataset, chosen)
    done = _ensure_recorded(workspace, state, head, progress)
    _ensure_checked(workspace, state, progress)
    commit = git.require_commit("HEAD")
    git.create_tag(str(name), commit, message or f"{name}\n\n{reason}")
    workspace.forget()
    version = workspace.version(name)
    return Frozen(version, reason, done, workspace.knowledge().answer(dataset, version.source))


def _refuse_uncommitted(workspace: Workspace, state: DatasetState) -> None:
    changed = workspace.git.run("status", "--porcelain", "-z", "--untracked-files=no", "--", state.folder)
    edited = workspace.store.edited(state.outputs)
    if changed or edited:
        what = edited[0].path if edited else state.folder
        fix = f"dvc add {what}, git add and commit" if edited else "git commit"
        raise UsageError(
            "uncommitted-changes", f"{what} has changes that are not committed; a version is a commit", hint=fix
        )


def _ensure_recorded(workspace: Workspace, state: DatasetState, head: str, progress: Progress) -> ScanDone | None:
    """Scan unless HEAD holds a complete record and every other version has been compared with this content."""
    knowledge = workspace.knowledge()
    paths = workspace.tree(head).paths(f"{state.folder}/scans")
    here = any(f"{scan.record.folder()}/scan.yaml" in paths for scan in knowledge.complete_scans_of(state.source))
    if here and all(knowledge.compared(state.source, other.source) for other in knowledge.taking_part):
        return None
    scanned = Scanner(workspace, fetch=True, progress=progress).scan(state, head)
    if scanned.result.record.incomplete:
        raise UsageError(
            "scan-incomplete",
            f"{state.name} cannot be frozen: {'; '.join(scanned.result.record.incomplete)}",
            hint="mend the data, commit, and freeze again",
        )
    notes: list[str] = []
    files = {path: data for path, data in files_of([scanned]).items() if path not in paths}
    if files:
        commit_records(workspace, files, notes)
    for note in notes:
        progress.note(note)
    return scanned.done()


def _ensure_checked(workspace: Workspace, state: DatasetState, progress: Progress) -> None:
    """Look for exposed examples in what becomes a version, and hold it against its lock, where the hook had no say."""
    exposures = workspace.knowledge().exposures
    if exposures is not None and any(exposures.gaps(state.name, state.source)):
        from heldout.services.exposing.check import check

        check(workspace, [state.name], progress.note, progress, commit=True)
    locks = workspace.knowledge().locks
    if locks is not None and any(locks.gaps(state.name, state.source)):
        from heldout.services.splitting.lock_checks import checks_lacking

        files = checks_lacking(workspace, Scanner(workspace, fetch=True, progress=progress), [state.name])
        notes: list[str] = []
        if files:
            commit_records(workspace, files, notes)
        for note in notes:
            progress.note(note)


def _number(
    workspace: Workspace,
    state: DatasetState,
    head: str,
    progress: Progress,
    number: VersionNumber | None,
    part: Part | None,
) -> tuple[VersionNumber, str]:
    known = workspace.versions_of(state.name)
    taken = {version.name.number for version in known} | _remote_numbers(workspace, state.name, progress)
    if number is not None:
        if number in taken:
            raise UsageError("version-taken", f"{state.name}@{number} exists already", hint="leave the number out")
        return number, "the number was given"
    if not known:
        return next_number(max(taken, default=None), "major"), "the first version here"
    latest = known[-1]
    if latest.source == state.source and part is None:
        raise UsageError(
            "nothing-to-freeze", f"{state.name} has not changed since {latest.name}", hint="heldout versions"
        )
    chosen, reason = (part, "as asked") if part else _propose(workspace, state, head, latest, progress)
    return next_number(max(taken), chosen), reason


def _propose(
    workspace: Workspace, state: DatasetState, head: str, latest: Version, progress: Progress
) -> tuple[Part, str]:
    scanner = Scanner(workspace, fetch=True, progress=progress)
    after = scanner.reading(state, head)
    try:
        before = scanner.reading(workspace.catalog(latest.commit).state(state.name), latest.commit)
    except HeldoutError as error:
        progress.note(f"what changed since {latest.name} cannot be told: {error}")
        return "major", f"what changed since {latest.name} is not known, as its data cannot be read here"
    changes = diff(before.members, after.members)
    part = bump(changes, before.holdout_splits, after.holdout_splits)
    return part, f"{_WHY[part]} since {latest.name}"


_WHY = {
    "major": "a holdout example changed or left",
    "minor": "examples were added or changed",
    "patch": "no example changed",
}


def _remote_numbers(workspace: Workspace, dataset: str, progress: Progress) -> set[VersionNumber]:
    """Numbers that remotes have already, so that two branches do not take one; a remote out of reach is said."""
    found = set()
    for remote in workspace.git.remotes():
        try:
            tags = workspace.git.ls_remote_tags(remote)
        except RepositoryError as error:
            progress.note(f"the versions on {remote} are not known: {error.message}")
            continue
        for tag in tags:
            parsed = split_tag(tag.name)
            if parsed and parsed[0] == dataset and parsed[1] is not None:
                found.add(parsed[1])
    return found
