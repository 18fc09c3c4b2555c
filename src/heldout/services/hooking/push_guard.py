"""The check before a push: no contaminated, incompletely compared, moved or deleted version leaves this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from heldout.domain.answer import Answer, Gap, GapKind
from heldout.domain.coverage import Knowledge, Version
from heldout.domain.names import VersionName, split_tag
from heldout.domain.outcomes import PushProblem, PushVerdict, Refusal
from heldout.domain.scans import Scans
from heldout.errors import HeldoutError
from heldout.services.knowledge import agreed_commits, knowledge_of, locks_of, reviews_of
from heldout.services.verifying.kept import lost, missed
from heldout.services.workspace import Workspace
from heldout.storage.git.history import tag_object
from heldout.storage.git.refs import RefUpdate
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.people.retirements import retirement_path

if TYPE_CHECKING:
    from heldout.domain.splitting.lock_cover import LockCover

Trees = Callable[[], "list[GitTree]"]

_TAGS, _HEADS = "refs/tags/", "refs/heads/"
_SHOWN = 5
_NO_OBSTACLE = (GapKind.NO_HOLDOUT,)
"""Gaps that keep an answer unknown but stop no push: a training set has no holdout to protect."""


def check(git: Git, updates: Sequence[RefUpdate]) -> PushVerdict:
    """One verdict on all refs of a push. It cannot add commits to the push: it says what to run."""
    return verdict_on(Workspace(git), updates)


def verdict_on(workspace: Workspace, updates: Sequence[RefUpdate]) -> PushVerdict:
    """The same by what the workspace was told to know; local and remote sides of an update may be one repository's."""
    problems: list[PushProblem] = []
    there = cache(lambda: _agreed_there(workspace, updates))  # what only a version asks for, and every one of many does
    for update in updates:
        if update.remote_ref.startswith(_TAGS):
            problems += _tag(workspace, update, there)
        elif update.remote_ref.startswith(_HEADS) and not update.deletes:
            problems += _branch(workspace, update)
    return PushVerdict(tuple(problems))


def _tag(workspace: Workspace, update: RefUpdate, there: Trees) -> Iterator[PushProblem]:
    tag = update.remote_ref[len(_TAGS) :]
    parsed = split_tag(tag)
    if parsed is None:
        return
    name, number = parsed
    changes = number is not None and not update.creates and update.remote_oid != update.local_oid
    if changes and _is_version_there(workspace, name, update.remote_oid):
        yield PushProblem(Refusal.DELETED if update.deletes else Refusal.MOVED, update.remote_ref, tag)
        return
    commit = None if update.deletes else workspace.git.commit_of(update.local_oid)
    if commit is None or not workspace.catalog(commit).has(name):
        return
    if number is None:
        yield PushProblem(Refusal.MALFORMED, update.remote_ref, tag)
        return
    yield from _version(workspace, update, VersionName(name, number), commit, there)


def _is_version_there(workspace: Workspace, name: str, remote_oid: str) -> bool:
    """Whether the tag that the remote has is a version of a dataset. Its object may not be here; then the name alone
    decides, on the side of keeping a version."""
    commit = workspace.git.commit_of(remote_oid)
    if commit is None:
        return _has_dataset(workspace, name)
    return workspace.catalog(commit).has(name)


def _version(
    workspace: Workspace, update: RefUpdate, name: VersionName, commit: str, there: Trees
) -> Iterator[PushProblem]:
    try:
        state = workspace.catalog(commit).state(name.dataset)
    except HeldoutError as error:
        gap = Gap(GapKind.UNREADABLE_DATASET, f"the dataset in {commit[:10]} cannot be read: {error}")
        yield PushProblem(Refusal.NOT_COVERED, update.remote_ref, str(name), Answer(name.dataset, "", (), (gap,)))
        return
    made = tag_object(workspace.git, str(name), update.local_oid)
    if made is not None and made.misnamed:
        detail = f"next: git tag -f -a {name} {commit[:10]} makes its own object"
        yield PushProblem(Refusal.MISNAMED, update.remote_ref, str(name), details=(detail,))
        return
    version = Version(name, commit, state.source)
    knowledge = _including(workspace, version)
    if knowledge.is_retired(version):
        if _retirement_travels(name, there()):
            return
        # Nobody else would know that it takes no part.
        left = tuple(item for item in knowledge.retirements if item.version != name)
        knowledge = replace(knowledge, retirements=left)
    if knowledge.reviews:
        # What only this clone agreed on takes nothing out of the answer that others will get.
        knowledge = replace(knowledge, reviews=reviews_of(workspace.git, there()))
    knowledge = replace(knowledge, locks=_locks(workspace, [workspace.tree(commit), *there()]))
    answer = knowledge.answer(name.dataset, version.source)
    gives_away = tuple((other.name, hits) for other, hits in knowledge.contaminates(version).items())
    if answer.contaminated:
        yield PushProblem(Refusal.CONTAMINATED, update.remote_ref, str(name), answer)
    if gives_away:
        yield PushProblem(Refusal.GIVES_AWAY, update.remote_ref, str(name), answer, gives_away)
    if any(gap.kind not in _NO_OBSTACLE for gap in answer.gaps):
        yield PushProblem(Refusal.NOT_COVERED, update.remote_ref, str(name), answer)


def _retirement_travels(name: VersionName, there: Sequence[GitTree]) -> bool:
    """Whether the remote has, or gets in this push, a protected branch that says the version is retired."""
    return any(tree.read(retirement_path(name)) for tree in there)


def _agreed_there(workspace: Workspace, updates: Sequence[RefUpdate]) -> list[GitTree]:
    """The protected branches as the remote has them, and as it gets them in this push."""
    git, settings = workspace.git, workspace.settings
    protected = [_HEADS + branch for branch in settings.protected_branches]
    pushed = [update.local_oid for update in updates if update.remote_ref in protected and not update.deletes]
    known = agreed_commits(git, settings, git.remotes())
    if git.bare:
        known += [commit for branch in protected if (commit := git.commit_of(branch))]
    return [workspace.tree(oid) for oid in dict.fromkeys((*pushed, *known))]


def _locks(workspace: Workspace, agreed: list[GitTree]) -> LockCover | None:
    """What is known of locks where those of the given trees count, the first one's checks too."""
    known = workspace.knowledge().locks
    cover = locks_of(workspace.git, agreed, agreed, ())
    return cover if known is None or cover is None else replace(cover, checks=[*known.checks, *cover.checks])


def _including(workspace: Workspace, version: Version) -> Knowledge:
    """Knowledge in which the pushed version counts, even where it is pushed from an object that no local tag names."""
    knowledge = workspace.knowledge()
    if any(known.name == version.name and known.source == version.source for known in knowledge.versions):
        return knowledge
    others = tuple(known for known in knowledge.versions if known.name != version.name)
    return replace(knowledge, versions=(*others, version))


def _lost(workspace: Workspace, update: RefUpdate, branch: str, commit: str) -> Iterator[PushProblem]:
    """A protected branch keeps its records: not rewritten away, not edited, not torn, as `verify` has it.

    A whole record that no answer rests on any more, as `git revert` takes along, is warned about. What the remote has
    may not be here; then Git refuses the push, or a server that verifies does.
    """
    old = None if update.creates else workspace.git.commit_of(update.remote_oid)
    items = [] if old is None else list(lost(workspace, old, commit))
    if old is None or not items:
        return
    wrong = missed(workspace, old, commit, items)
    items = wrong or items
    texts = [f"{item.path} {item.text()}" for item in items]
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    fix = f"next: git checkout {update.remote_oid[:10]} -- PATH brings each back"
    details = (*texts[:_SHOWN], *more, fix)
    yield PushProblem(Refusal.RECORD_LOST, update.remote_ref, branch, warning=not wrong, details=details)


def _lost_exposures(workspace: Workspace, update: RefUpdate, branch: str, commit: str) -> Iterator[PushProblem]:
    """A protected branch keeps every line of its logs of exposures."""
    old = None if update.creates else workspace.git.commit_of(update.remote_oid)
    if old is None or workspace.knowledge().exposures is None:
        return
    from heldout.services.exposing.check import lost_lines

    if texts := lost_lines(workspace, old, commit):
        yield PushProblem(Refusal.RECORD_LOST, update.remote_ref, branch, details=tuple(texts[:_SHOWN]))


def _has_dataset(workspace: Workspace, name: str) -> bool:
    head = workspace.git.head()
    if head is not None and workspace.catalog(head).has(name):
        return True
    return bool(workspace.versions_of(name))


def _branch(workspace: Workspace, update: RefUpdate) -> Iterator[PushProblem]:
    """A protected branch with a contaminated dataset is refused, another one warned about: reviewers need to see it.

    Content that went past the hooks unscanned may be contaminated; on a protected branch that is said.
    """
    commit = workspace.git.commit_of(update.local_oid)
    if commit is None:
        return
    branch = update.remote_ref[len(_HEADS) :]
    protected = branch in workspace.settings.protected_branches
    if protected:
        yield from _lost(workspace, update, branch, commit)
        yield from _lost_exposures(workspace, update, branch, commit)
    catalog = workspace.catalog(commit)
    known = workspace.knowledge()
    there = [workspace.tree(commit)]
    recorded = knowledge_of(workspace.git, known.versions, there, workspace.settings)
    decided = reviews_of(workspace.git, there)
    exposures = known.exposures
    if recorded.exposures is not None:
        from heldout.domain.exposing.cover import joined

        exposures = joined(exposures, recorded.exposures)
    for name in catalog.names:
        try:
            state = catalog.state(name)
        except HeldoutError:
            continue  # pre-commit and verify report a broken dataset; here it can hide no contamination of a version
        scans, locks = Scans([*known.scans, *recorded.scans]), _locks(workspace, there)
        knowledge = replace(known, scans=scans, reviews=decided, exposures=exposures, locks=locks)
        answer = knowledge.answer(name, state.source)
        if answer.contaminated:
            subject = f"{name} on {branch}"
            # A log of exposures has to reach the others: only versions are refused for what it says.
            warning = not protected or answer.only_exposed
            yield PushProblem(Refusal.PROTECTED_BRANCH, update.remote_ref, subject, answer, warning=warning)
        elif protected and workspace.settings.scan_on_commit and not knowledge.scans_of(state.source):
            subject = f"{name} on {branch}"
            unscanned = replace(answer, gaps=tuple(gap for gap in answer.gaps if gap.kind is GapKind.NOT_SCANNED))
            yield PushProblem(Refusal.NOT_COVERED, update.remote_ref, subject, unscanned, warning=True)
