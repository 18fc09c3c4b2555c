"""Where every dataset stands: working copy against HEAD, records, and the answer of each version. Reads no rows."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.coverage import Knowledge
from heldout.domain.deciding.review_listing import Standing
from heldout.domain.standing import Change, DatasetStanding, Surroundings, VersionStanding
from heldout.errors import HeldoutError
from heldout.services.deciding.listing import list_reviews
from heldout.services.hooking.install import status as hook_status
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import ROOT, Catalog, DatasetState
from heldout.storage.people.reviews import is_review

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


def surroundings(workspace: Workspace) -> Surroundings:
    """What a step may be about beside a dataset. A bare repository has nothing to set up."""
    git = workspace.git
    if git.bare:
        return Surroundings(shallow=git.is_shallow())
    return Surroundings(tuple(_lacking(workspace)), git.is_shallow(), tuple(_unsaved(workspace)), _awaiting(workspace))


def _lacking(workspace: Workspace) -> Iterator[str]:
    if not workspace.store.is_initialised:
        yield "DVC is not set up"
    missing = [hook.name for hook in hook_status(workspace.git) if hook.state not in ("installed", "moved")]
    if missing:
        yield f"{len(missing)} of our hooks {'is' if len(missing) == 1 else 'are'} missing"


def _unsaved(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Files that Git would lose: records and decisions that are new or changed, and in no commit."""
    listed = workspace.git.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", ROOT)
    for entry in listed.decode("utf-8", "surrogateescape").split("\0"):
        path = entry[3:]
        dataset = path.removeprefix(f"{ROOT}/").partition("/scans/" if "/scans/" in path else "/reviews/")
        if dataset[1]:
            yield dataset[0], path


def _awaiting(workspace: Workspace) -> int:
    if not any(is_review(path) for path in workspace.working_copy.tree.paths(ROOT)):
        return 0  # findings can be a million, and without a decision nobody waits
    waits = (Standing.AWAITS_REVIEWER, Standing.NOT_AGREED)
    return sum(row.standing in waits for row in list_reviews(workspace).rows)


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
