"""The server's side of a push: a pre-receive hook that trusts no hook of the pusher.

Git holds the pushed objects in quarantine and shows them to the hook; no reference has changed yet. So the question is
what the repository would know after the push, and the rules are those that were agreed on before it: settings, allowed
signers and protected branches are HEAD's.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.outcomes import PushVerdict
from heldout.domain.record import ScanRecord
from heldout.domain.verification import Check, Level, Problem
from heldout.errors import TamperedError, UsageError
from heldout.services.hooking import push_guard
from heldout.services.knowledge import frozen_versions, knowledge_of
from heldout.services.progress import Progress
from heldout.services.verifying.record_check import checked_record
from heldout.services.verifying.replay import Replay, replay_all
from heldout.services.verifying.signed import Signers, agreed_state
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import ROOT, DatasetState
from heldout.storage.git.history import tag_object
from heldout.storage.git.refs import Ref, RefUpdate, Tag
from heldout.storage.git.trees import GitTree
from heldout.storage.records import RECORD_FILE

_TAGS, _HEADS = "refs/tags/", "refs/heads/"


@dataclass(frozen=True, slots=True)
class Received:
    """The verdict that a push gets anywhere, and what making its records again found."""

    verdict: PushVerdict
    check: Check


def parse_received(text: str) -> list[RefUpdate]:
    """pre-receive's standard input: the old id, the new id and the reference, a line each. Raises UsageError."""
    updates = []
    for line in text.splitlines():
        fields = line.split(" ", 2)
        if len(fields) != 3:
            raise UsageError("bad-update", f"{line!r} is no line of Git's pre-receive hook: OLD NEW REF")
        old, new, ref = fields
        updates.append(RefUpdate(ref, new, ref, old))
    return updates


def receive(
    workspace: Workspace,
    updates: Sequence[RefUpdate],
    progress: Progress,
    *,
    replay: bool = True,
    signers_file: str | None = None,
    require_signed: bool = False,
) -> Received:
    """One verdict on all refs of a push."""
    git = workspace.git
    pushed = _pushed_commits(workspace, updates)
    heads = [ref for ref in git.branches() if ref.name not in {update.remote_ref for update in updates}]
    tags = _tags_after(workspace, updates)
    _know(workspace, updates, heads, tags, pushed)
    problems: list[Problem] = []
    records = _new_records(workspace, pushed, problems)
    states = _states(workspace, pushed)
    made = 0
    if replay and records:
        live = {*states, *(version.source for version in workspace.knowledge().versions)}
        wanted = {path: item for path, item in records.items() if item[0].source in live}
        found, made = replay_all(Replay(workspace, states, progress, fetch=False), wanted, live)
        problems += found
    if require_signed:
        problems += _signatures(workspace, updates, signers_file)
    verdict = push_guard.verdict_on(workspace, updates)
    return Received(verdict, Check(None, git.head() or "", len(records), made, tuple(problems)))


def _pushed_commits(workspace: Workspace, updates: Sequence[RefUpdate]) -> list[str]:
    found = (workspace.git.commit_of(update.local_oid) for update in updates if not update.deletes)
    return list(dict.fromkeys(commit for commit in found if commit))


def _tags_after(workspace: Workspace, updates: Sequence[RefUpdate]) -> list[Tag]:
    tags = {tag.name: tag for tag in workspace.git.version_tags()}
    for update in updates:
        if update.remote_ref.startswith(_TAGS):
            name = update.remote_ref[len(_TAGS) :]
            made = None if update.deletes else tag_object(workspace.git, name, update.local_oid)
            if made is not None and "@" in posixpath.basename(name):
                tags[name] = made
    return [tags[name] for name in sorted(tags)]


def _know(
    workspace: Workspace, updates: Sequence[RefUpdate], heads: Sequence[Ref], tags: Sequence[Tag], pushed: Sequence[str]
) -> None:
    """Records of every branch and version, pushed or here; retirements of the protected branches."""
    git, settings = workspace.git, workspace.settings
    versions = list(frozen_versions(git, workspace.catalog, tags))
    commits = [*pushed, *(ref.oid for ref in heads), *(version.commit for version in versions)]
    protected = {_HEADS + branch for branch in settings.protected_branches}
    agreed = [ref.oid for ref in heads if ref.name in protected]
    agreed += [item.local_oid for item in updates if item.remote_ref in protected and not item.deletes]
    workspace.know(
        knowledge_of(
            git,
            versions,
            git.many_trees(list(dict.fromkeys(commits))),
            settings,
            agreed_in=git.many_trees(list(dict.fromkeys(agreed))),
        )
    )


def _new_records(
    workspace: Workspace, pushed: Sequence[str], problems: list[Problem]
) -> dict[str, tuple[ScanRecord, GitTree]]:
    """Records of the pushed commits that no reference here has with the same bytes, each held against itself."""
    git = workspace.git
    here = [*(ref.oid for ref in git.branches()), *(tag.commit for tag in git.version_tags())]
    known = {(entry.path, entry.oid) for tree in git.many_trees(here) for entry in tree.entries(ROOT)}
    records: dict[str, tuple[ScanRecord, GitTree]] = {}
    for tree in git.many_trees(pushed):
        for path in _record_paths(tree, known):
            try:
                record = checked_record(tree, path, tree.read(path) or b"", workspace.settings.method)
            except TamperedError as error:
                problems.append(Problem(Level.FAILED, path, error.message, error.slug))
            else:
                records.setdefault(path, (record, tree))
    return records


def _record_paths(tree: GitTree, known: set[tuple[str, str]]) -> Iterator[str]:
    """Records of which either file is new: both are what a record says."""
    changed = (entry.path for entry in tree.entries(ROOT) if (entry.path, entry.oid) not in known)
    folders = dict.fromkeys(posixpath.dirname(path) for path in changed if "/scans/" in path)
    return (path for folder in folders if tree.paths(path := f"{folder}/{RECORD_FILE}"))


def _states(workspace: Workspace, pushed: Sequence[str]) -> dict[str, DatasetState]:
    catalogs = [workspace.catalog(commit) for commit in pushed]
    states = (readable_state(catalog, name) for catalog in catalogs for name in catalog.names)
    return {state.source: state for state in states if state is not None}


def _signatures(workspace: Workspace, updates: Sequence[RefUpdate], file: str | None) -> Iterator[Problem]:
    pushed = {update.remote_ref[len(_TAGS) :] for update in updates if not update.deletes}
    versions = [item for item in workspace.knowledge().versions if str(item.name) in pushed]
    if not versions:
        return
    signers = Signers(workspace, agreed_state(workspace, None, []), file)
    oids = {update.remote_ref: update.local_oid for update in updates}
    for version in versions:
        tag = tag_object(workspace.git, str(version.name), oids[_TAGS + str(version.name)])
        problem = signers.problem(tag, version, new=True) if tag else None
        if problem is not None:
            yield problem
