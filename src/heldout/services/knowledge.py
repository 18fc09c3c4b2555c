"""What one clone knows: the frozen versions its tags name, and the records and retirements of its committed trees."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator

from heldout.domain.coverage import Knowledge, Retirement, Scan, Version
from heldout.domain.names import VersionName, split_tag
from heldout.domain.record import ScanRecord
from heldout.domain.settings import Settings
from heldout.errors import HeldoutError, TamperedError
from heldout.storage.catalog import ROOT, Catalog
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree
from heldout.storage.records import FINDINGS_FILE, RECORD_FILE, check_place, load_findings, parse_record
from heldout.storage.retirements import is_retirement, parse_retirement


def gather(git: Git, catalog: Callable[[str], Catalog], settings: Settings) -> Knowledge:
    """Knowledge from HEAD, every remote-tracking branch and every version tag's commit; never from the working copy."""
    versions = list(frozen_versions(git, catalog))
    trees = [catalog(commit).tree for commit in _commits(git, versions)]
    return knowledge_of(git, versions, [tree for tree in trees if isinstance(tree, GitTree)], settings)


def knowledge_of(git: Git, versions: Iterable[Version], trees: Iterable[GitTree], settings: Settings) -> Knowledge:
    """Knowledge from given trees, for callers that look at another set of them (a push, the index)."""
    files = _files(trees)
    contents = git.read_blobs(oid for path, oid in files.items() if _is_small(path))
    scans, damaged = [], []
    for path, oid in sorted(files.items()):
        if posixpath.basename(path) != RECORD_FILE:
            continue
        try:
            record = parse_record(contents[oid], path)
            check_place(record, path)
        except TamperedError as error:
            damaged.append((dataset_of(path), error.message))
            continue
        if settings.accepts(record.method_digest):
            scans.append(_scan(git, record, files.get(posixpath.join(posixpath.dirname(path), FINDINGS_FILE))))
    return Knowledge(
        versions=tuple(versions),
        scans=tuple(scans),
        retirements=tuple(_retirements(files, contents)),
        shallow=git.is_shallow(),
        damaged=tuple(damaged),
    )


def frozen_versions(git: Git, catalog: Callable[[str], Catalog]) -> Iterator[Version]:
    """Tags in GTO's syntax whose dataset exists in the commit they name. Others pass unseen: monorepos have many."""
    for tag in git.version_tags():
        parsed = split_tag(tag.name)
        if parsed is None:
            continue
        name, number = parsed
        if number is None or not catalog(tag.commit).has(name):
            continue
        try:
            source = catalog(tag.commit).state(name).source
        except HeldoutError:
            # A dataset.yaml that cannot be read names no content: the tag is a version without records, so unknown.
            source = f"unreadable:{tag.commit}"
        yield Version(VersionName(name, number), tag.commit, source, tag.annotated)


def dataset_of(path: str) -> str:
    """The dataset in whose folder a record or review lies."""
    for part in ("/scans/", "/reviews/"):
        head, found, _ = path.rpartition(part)
        if found:
            return head[len(ROOT) + 1 :]
    return ""


def _commits(git: Git, versions: Iterable[Version]) -> list[str]:
    head = git.head()
    commits = [head] if head else []
    commits += [ref.oid for ref in git.remote_refs()]
    commits += [version.commit for version in versions]
    return list(dict.fromkeys(commits))


def _files(trees: Iterable[GitTree]) -> dict[str, str]:
    """Blob by path of records, findings and retirements; the first tree that has a path decides (HEAD comes first)."""
    files: dict[str, str] = {}
    for tree in trees:
        for entry in tree.entries(ROOT):
            if "/scans/" in entry.path or is_retirement(entry.path):
                files.setdefault(entry.path, entry.oid)
    return files


def _scan(git: Git, record: ScanRecord, findings_oid: str | None) -> Scan:
    def read() -> bytes | None:
        return git.read_blobs([findings_oid])[findings_oid] if findings_oid else None

    return Scan(record, lambda: load_findings(record, read))


def _retirements(files: dict[str, str], contents: dict[str, bytes]) -> Iterator[Retirement]:
    for path, oid in sorted(files.items()):
        if is_retirement(path):
            yield parse_retirement(contents[oid], path)


def _is_small(path: str) -> bool:
    """Records and retirements are read at once; findings can be long and are read when an answer needs them."""
    return posixpath.basename(path) == RECORD_FILE or is_retirement(path)
