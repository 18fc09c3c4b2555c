"""Scans on demand: one subject, or whatever keeps the frozen versions from being covered."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.coverage import Version
from heldout.domain.outcomes import ScanDone
from heldout.services.progress import Progress
from heldout.services.reading import read_version
from heldout.services.recording import commit_records, files_of, write_records
from heldout.services.scanner import Scanned, Scanner, sweep
from heldout.services.sources import PlainFiles
from heldout.services.workspace import Workspace


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
        files = PlainFiles(workspace.git.top / located.state.folder)
        reading = read_version(located.state.spec, located.state.source, files, progress=progress)
        scanned = scanner.scan_reading(reading)
        return ScanReport((scanned.done(),), advisory=True)
    scanned = scanner.scan(located.state, located.commit)
    return ScanReport((scanned.done(),), recorded=_record(workspace, [scanned], progress, commit=commit))


def scan_all(workspace: Workspace, progress: Progress, *, commit: bool) -> ScanReport:
    """Scan until every pair of frozen versions is covered; a covered repository costs nothing."""
    swept = sweep(workspace, Scanner(workspace, fetch=True, progress=progress))
    recorded = _record(workspace, swept.scanned, progress, commit=commit) if swept.scanned else None
    return ScanReport(tuple(item.done() for item in swept.scanned), swept.failed, recorded)


def _record(
    workspace: Workspace, scanned: list[Scanned] | tuple[Scanned, ...], progress: Progress, *, commit: bool
) -> str:
    files = files_of(scanned)
    if not commit:
        write_records(workspace, files)
        return "working copy"
    notes: list[str] = []
    name = commit_records(workspace, files, notes)
    for note in notes:
        progress.note(note)
    return name
