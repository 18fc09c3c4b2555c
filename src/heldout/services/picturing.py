"""What the pictures are made of, gathered from one repository."""

from __future__ import annotations

from heldout.domain.coverage_matrix import CoverageMatrix
from heldout.domain.listing import FindingListing, Shown, VersionRow
from heldout.domain.record import ScanRecord
from heldout.domain.slicing.views import SliceTable
from heldout.errors import UsageError
from heldout.services.browsing.overview import overview
from heldout.services.findings import list_findings
from heldout.services.listing import require_dataset, show
from heldout.services.progress import SILENT, Progress
from heldout.services.slicing.counting import table
from heldout.services.slicing.use import find_target
from heldout.services.workspace import Workspace


def coverage(workspace: Workspace) -> CoverageMatrix:
    return overview(workspace).matrix


def splits(workspace: Workspace, subject: str) -> tuple[Shown, FindingListing]:
    return show(workspace, subject), list_findings(workspace, subject)


def slices(workspace: Workspace, subject: str | None, progress: Progress = SILENT) -> SliceTable:
    """Counted in the data. Raises UsageError (slug which-dataset) where several datasets could be meant."""
    if subject is None:
        names = workspace.working_copy.names
        if len(names) != 1:
            known = ", ".join(names) or "none yet"
            raise UsageError("which-dataset", "name the dataset whose slices are drawn", hint=f"datasets here: {known}")
        subject = names[0]
    return table(workspace, find_target(workspace, subject), progress)


def versions(workspace: Workspace, dataset: str | None) -> list[tuple[VersionRow, str, ScanRecord | None]]:
    """Each version with the day of its commit and its record. Raises UsageError (slug unknown-dataset)."""
    found = [
        (version.row, version.day, version.record)
        for view in overview(workspace).datasets
        for version in view.versions
        if dataset in (None, view.standing.name)
    ]
    if not found and dataset is not None:
        require_dataset(workspace, dataset)
    return found
