"""Verification: what hooks check, replayed where hooks cannot be trusted to have run (CI, a server).

A record is a function of data and method, so it can be made again and compared byte for byte: a forged or edited one
does not survive. Where the data cannot be had, consistency is checked and the rest is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heldout.domain.answer import GapKind
from heldout.domain.coverage import Version
from heldout.domain.record import ScanRecord
from heldout.domain.verification import Check, Level, Problem
from heldout.errors import HeldoutError, TamperedError
from heldout.services.progress import Progress
from heldout.services.verifying import changes, exposures, prompts, refs, reviews, roles, slices
from heldout.services.verifying.kept import lost, missed
from heldout.services.verifying.locks import locks
from heldout.services.verifying.record_check import checked_record
from heldout.services.verifying.replay import Replay, replay_all
from heldout.services.verifying.signed import Signers, agreed_state
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT, DatasetState
from heldout.storage.corpora.records import ROOT as CORPORA
from heldout.storage.git.trees import GitTree
from heldout.storage.people.retirements import is_retirement, parse_retirement
from heldout.storage.records import RECORD_FILE


@dataclass(frozen=True, slots=True)
class Scope:
    """What is new: everything at `head` that is not at `base`; with no base, everything.

    `every_record` says that records are made again whether they are new or not, `every_version` that older versions
    fail like new ones.
    """

    head: str
    base: str | None
    every_record: bool
    every_version: bool = False


@dataclass(frozen=True, slots=True)
class Signing:
    """That versions have to be signed; `file` names the allowed signers, None the usual place."""

    file: str | None = None


def verify(
    workspace: Workspace,
    progress: Progress,
    *,
    base: str | None = None,
    everything: bool = False,
    replay: bool = True,
    signing: Signing | None = None,
) -> Check:
    """Check HEAD's datasets, records, retirements and every version this clone knows."""
    git = workspace.git
    head = git.require_commit("HEAD")
    start = _base(workspace, base, head)
    # On the default branch itself nothing is new, and a check of nothing must not read like a check.
    scope = Scope(head, start, everything or (base is None and start == head), everything)
    problems: list[Problem] = []
    states = _states(workspace, head, problems)
    problems += _history(workspace, scope)
    problems += slices.slices(workspace, head, scope.base if not everything else None)
    problems += prompts.prompts(workspace, head, states.values(), progress, fetch=replay)
    problems += locks(workspace, (head, start), states.values(), progress, fetch=replay)
    problems += reviews.reviews(workspace, head, scope.base if not everything else None)
    problems += reviews.standing(workspace, head)
    problems += roles.roles(workspace, states.values())
    if replay:
        problems += changes.holdout_changes(workspace, head, scope.base, progress)
    if any(workspace.tree(commit).folder(CORPORA) is not None for commit in {head, start or head}):
        from heldout.services.verifying import corpora as verify_corpora

        since = scope.base if not everything else None
        every = scope.every_record
        problems += verify_corpora.corpora(workspace, head, since, progress, every_record=every, replay=replay)
    problems += exposures.exposures(workspace, head, scope.base if not everything else None, progress, replay=replay)
    records = _records(workspace, scope, problems)
    problems += _retirements(workspace, scope)
    replayed = _replays(workspace, progress, scope, records, states, problems) if replay else 0
    problems += _heads(workspace, scope, states)
    problems += _versions(workspace, scope)
    problems += refs.on_remotes(workspace, progress)
    problems += refs.rewritten(workspace)
    problems += refs.left_behind(workspace)
    if signing is not None:
        agreed = agreed_state(workspace, base, workspace.git.remotes())
        signers = Signers(workspace, agreed, signing.file)
        problems += refs.signatures(workspace, signers, lambda version: _is_new_version(workspace, scope, version))
    return Check(scope.base, head, len(records), replayed, tuple(problems))


def _base(workspace: Workspace, base: str | None, head: str) -> str | None:
    """The commit this work started from: the one given, or where it left the remote's default branch."""
    git = workspace.git
    if base is not None:
        return git.merge_base(git.require_commit(base), head) or git.require_commit(base)
    for name in ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"):
        if (commit := git.commit_of(name)) is not None:
            return git.merge_base(commit, head)
    return None


def _states(workspace: Workspace, head: str, problems: list[Problem]) -> dict[str, DatasetState]:
    """HEAD's datasets by source digest; a broken one is a problem."""
    catalog = workspace.catalog(head)
    states = {}
    for name in catalog.names:
        try:
            state = catalog.state(name)
        except HeldoutError as error:
            problems.append(Problem(Level.FAILED, f"{ROOT}/{name}", str(error), error.slug))
        else:
            states[state.source] = state
    return states


def _history(workspace: Workspace, scope: Scope) -> Iterator[Problem]:
    """Records are add-only: since the base none may have been changed, or removed while an answer rests on it."""
    if scope.base is None:
        return
    items = list(lost(workspace, scope.base, scope.head))
    wrong = missed(workspace, scope.base, scope.head, items)
    for item in items:
        text = f"{item.text()} since {scope.base[:10]}"
        if item in wrong:
            rule = "a retirement is never rewritten" if item.retirement else "records are only ever added"
            yield Problem(Level.FAILED, item.path, f"{text}; {rule}", "record-not-kept")
        else:
            yield Problem(Level.REPORTED, item.path, f"{text}, and no answer rests on it any more", "record-not-kept")


def _records(workspace: Workspace, scope: Scope, problems: list[Problem]) -> dict[str, tuple[ScanRecord, GitTree]]:
    """Records by path and the tree they are in: HEAD's, and those that a new version brings from another branch."""
    aside = [version.commit for version in workspace.knowledge().versions if _is_aside(workspace, scope, version)]
    records: dict[str, tuple[ScanRecord, GitTree]] = {}
    for tree in (workspace.tree(commit) for commit in dict.fromkeys((scope.head, *aside))):
        found = (path for path in tree.paths(ROOT) if path.endswith("/" + RECORD_FILE) and "/scans/" in path)
        paths = [path for path in found if path not in records]
        contents = tree.read_many(paths)
        for path in paths:
            try:
                record = checked_record(tree, path, contents[path], workspace.settings.method)
            except TamperedError as error:
                problems.append(Problem(Level.FAILED, path, error.message, error.slug))
            else:
                records[path] = (record, tree)
    return records


def _is_aside(workspace: Workspace, scope: Scope, version: Version) -> bool:
    """Whether a version that is to be verified is not in HEAD's history."""
    git = workspace.git
    if not (scope.every_record or _is_new_version(workspace, scope, version)):
        return False
    return not git.is_ancestor(version.commit, scope.head)


def _retirements(workspace: Workspace, scope: Scope) -> Iterator[Problem]:
    """Each can be read, and is about what its version holds: of any other content it takes no evidence away."""
    tree = workspace.tree(scope.head)
    held = {version.name: version.source for version in workspace.knowledge().versions}
    for path in tree.paths(ROOT):
        if is_retirement(path):
            try:
                retirement = parse_retirement(tree.read(path) or b"", path)
            except HeldoutError as error:
                yield Problem(Level.FAILED, path, str(error), error.slug)
                continue
            if held.get(retirement.version, retirement.source) != retirement.source:
                text = f"retires another content than {retirement.version} has: the file was edited, or the tag moved"
                yield Problem(Level.FAILED, path, text, "retirement-of-other-content")


def _is_new(workspace: Workspace, scope: Scope, path: str) -> bool:
    return scope.every_record or scope.base is None or not workspace.tree(scope.base).paths(path)


def _replays(
    workspace: Workspace,
    progress: Progress,
    scope: Scope,
    records: dict[str, tuple[ScanRecord, GitTree]],
    states: dict[str, DatasetState],
    problems: list[Problem],
) -> int:
    """Make again every record that an answer rests on and that is new; older content nobody answers for is left.

    Returns how many were made.
    """
    live = {*states, *(version.source for version in workspace.knowledge().versions)}
    wanted = {
        path: item
        for path, item in sorted(records.items())
        if item[0].source in live and _is_new(workspace, scope, path)
    }
    found, made = replay_all(Replay(workspace, states, progress), wanted, live)
    problems += found
    return made


def _heads(workspace: Workspace, scope: Scope, states: dict[str, DatasetState]) -> Iterator[Problem]:
    """The datasets of HEAD itself: recorded, and no holdout given away. What the base has too is reported only."""
    knowledge = workspace.knowledge()
    old = set() if scope.base in (None, scope.head) else set(_states(workspace, scope.base, []))
    for source, state in states.items():
        answer = knowledge.answer(state.name, source)
        place = state.folder
        if answer.contaminated:
            level = Level.REPORTED if source in old else Level.FAILED
            yield Problem(level, place, answer.wrong, "contaminated")
        elif any(gap.kind is GapKind.NOT_SCANNED for gap in answer.gaps):
            yield Problem(Level.UNKNOWN, place, "HEAD has no scan record of this content", "not-scanned")
        elif any(gap.kind is GapKind.SCAN_INCOMPLETE for gap in answer.gaps):
            yield Problem(Level.UNKNOWN, place, "its scan is incomplete", "scan-incomplete")


def _versions(workspace: Workspace, scope: Scope) -> Iterator[Problem]:
    """New versions must be clean or free of holdouts; old ones are reported and fail nothing."""
    knowledge = workspace.knowledge()
    for version in knowledge.taking_part:
        yield from _version(workspace, version, new=_is_new_version(workspace, scope, version))


def _is_new_version(workspace: Workspace, scope: Scope, version: Version) -> bool:
    """A tag on HEAD is new even where HEAD is the base: that is how a forge checks a tag that was pushed."""
    if scope.every_version or scope.base is None or (scope.base == scope.head == version.commit):
        return True
    return not workspace.git.is_ancestor(version.commit, scope.base)


def _version(workspace: Workspace, version: Version, *, new: bool) -> Iterator[Problem]:
    knowledge = workspace.knowledge()
    yield from refs.misnamed(version)
    answer = knowledge.answer(version.dataset, version.source)
    name = str(version.name)
    if answer.contaminated:
        level = Level.FAILED if new else Level.REPORTED
        yield Problem(level, name, answer.wrong, "contaminated")
    for other, hits in knowledge.contaminates(version).items() if new else ():
        count = len({hit.held.identity() for hit in hits})
        yield Problem(Level.FAILED, name, f"gives {count} held-out examples of {other.name} away", "gives-away")
    gaps = [gap.text for gap in answer.gaps if gap.kind is not GapKind.NO_HOLDOUT]
    if gaps:
        level = Level.UNKNOWN if new else Level.REPORTED
        yield Problem(level, name, "; ".join(gaps), "not-covered")
