"""What one clone knows: the frozen versions its tags name, and the records and retirements of its committed trees."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from heldout.domain.canonical import digest_bytes
from heldout.domain.coverage import Knowledge, Version
from heldout.domain.deciding.review import NO_REVIEWS, Reviews
from heldout.domain.names import VersionName, split_tag
from heldout.domain.record import ScanRecord
from heldout.domain.scans import Scan, Scans
from heldout.domain.settings import Settings
from heldout.errors import ConfigError, HeldoutError, TamperedError
from heldout.storage.catalog import ROOT, Catalog, names_content
from heldout.storage.git.refs import RemoteSettings, Tag
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import REGULAR_MODES, GitTree, entries_of_all, preload
from heldout.storage.people.retirements import is_retirement, parse_retirement
from heldout.storage.records import FINDINGS_FILE, RECORD_FILE, check_place, load_findings, parse_record
from heldout.storage.trees import FileTree

if TYPE_CHECKING:
    from heldout.domain.exposing.cover import ExposureCover
    from heldout.domain.finding import Finding
    from heldout.domain.splitting.lock_cover import LockCover


def gather(git: Git, catalog: Callable[[str], Catalog], settings: Settings) -> Knowledge:
    """Knowledge from HEAD, every remote-tracking branch and every version tag's commit; never from the working copy.

    Retirements and decisions take evidence away, so they count only where they were agreed on: in HEAD, and in what was
    last seen of a remote's protected and default branches.
    """
    versions = list(frozen_versions(git, catalog))
    trees = [catalog(commit).tree for commit in _commits(git, versions)]
    remotes = git.remote_settings()
    head = git.head()
    agreed = [catalog(commit).tree for commit in (*([head] if head else []), *agreed_commits(git, settings, remotes))]
    known = knowledge_of(git, versions, _git_trees(trees), settings, agreed_in=_git_trees(agreed))
    return replace(known, shallow=git.is_shallow(), unfetched=tuple(_unfetched(remotes)))


def knowledge_of(
    git: Git,
    versions: Iterable[Version],
    trees: Iterable[GitTree],
    settings: Settings,
    agreed_in: Iterable[GitTree] = (),
) -> Knowledge:
    """Knowledge from given trees, for callers that look at another set of them (a push, the index).

    `agreed_in` are those whose retirements and decisions count.
    """
    trees, agreed, versions = tuple(trees), tuple(agreed_in), tuple(versions)
    files = _files(trees, _is_record_file)
    retirements = _files(agreed, is_retirement)
    small = [oid for path, oids in files.items() if posixpath.basename(path) == RECORD_FILE for oid in oids]
    contents = git.read_blobs([*small, *(oids[0] for oids in retirements.values())])
    scans: list[Scan] = []
    damaged: list[tuple[str, str]] = []
    for path, oids in sorted(files.items()):
        if posixpath.basename(path) == RECORD_FILE:
            records, problems = _records(path, [contents[oid] for oid in oids])
            damaged += problems
            findings = files.get(posixpath.join(posixpath.dirname(path), FINDINGS_FILE), [])
            scans += [_scan(git, record, findings) for record in records if settings.accepts(record.method_digest)]
    retired = (parse_retirement(contents[oids[0]], path) for path, oids in sorted(retirements.items()))
    corpora = None
    if settings.corpora:
        from heldout.services.corpora.knowledge import corpus_cover

        corpora = corpus_cover(git, trees, settings)
    known = Knowledge(versions, Scans(scans), tuple(retired), damaged=tuple(damaged), corpora=corpora)
    locks = locks_of(git, trees, agreed, versions)
    return replace(known, reviews=reviews_of(git, agreed), exposures=_exposures(git, trees, settings), locks=locks)


def _exposures(git: Git, trees: Iterable[GitTree], settings: Settings) -> ExposureCover | None:
    """None where nobody ever logged an exposure: the usual case, and then nothing is imported for it."""
    files = _files(trees, lambda path: path.endswith("/exposures.jsonl") or "/scans/exposed/" in path)
    if not any(path.endswith("/exposures.jsonl") for path in files):
        return None
    from heldout.services.exposing.knowledge import exposure_cover, is_exposure_file

    return exposure_cover(git, {path: oids for path, oids in files.items() if is_exposure_file(path)}, settings)


def locks_of(
    git: Git, trees: Iterable[GitTree], agreed: Iterable[GitTree], versions: Iterable[Version]
) -> LockCover | None:
    """What is known of locks: checks in any of the trees, locks of the agreed ones and of the versions' commits. None
    where nobody ever locked a split."""
    files = _files(trees, lambda path: path.endswith("/split.lock") or "/scans/locked/" in path)
    if not any(path.endswith("/split.lock") for path in files):
        return None
    from heldout.services.splitting.lock_knowledge import lock_cover

    return lock_cover(git, files, agreed, versions)


def reviews_of(git: Git, trees: Sequence[GitTree]) -> Reviews:
    """Decisions in the trees; where they differ on one finding, the first tree's. A file that is not what it should be
    decides nothing, nor do two files that say different things of one finding: `heldout review list` and verify name
    them."""
    files = _files(trees, _maybe_review)
    if not files:
        return NO_REVIEWS
    from heldout.domain.deciding.review import contradictions
    from heldout.storage.people.reviews import is_review, parse_review

    files = {path: oids for path, oids in files.items() if is_review(path)}
    contents = git.read_blobs([oids[0] for oids in files.values()])
    found = {}
    for path, oids in sorted(files.items()):
        with suppress(ConfigError):
            found[path] = parse_review(contents[oids[0]], path)
    contested = contradictions(found)
    agreed = (review for path, review in found.items() if path not in contested)
    return Reviews.of(agreed, datetime.now(UTC).date())


def _maybe_review(path: str) -> bool:
    return "/reviews/" in path and not is_retirement(path)


def frozen_versions(
    git: Git, catalog: Callable[[str], Catalog], tags: Sequence[Tag] | None = None
) -> Iterator[Version]:
    """Tags in GTO's syntax whose dataset exists in the commit they name. Others pass unseen: monorepos have many.

    `tags` are other tags than the repository has: those it will have after a push.
    """
    tags = git.version_tags() if tags is None else tags
    preload(git.many_trees([tag.commit for tag in tags]), ROOT, names_content)
    for tag in tags:
        parsed = split_tag(tag.name)
        if parsed is None:
            continue
        name, number = parsed
        if number is None or not catalog(tag.commit).has(name):
            continue
        try:
            state = catalog(tag.commit).state(name)
        except HeldoutError:
            # A dataset.yaml that cannot be read names no content: the tag is a version without records, so unknown.
            source, holdout = f"unreadable:{tag.commit}", None
        else:
            source, holdout = state.source, state.spec.holdout_names()
        made_as = tag.says if tag.misnamed else None
        yield Version(VersionName(name, number), tag.commit, source, tag.annotated, holdout, made_as)


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


def agreed_commits(git: Git, settings: Settings, remotes: Iterable[str]) -> list[str]:
    """What was last seen of each remote's protected branches and its default one."""
    commits: list[str] = []
    for remote in remotes:
        names = [*settings.protected_branches, "HEAD"]
        commits += [commit for name in names if (commit := git.commit_of(f"refs/remotes/{remote}/{name}"))]
    return list(dict.fromkeys(commits))


def _unfetched(remotes: Mapping[str, RemoteSettings]) -> Iterator[str]:
    """Remotes whose versions this clone was told not to fetch: then it cannot know them all, like a shallow one."""
    for remote, said in remotes.items():
        if said.tags == "--no-tags":
            what = "no tags"
        elif said.tags != "--tags" and not any("refs/heads/*:" in spec for spec in said.fetch):
            what = "only some branches and their tags"
        else:
            continue
        fix = f"git config remote.{remote}.tagOpt --tags, then git fetch {remote}"
        yield f"this clone fetches {what} from {remote}, so versions may be missing here ({fix})"


def _git_trees(trees: Iterable[FileTree]) -> list[GitTree]:
    return [tree for tree in trees if isinstance(tree, GitTree)]


def _is_record_file(path: str) -> bool:
    return "/scans/" in path


def _files(trees: Iterable[GitTree], wanted: Callable[[str], bool]) -> dict[str, list[str]]:
    """The blobs that the trees have at each wanted path, each once, HEAD's first.

    A record never changes, so there is one; where a tree's copy was damaged or edited, another tree's still counts.
    """
    files: dict[str, list[str]] = {}
    for entry in entries_of_all(trees, ROOT):
        if entry.mode in REGULAR_MODES and wanted(entry.path):
            oids = files.setdefault(entry.path, [])
            if entry.oid not in oids:
                oids.append(entry.oid)
    return files


def _records(path: str, copies: Iterable[bytes]) -> tuple[list[ScanRecord], list[tuple[str, str]]]:
    """Every readable copy of a record, for contaminated by any is contaminated; or, of none, what is wrong."""
    records: list[ScanRecord] = []
    problems: list[tuple[str, str]] = []
    for data in copies:
        try:
            records.append(_record(data, path))
        except TamperedError as error:
            problems.append((dataset_of(path), error.message))
    return records, [] if records else problems


@lru_cache(maxsize=4096)
def _record(data: bytes, path: str) -> ScanRecord:
    """Remembered: a hook looks at one commit's records first, and then at those of all versions."""
    record = parse_record(data, path)
    check_place(record, path)
    return record


def _scan(git: Git, record: ScanRecord, findings: Sequence[str]) -> Scan:
    """Findings can be long, and are read when an answer needs them; of several copies, the one that the record names
    by digest."""

    def load() -> tuple[Finding, ...]:
        copies = (git.read_blobs([oid])[oid] for oid in findings)
        data = None
        for data in copies:
            if digest_bytes(data) == record.findings_digest:
                break
        return load_findings(record, lambda: data)

    return Scan(record, load)
