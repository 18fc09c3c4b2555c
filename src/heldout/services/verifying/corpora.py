"""Records of corpora, verified: against themselves always, and from the files where this machine has them."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.canonical import digest, digest_bytes
from heldout.domain.corpora.corpus import (
    LISTED,
    CorpusFinding,
    CorpusRecord,
    HitKind,
    PlacedHit,
    counts_of,
    manifest_digest,
)
from heldout.domain.verification import Level, Problem
from heldout.errors import HeldoutError, TamperedError
from heldout.services.corpora.holdouts import held_out
from heldout.services.corpora.scan import scan_corpus
from heldout.services.corpora.use import place_of, record_paths
from heldout.services.progress import Progress
from heldout.services.scanner import Scanner
from heldout.services.workspace import Workspace
from heldout.storage.corpora.files import find_files
from heldout.storage.corpora.records import (
    FINDINGS_FILE,
    ROOT,
    SHARDS_FILE,
    check_place,
    load_findings,
    parse_record,
    parse_shards,
    render_findings,
    render_record,
    render_shards,
)
from heldout.storage.trees import FileTree


def corpora(
    workspace: Workspace, head: str, base: str | None, progress: Progress, *, every_record: bool, replay: bool
) -> Iterator[Problem]:
    """Problems of the records in HEAD; those new since `base` are made again from the files, where they are here."""
    tree = workspace.tree(head)
    yield from _lost(workspace, head, base)
    for path in record_paths(tree):
        try:
            record = checked_record(tree, path)
        except TamperedError as error:
            yield Problem(Level.FAILED, path, error.message, error.slug)
            continue
        is_new = every_record or base is None or not workspace.tree(base).paths(path)
        if replay and is_new:
            yield from _replay(workspace, tree, path, record, progress)


def _lost(workspace: Workspace, head: str, base: str | None) -> Iterator[Problem]:
    """Records are only ever added."""
    if base is None:
        return
    before, after = workspace.tree(base), workspace.tree(head)
    for path in workspace.git.changed_paths(before.oid, after.oid, (ROOT,)):
        if "/scans/" in path and before.paths(path):
            what = "was changed" if after.paths(path) else "was removed"
            text = f"{what} since {base[:10]}; records are only ever added"
            yield Problem(Level.FAILED, path, text, "record-not-kept")


def checked_record(tree: FileTree, path: str) -> CorpusRecord:
    """The record at `path`, held against itself, its findings and its list of shards.

    Raises TamperedError: record-unreadable, record-misplaced, findings-changed, record-inconsistent.
    """
    data = tree.read(path) or b""
    record = parse_record(data, path)
    check_place(record, path)
    if render_record(record) != data:
        raise _inconsistent(path, "it is not written the way Heldout writes records")
    if digest({"id": record.method_id, "parameters": dict(record.method_parameters)}) != record.method_digest:
        raise _inconsistent(path, "its method's digest is not that of its parameters")
    _check_shards(record, tree.read(f"{record.folder()}/{SHARDS_FILE}"), path)
    data = tree.read(f"{record.folder()}/{FINDINGS_FILE}") or b""
    _check_findings(record, load_findings(record, data), data, path)
    return record


def _check_shards(record: CorpusRecord, data: bytes | None, path: str) -> None:
    if data is None or digest_bytes(data) != record.manifest_file:
        raise _inconsistent(path, f"its {SHARDS_FILE} is missing, or not the file that it names")
    try:
        shards = parse_shards(data)
        rendered = render_shards(shards)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _inconsistent(path, f"its {SHARDS_FILE} lists no shards: {error!r}") from error
    totals = (sum(getattr(shard, name) for shard in shards) for name in ("size", "rows", "no_text", "skipped"))
    if rendered != data or len({shard.path for shard in shards}) != len(shards):
        raise _inconsistent(path, f"its {SHARDS_FILE} is not written the way Heldout writes it")
    if manifest_digest(shards) != record.manifest or len(shards) != record.shards:
        raise _inconsistent(path, "its manifest is not that of its shards")
    if tuple(totals) != (record.size, record.rows, record.no_text, record.skipped):
        raise _inconsistent(path, "its numbers are not those of its shards")
    if bool(record.skipped) != bool(record.incomplete):
        raise _inconsistent(path, "it skipped rows and calls itself complete, or the reverse")


def _check_findings(record: CorpusRecord, findings: tuple[CorpusFinding, ...], data: bytes, path: str) -> None:
    if render_findings(findings, record.sources()) != data:
        raise _inconsistent(path, "its findings are not written the way Heldout writes them")
    if list(findings) != sorted(findings, key=CorpusFinding.sort_key):
        raise _inconsistent(path, "its findings are not in their order")
    if len(findings) != record.findings_lines or counts_of(findings) != dict(record.counts):
        raise _inconsistent(path, "its counts are not those of its findings")
    by_input = {finding.held.input: finding.counts for finding in findings}
    if {kind.value: sum(counts[kind] for counts in by_input.values()) for kind in HitKind} != dict(record.hits):
        raise _inconsistent(path, "its numbers of rows are not those of its findings")
    for finding in findings:
        listed = len(finding.hits) == min(LISTED, sum(finding.counts.values()))
        if not listed or list(finding.hits) != sorted(finding.hits, key=PlacedHit.order):
            raise _inconsistent(path, f"the rows of its finding {finding.id} are not the first, in their order")


def _inconsistent(path: str, what: str) -> TamperedError:
    return TamperedError("record-inconsistent", f"{path}: {what}", hint="scan the corpus again and compare")


def _replay(
    workspace: Workspace, tree: FileTree, path: str, record: CorpusRecord, progress: Progress
) -> Iterator[Problem]:
    method = workspace.settings.method
    places = place_of(workspace, record.corpus)
    if record.method_digest != method.digest or places is None:
        why = "it is of another method" if places else "its files are not known on this machine"
        yield Problem(Level.REPORTED, path, f"was not made again: {why}", "record-not-replayed")
        return
    versions = {version.source: version for version in workspace.knowledge().versions}
    if any(item.source not in versions for item in record.against):
        text = "was not made again: a version it was made against is not in this clone"
        yield Problem(Level.REPORTED, path, text, "record-not-replayed")
        return
    scanner = Scanner(workspace, fetch=True, progress=progress)
    try:
        found = find_files(places)
        chosen = [versions[item.source] for item in record.against]
        states = [(workspace.catalog(item.commit).state(item.dataset), item.commit) for item in chosen]
        holdouts = held_out([scanner.reading(state, commit) for state, commit in states])
        made = scan_corpus(record.corpus, found, record.reading, holdouts, method, progress)
    except HeldoutError as error:
        yield Problem(Level.REPORTED, path, f"was not made again: {error}", "record-not-replayed")
        return
    if made.record.manifest != record.manifest:
        text = "was not made again: its files are other ones by now"
        yield Problem(Level.REPORTED, path, text, "record-not-replayed")
    elif any(tree.read(file) != data for file, data in made.files().items()):
        yield Problem(Level.FAILED, path, "is not what its files and method give", "record-forged")
