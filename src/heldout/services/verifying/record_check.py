"""A record against itself: its place, its findings, its counts. Needs no data; what data gives is for `replay`."""

from __future__ import annotations

from heldout.domain.finding import counts_of
from heldout.domain.method import Method
from heldout.domain.record import ScanRecord
from heldout.errors import TamperedError
from heldout.storage.finding_lines import parse_findings, render_findings
from heldout.storage.git.trees import GitTree
from heldout.storage.records import FINDINGS_FILE, check_place, load_findings, parse_record, sources_of


def checked_record(tree: GitTree, path: str, data: bytes, method: Method) -> ScanRecord:
    """The record at `path`, whose bytes are `data`. Raises TamperedError: record-unreadable, record-misplaced,
    findings-changed, record-inconsistent.

    A record of another method may count and sort in another way, so that of it only digests are checked.
    """
    record = parse_record(data, path)
    check_place(record, path)
    findings = tree.read(f"{record.folder()}/{FINDINGS_FILE}")
    load_findings(record, lambda: findings)
    if record.method_digest == method.digest and findings is not None:
        _check_findings(record, findings, path)
    return record


def _check_findings(record: ScanRecord, data: bytes, path: str) -> None:
    sources = sources_of(record)
    findings, clusters = parse_findings(data, sources)
    if render_findings(findings, clusters, sources) != data:
        raise _inconsistent(path, "its findings are not written the way Heldout writes them")
    if list(findings) != sorted(findings, key=lambda item: item.sort_key()):
        raise _inconsistent(path, "its findings are not in their order")
    if record.findings_lines != len(findings) + len(clusters):
        raise _inconsistent(path, "it names another number of findings than its file has")
    if dict(record.counts) != counts_of(findings):
        raise _inconsistent(path, "its counts are not those of its findings")


def _inconsistent(path: str, what: str) -> TamperedError:
    return TamperedError(
        "record-inconsistent", f"{path}: {what}", hint="heldout verify --all makes the record again and compares it"
    )
