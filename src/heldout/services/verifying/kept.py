"""What is only ever added, records and retirements: what one state of history has and a later one lost."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.coverage import Knowledge
from heldout.domain.record import ScanRecord
from heldout.errors import TamperedError
from heldout.services.knowledge import dataset_of, knowledge_of
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import FILE, ROOT
from heldout.storage.git.trees import GitTree
from heldout.storage.people.retirements import is_retirement
from heldout.storage.records import RECORD_FILE, parse_record


@dataclass(frozen=True, slots=True)
class Lost:
    """`gone` where nothing is at the path any more, else it holds other bytes. `retirement` or else a record's file."""

    path: str
    gone: bool
    retirement: bool

    def text(self) -> str:
        return "was removed" if self.gone else "was changed"


def lost(workspace: Workspace, old: str, new: str) -> Iterator[Lost]:
    """Records and retirements of `old` that are not in `new` as they were.

    A dataset that was removed as a whole, or renamed, takes its records along: what they say of versions stays in the
    commits of the versions' tags. A retirement taken back brings evidence back, and hides nothing.
    """
    before, after = workspace.tree(old), workspace.tree(new)
    for path in workspace.git.changed_paths(before.oid, after.oid, (ROOT,)):
        retirement = is_retirement(path)
        if not (retirement or "/scans/" in path) or not before.paths(path):
            continue
        gone = not after.paths(path)
        if gone and (retirement or not after.paths(posixpath.join(ROOT, dataset_of(path), FILE))):
            continue
        yield Lost(path, gone, retirement)


def missed(workspace: Workspace, old: str, new: str, items: Sequence[Lost]) -> list[Lost]:
    """Those of `lost` that may not be lost: everything but whole records that no answer rests on any more.

    `git revert` of a commit takes along the record of what it brought. That is no loss where the content is neither in
    `new` nor frozen, or where another record, in `new` or in a version's commit, says all that this one said of what
    still is. A history that was rewritten, and a record that was edited or torn, are never that.
    """
    if not items or not workspace.git.is_ancestor(old, new):
        return list(items)
    before, after = workspace.tree(old), workspace.tree(new)
    asked = workspace.knowledge().live | _sources(workspace, new)
    items = [item for item in items if not (item.gone and _is_spent_check(before, item.path, asked))]
    folders = {posixpath.dirname(item.path) for item in items if item.gone and not item.retirement}
    whole = {folder for folder in folders if not after.paths(folder)}
    if not whole:
        return list(items)
    known = workspace.knowledge()
    trees = [after, *(workspace.tree(version.commit) for version in known.taking_part)]
    left = knowledge_of(workspace.git, known.versions, trees, workspace.settings)
    spent = set()
    for folder in whole:
        path = posixpath.join(folder, RECORD_FILE)
        try:
            record = parse_record(before.read(path) or b"", path)
        except TamperedError:
            continue
        if not workspace.settings.accepts(record.method_digest) or _is_told(record, asked, left):
            spent.add(folder)
    return [item for item in items if posixpath.dirname(item.path) not in spent]


def _is_spent_check(before: GitTree, path: str, live: Collection[str]) -> bool:
    """Whether a file says how a content differs from its lock, or what it holds out of a log, that nobody asks for."""
    from heldout.storage.people.exposure_log import is_check, parse_check
    from heldout.storage.splitting.lock_checks import is_lock_check, parse_lock_check

    parse = parse_lock_check if is_lock_check(path) else parse_check if is_check(path) else None
    try:
        return parse is not None and parse(before.read(path) or b"", path).source not in live
    except TamperedError:
        return False


def _sources(workspace: Workspace, commit: str) -> set[str]:
    catalog = workspace.catalog(commit)
    states = (readable_state(catalog, name) for name in catalog.names)
    return {state.source for state in states if state is not None}


def _is_told(record: ScanRecord, live: Collection[str], left: Knowledge) -> bool:
    """Whether all that a record says of contents that are still asked for is said by the records that are left."""
    if record.source not in live:
        return True
    if not (left.complete_scans_of if record.self_complete else left.scans_of)(record.source):
        return False
    for item in record.compared:
        says = left.compared if record.self_complete and item.complete else left.met
        if item.source in live and not says(record.source, item.source):
            return False
    return True
