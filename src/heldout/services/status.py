"""Where every dataset stands: working copy against HEAD, records, and the answer of each version. Reads no rows."""

from __future__ import annotations

from heldout.domain.coverage import Knowledge
from heldout.domain.standing import Change, DatasetStanding, VersionStanding
from heldout.errors import HeldoutError
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import Catalog, DatasetState

_HASHED_BYTES = 64_000_000
"""Files up to this size are read where their time says that they may have been edited; larger ones go by size."""


def status(workspace: Workspace) -> list[DatasetStanding]:
    """Datasets of the working copy, of HEAD and of every version, by name."""
    head = workspace.git.head()
    committed = workspace.catalog(head) if head else None
    knowledge = workspace.knowledge()
    names = {version.dataset for version in knowledge.versions} | set(committed.names if committed else ())
    if not workspace.git.bare:
        names |= set(workspace.working_copy.names)
    return [_standing(workspace, name, committed, knowledge) for name in sorted(names)]


def has_datasets(workspace: Workspace) -> bool:
    return not workspace.git.bare and bool(workspace.working_copy.names)


def _standing(workspace: Workspace, name: str, committed: Catalog | None, knowledge: Knowledge) -> DatasetStanding:
    at_head = readable_state(committed, name) if committed else None
    change, problem, working = _change(workspace, name, committed, at_head)
    return DatasetStanding(
        name=name,
        change=change,
        problem=problem,
        edited=_edited(workspace, working) if working else (),
        head=knowledge.answer(name, at_head.source) if at_head else None,
        recorded=bool(at_head and knowledge.scans_of(at_head.source)),
        versions=tuple(
            VersionStanding(version, knowledge.answer(name, version.source), retired=knowledge.is_retired(version))
            for version in workspace.versions_of(name)
        ),
    )


def _change(
    workspace: Workspace, name: str, committed: Catalog | None, at_head: DatasetState | None
) -> tuple[Change, str | None, DatasetState | None]:
    if workspace.git.bare:
        return Change.UNCHANGED, None, None
    in_head = committed is not None and committed.has(name)
    if not workspace.working_copy.has(name):
        return (Change.REMOVED if in_head else Change.UNCHANGED), None, None
    try:
        working = workspace.working_copy.state(name)
    except HeldoutError as error:
        return Change.BROKEN, str(error), None
    if not in_head:
        return Change.NEW, None, working
    same = at_head is not None and at_head.source == working.source
    return (Change.UNCHANGED if same else Change.CHANGED), None, working


def _edited(workspace: Workspace, state: DatasetState) -> tuple[str, ...]:
    """Data files on disk that are no longer what their pointers say: edited, and not yet given to DVC."""
    found = []
    for output in dict.fromkeys(state.outputs):
        file, pointer = workspace.git.top / output.path, workspace.git.top / output.pointer
        if output.is_dir or not file.is_file():
            continue
        about = file.stat()
        if output.size is not None and about.st_size != output.size:
            found.append(output.path)
        elif about.st_mtime_ns > pointer.stat().st_mtime_ns and about.st_size <= _HASHED_BYTES:
            found += [] if workspace.store.is_intact(output, file) else [output.path]
    return tuple(found)
