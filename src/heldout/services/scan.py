"""Scans on demand: one subject, or whatever keeps the frozen versions from being covered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heldout.domain.answer import GapKind
from heldout.domain.coverage import Knowledge, Version
from heldout.domain.names import VersionName
from heldout.domain.outcomes import ScanDone
from heldout.services.contents import open_data
from heldout.services.payloads import fetch_payloads
from heldout.services.progress import Progress
from heldout.services.recording import commit_records, files_of, write_records
from heldout.services.scanner import Scanner, sweep, with_results
from heldout.services.splitting.lock_checks import checks_lacking
from heldout.services.workspace import Workspace

WORKING_COPY = "working copy"
_SCANNABLE = (GapKind.NOT_SCANNED, GapKind.SCAN_INCOMPLETE, GapKind.NOT_COMPARED, GapKind.PARTLY_COMPARED)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """`recorded` says where the records went: files in the working copy, or a commit. Advisory scans go nowhere."""

    scans: tuple[ScanDone, ...]
    failed: tuple[tuple[Version, str], ...] = ()
    recorded: str | None = None
    advisory: bool = False


def scan_subject(workspace: Workspace, subject: str, progress: Progress, *, commit: bool) -> ScanReport:
    """Scan a working copy for advice (B44), or a committed state for the record."""
    located = workspace.find(subject)
    scanner = Scanner(workspace, fetch=True, progress=progress)
    if located.commit is None:
        fetch_payloads(workspace, located, progress)
        data = open_data(workspace, located, progress)
        # Edited files are another content than their pointers say, to be compared with a version of those pointers too.
        source = WORKING_COPY if workspace.store.edited(located.state.outputs) else located.state.source
        reading = scanner.read(located.state.spec, source, data)
        scanned = scanner.scan_reading(reading)
        return ScanReport((scanned.done(),), advisory=True)
    scanned = scanner.scan(located.state, located.commit)
    files = {**files_of([scanned]), **checks_lacking(workspace, scanner, [located.state.name])}
    return ScanReport((scanned.done(),), recorded=_record(workspace, files, progress, commit=commit))


def scan_all(workspace: Workspace, progress: Progress, *, commit: bool) -> ScanReport:
    """Scan until every pair of frozen versions is covered, and hold what is locked against its lock; a covered
    repository costs nothing.

    What no scan can cover (an incomplete version) is among the failed ones: it is not done, it is impossible.
    """
    scanner = Scanner(workspace, fetch=True, progress=progress)
    swept = sweep(workspace, scanner)
    known = with_results(workspace.knowledge(), (item.result for item in swept.scanned))
    files = {**files_of(swept.scanned), **checks_lacking(workspace, scanner)}
    recorded = _record(workspace, files, progress, commit=commit) if files else None
    failed = (*swept.failed, *_uncovered(known, {version.name for version, _ in swept.failed}))
    return ScanReport(tuple(item.done() for item in swept.scanned), failed, recorded)


def _uncovered(knowledge: Knowledge, told: set[VersionName]) -> Iterator[tuple[Version, str]]:
    for version in knowledge.taking_part:
        gaps = [gap for gap in knowledge.gaps(version.dataset, version.source) if gap.kind in _SCANNABLE]
        if gaps and version.name not in told:
            yield version, "; ".join(gap.text for gap in gaps)


def _record(workspace: Workspace, files: Mapping[str, bytes], progress: Progress, *, commit: bool) -> str:
    if not commit:
        write_records(workspace, files)
        return "working copy"
    notes: list[str] = []
    name = commit_records(workspace, files, notes)
    for note in notes:
        progress.note(note)
    return name
