"""Every dataset at a glance: what it is, its versions with their answers, and what was compared with what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heldout.domain.coverage import Version
from heldout.domain.coverage_matrix import CoverageMatrix, coverage_matrix
from heldout.domain.listing import VersionRow
from heldout.domain.record import ScanRecord
from heldout.domain.standing import DatasetStanding
from heldout.errors import HeldoutError
from heldout.services.listing import best_record, list_versions
from heldout.services.status import status
from heldout.services.workspace import Workspace
from heldout.storage.catalog import DatasetState


@dataclass(frozen=True, slots=True)
class VersionView:
    """A version, the day its commit was made, and the record that counted its examples (None: nobody scanned it)."""

    row: VersionRow
    day: str
    record: ScanRecord | None


@dataclass(frozen=True, slots=True)
class DatasetView:
    """`state` is the working copy's, None where there is none or it cannot be read; `record` of what it points at."""

    standing: DatasetStanding
    state: DatasetState | None
    record: ScanRecord | None
    versions: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    datasets: tuple[DatasetView, ...]
    matrix: CoverageMatrix


def overview(workspace: Workspace) -> Overview:
    """Reads no rows."""
    standings = status(workspace)
    rows = list_versions(workspace)
    days = _days(workspace, [row.version for row in rows])
    views = [_view(workspace, standing, [row for row in rows if row.version.dataset == standing.name], days)
             for standing in standings]  # fmt: skip
    return Overview(tuple(views), coverage_matrix(workspace.knowledge()))


def _view(
    workspace: Workspace, standing: DatasetStanding, rows: Sequence[VersionRow], days: dict[str, str]
) -> DatasetView:
    state = _state(workspace, standing.name)
    return DatasetView(
        standing,
        state,
        _record(workspace, state.source) if state else None,
        tuple(
            VersionView(row, days.get(row.version.commit, ""), _record(workspace, row.version.source))
            for row in reversed(rows)
        ),
    )


def _state(workspace: Workspace, name: str) -> DatasetState | None:
    try:
        if workspace.git.bare:
            head = workspace.git.head()
            return workspace.catalog(head).state(name) if head else None
        return workspace.working_copy.state(name)
    except HeldoutError:
        return None


def _record(workspace: Workspace, source: str) -> ScanRecord | None:
    return best_record(scan.record for scan in workspace.knowledge().scans_of(source))


def _days(workspace: Workspace, versions: Sequence[Version]) -> dict[str, str]:
    """The committer's day of each version's commit, as YYYY-MM-DD."""
    commits = list(dict.fromkeys(version.commit for version in versions))
    if not commits:
        return {}
    listed = workspace.git.run("show", "-s", "--format=%H %cs", *commits).decode().split("\n")
    return dict(line.split(" ", 1) for line in listed if " " in line)
