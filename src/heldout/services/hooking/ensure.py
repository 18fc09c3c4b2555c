"""Records enter history: in the commit that changes a dataset, or in a follow-up commit when that was missed.

`before_commit` adds the record to the commit being made, and new definitions of slices to their history.
`after_commit` repairs what went past it (a merge, --no-verify) and costs nothing where the record exists.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.domain.coverage import Knowledge
from heldout.domain.dataset import DatasetSpec
from heldout.domain.outcomes import HookOutcome
from heldout.domain.splitting.prompt_policy import PromptCheck, PromptPolicy
from heldout.errors import ConfigError, HeldoutError, MissingDataError, RepositoryError
from heldout.services.knowledge import knowledge_of
from heldout.services.recording import FOLLOW_UP_SUBJECT, commit_records, files_of
from heldout.services.slicing.history import adopt_recorded, record_staged, stage_recorded
from heldout.services.splitting.locks import lock_notes, locked_states, removed_locks
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT, Catalog, DatasetState
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.settings_file import read_settings
from heldout.storage.working_files import link_on_the_way

if TYPE_CHECKING:
    from heldout.services.scanner import Scanned, Scanner


def before_commit(git: Git) -> HookOutcome:
    """Check the staged datasets and add their scan records to the commit being made.

    Never fetches, and never blocks on data that is not here. Raises ConfigError or DataError where the commit itself
    is wrong: a broken dataset.yaml, a data file staged into Git, a row that cannot be read.
    """
    oid = git.index_tree()
    if oid is None:
        return HookOutcome()
    workspace = Workspace(git)
    tree = workspace.tree(oid)
    head = git.head()
    changed = list(tree.paths()) if head is None else git.changed_paths(head, tree.oid)
    states = _staged_states(tree, workspace.catalog(oid), changed)
    settings = read_settings(tree)
    prompts = _in_prompts(workspace, tree, states, settings.prompts, changed)
    if prompts.excerpts and settings.prompts.block:
        return HookOutcome(prompts=prompts, refused=True)
    recorded, notes = record_staged(git, tree, changed)
    scanned: list[Scanned] = []
    scanner = None
    if locks := locked_states(tree, states, changed):
        from heldout.services.scanner import Scanner

        scanner = Scanner(workspace, fetch=False)
        notes += lock_notes(scanner, tree, locks)
    notes += removed_locks(tree, states, changed)
    if settings.scan_on_commit:
        scanned, missing = _scan_missing(workspace, states, tree, scanner)
        notes += missing
    if files := {**files_of(scanned), **_exposed(workspace, tree, states), **_locked(workspace, tree, states, scanner)}:
        git.stage(files)
    if scanned:
        notes += _sealed(workspace, states, scanned, workspace.catalog(oid))
    if recorded:
        stage_recorded(git, tree, recorded)
    return replace(_outcome(scanned, notes), prompts=prompts)


def after_commit(git: Git) -> HookOutcome:
    """Add a follow-up commit with the records that HEAD's datasets lack; touches nothing else."""
    head = git.head()
    if head is None or git.in_progress():
        return HookOutcome()
    workspace = Workspace(git)
    tree = workspace.tree(head)
    notes = _amended_follow_up(git, head)
    lacking = _lacking(workspace, workspace.catalog(head), tree) if workspace.settings.scan_on_commit else []
    adopt_recorded(git, head)
    if not lacking:
        _adopt_records(git, tree)
        return HookOutcome(notes=tuple(notes))
    if git.branch() is None:
        return HookOutcome(notes=("HEAD is detached, so its scan records were not committed: heldout scan NAME@HEAD",))
    if git.is_published(head):
        return HookOutcome(notes=("HEAD is on a remote already; its scan records are missing: heldout scan --all",))
    scanned, missing = _scan_missing(workspace, lacking, tree)
    notes += missing
    if scanned:
        files = {**files_of(scanned), **_exposed(workspace, tree, lacking), **_locked(workspace, tree, lacking)}
        commit = commit_records(workspace, files, notes)
        notes.append(f"scan records committed as {commit[:10]}")
    return _outcome(scanned, notes)


def _amended_follow_up(git: Git, head: str) -> list[str]:
    """A warning where `git commit --amend` has just put other changes into a follow-up commit of ours."""
    # Asked of rev-parse: cat-file ends with an error where the reflog is shorter (the first commit) or kept off.
    before = git.line("rev-parse", "-q", "--verify", "HEAD@{1}^{commit}")
    if before is None or git.parents(before) != git.parents(head):
        return []
    if git.line("log", "-1", "--format=%s", before) != FOLLOW_UP_SUBJECT:
        return []
    if all("/scans/" in path for path in git.changed_paths(before, head)):
        return []
    return [
        f"you amended {before[:10]}, a commit that only added scan records; your change is now part of it. "
        f"To give it a commit of its own: git reset --soft {before[:10]}, then git commit"
    ]


def _outcome(scanned: Iterable[Scanned], notes: Iterable[str]) -> HookOutcome:
    return HookOutcome(tuple(item.done() for item in scanned), tuple(notes))


def _in_prompts(
    workspace: Workspace, tree: GitTree, states: Sequence[DatasetState], policy: PromptPolicy, changed: Sequence[str]
) -> PromptCheck:
    if not policy.files:
        return PromptCheck()
    from heldout.services.splitting.prompts import check_prompts

    return check_prompts(workspace, tree, states, policy, changed)


def _staged_states(tree: GitTree, catalog: Catalog, changed: Sequence[str]) -> list[DatasetState]:
    """States of the staged datasets. One that this commit does not touch may be broken: that is an older problem."""
    states = []
    for name in catalog.names:
        touched = any(path.startswith(f"{ROOT}/{name}/") for path in changed)
        if touched:
            _refuse_data_in_git(tree, catalog.spec(name))
        try:
            states.append(catalog.state(name))
        except HeldoutError:
            if touched:
                raise
    return states


def _refuse_data_in_git(tree: GitTree, spec: DatasetSpec) -> None:
    for path in spec.tracked_paths():
        place = posixpath.normpath(f"{ROOT}/{spec.name}/{path}")
        if tree.paths(place):
            raise ConfigError(
                "data-in-git",
                "this data file is staged into Git, which would keep every version of it for ever; DVC tracks data",
                file=place,
                hint=f"git rm -r --cached {place}, then dvc add {place}",
            )


def _scan_missing(
    workspace: Workspace, states: Iterable[DatasetState], tree: GitTree, scanner: Scanner | None = None
) -> tuple[list[Scanned], list[str]]:
    """Scan each state that the tree holds no record of; and a sentence for each whose data is not here."""
    recorded = _recorded(workspace, tree)
    missing = [state for state in states if not recorded.scans_of(state.source)]
    if not missing:
        return [], []
    from heldout.services.scanner import Scanner  # numpy, 80 ms that a commit with its records does not pay

    scanner = scanner or Scanner(workspace, fetch=False)
    scanned: list[Scanned] = []
    notes: list[str] = []
    for state in missing:
        if (link := _link_to_records(workspace, state)) is not None:
            notes.append(f"{state.name} was not scanned: {link} is a symbolic link, so no record can lie there")
            continue
        try:
            scanned.append(scanner.scan(state))
        except MissingDataError as error:
            notes.append(f"{state.name} was not scanned: {error.message} ({error.hint})")
    return scanned, notes


def _link_to_records(workspace: Workspace, state: DatasetState) -> str | None:
    """The link that stands where the state's records, or a folder of theirs, would."""
    return link_on_the_way(workspace.git.top, f"{state.folder}/scans")


def _sealed(
    workspace: Workspace, states: Iterable[DatasetState], scanned: Sequence[Scanned], catalog: Catalog
) -> list[str]:
    """What published signatures say of versions whose texts could not be read here."""
    left_out = {version.source: version for item in scanned for version, _ in item.left_out}
    if not left_out:
        return []
    from heldout.services.sealing.check import hook_notes

    sources = {item.result.record.source for item in scanned}
    chosen = [state for state in states if state.source in sources]
    return [*hook_notes(workspace, chosen, left_out.values(), catalog)]


def _exposed(workspace: Workspace, tree: GitTree, states: Sequence[DatasetState]) -> dict[str, bytes]:
    """What these states hold out of the examples that their datasets' logs call exposed; nothing without a log."""
    states = [state for state in states if _link_to_records(workspace, state) is None]
    if not any(tree.paths(f"{state.folder}/exposures.jsonl") for state in states):
        return {}
    from heldout.services.exposing.check import for_states

    return for_states(workspace, tree, states)


def _locked(
    workspace: Workspace, tree: GitTree, states: Sequence[DatasetState], scanner: Scanner | None = None
) -> dict[str, bytes]:
    """How these states differ from the locks beside them, where the tree does not say so yet."""
    states = [state for state in states if _link_to_records(workspace, state) is None]
    if not any(tree.read(f"{state.folder}/split.lock") for state in states):
        return {}
    from heldout.services.scanner import Scanner
    from heldout.services.splitting.lock_checks import files_lacking

    return dict(files_lacking(scanner or Scanner(workspace, fetch=False), tree, states))


def _recorded(workspace: Workspace, tree: GitTree) -> Knowledge:
    return knowledge_of(workspace.git, (), [tree], workspace.settings)


def _lacking(workspace: Workspace, catalog: Catalog, tree: GitTree) -> list[DatasetState]:
    recorded = _recorded(workspace, tree)
    found = []
    for name in catalog.names:
        try:
            state = catalog.state(name)
        except HeldoutError:
            continue  # the commit exists already; `status`, `doctor` and the next commit say what is wrong
        if not recorded.scans_of(state.source):
            found.append(state)
    return found


def _adopt_records(git: Git, tree: GitTree) -> None:
    """After `git commit PATH` the record is in HEAD but not in the user's index: bring it there."""
    paths = [path for path in tree.paths(ROOT) if "/scans/" in path]
    try:
        git.adopt(paths)
    except RepositoryError:
        return  # a held index.lock: the next commit brings it along
