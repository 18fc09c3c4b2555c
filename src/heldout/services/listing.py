"""Looking without reading data: versions, one state, and scan records."""

from __future__ import annotations

from collections.abc import Iterable

from heldout.domain.answer import Gap, GapKind
from heldout.domain.coverage import Knowledge, Retirement, Version
from heldout.domain.listing import Names, ScanListing, ScanRow, ScanStatus, Shown, TrackedFile, VersionRow
from heldout.domain.names import VersionName
from heldout.domain.record import ScanRecord
from heldout.domain.settings import Settings
from heldout.services.gate import answer_for
from heldout.services.knowledge import gather
from heldout.services.workspace import Workspace


def list_versions(workspace: Workspace, dataset: str | None = None) -> list[VersionRow]:
    """Frozen versions by dataset and number, each with its answer. Raises UsageError (slug unknown-dataset)."""
    knowledge = workspace.knowledge()
    versions = [version for version in knowledge.versions if dataset in (None, version.dataset)]
    if not versions and dataset is not None:
        require_dataset(workspace, dataset)
    return [_version_row(knowledge, version) for version in sorted(versions, key=lambda item: item.name)]


def require_dataset(workspace: Workspace, dataset: str) -> None:
    """Raises UsageError (slug unknown-dataset) for a name that neither the working copy nor HEAD knows."""
    head = workspace.git.head()
    if not workspace.git.bare:
        workspace.working_copy.spec(dataset)
    elif head is not None:
        workspace.catalog(head).spec(dataset)


def _version_row(knowledge: Knowledge, version: Version) -> VersionRow:
    retirement = _retirement(knowledge, version)
    extra = [Gap(GapKind.RETIRED, "it was retired and takes part in no comparison any more")] if retirement else []
    return VersionRow(version, knowledge.answer(version.dataset, version.source, extra), retirement)


def _retirement(knowledge: Knowledge, version: Version) -> Retirement | None:
    matching = (item for item in knowledge.retirements if item.version == version.name)
    return next((item for item in matching if item.source == version.source), None)


def show(workspace: Workspace, subject: str) -> Shown:
    """What a working copy, version or commit is, by its dataset.yaml, pointers and records."""
    located = workspace.find(subject)
    knowledge = workspace.knowledge()
    state = located.state
    record = best_record(scan.record for scan in knowledge.scans_of(state.source))
    return Shown(
        subject=located.subject,
        commit=located.commit,
        version=located.version,
        spec=state.spec,
        files=tuple(TrackedFile(item.path, item.md5, item.size, item.is_dir) for item in state.outputs),
        source=state.source,
        record=record,
        answer=answer_for(workspace, located).answer,
        twins=_twins(knowledge, record, located.version),
        retirement=_retirement(knowledge, located.version) if located.version else None,
    )


def best_record(records: Iterable[ScanRecord]) -> ScanRecord | None:
    """Of several records of one content the one that was compared with most; they agree on everything else."""
    return max(records, key=lambda record: (record.self_complete, len(record.compared), record.id), default=None)


def _twins(knowledge: Knowledge, record: ScanRecord | None, itself: Version | None) -> tuple[VersionName, ...]:
    """Versions that hold the same examples, by the content digests of their records."""
    if record is None:
        return ()
    same = {scan.record.source for scan in knowledge.scans if scan.record.content == record.content}
    names = (version.name for version in knowledge.versions if version.source in same and version != itself)
    return tuple(sorted(name for name in names if name.dataset == record.dataset))


class _EveryMethod(Settings):
    """Settings under which every record is read, whatever its method, so that it can be listed."""

    def accepts(self, method_digest: str) -> bool:
        del method_digest
        return True


def list_scans(workspace: Workspace, dataset: str | None = None) -> ScanListing:
    """Every committed record that this clone knows (B45). Raises UsageError (slug unknown-dataset)."""
    known = gather(workspace.git, workspace.catalog, _EveryMethod())
    records = [scan.record for scan in known.scans if dataset in (None, scan.record.dataset)]
    if not records and dataset is not None:
        require_dataset(workspace, dataset)
    names = Names.of(known, workspace.sources_at_head())
    rows = sorted(
        (ScanRow(record, _status(record, workspace.settings)) for record in records),
        key=lambda row: _scan_order(row.record, names),
    )
    damaged = tuple((name, what) for name, what in known.damaged if dataset in (None, name))
    return ScanListing(tuple(rows), names, damaged)


def _status(record: ScanRecord, settings: Settings) -> ScanStatus:
    if not settings.accepts(record.method_digest):
        return ScanStatus.OTHER_METHOD
    return ScanStatus.COMPLETE if record.self_complete else ScanStatus.INCOMPLETE


def _scan_order(record: ScanRecord, names: Names) -> tuple[object, ...]:
    """By dataset, then frozen versions by number, then content that no tag freezes."""
    named = [name for name in names.named(record.source) if name.dataset == record.dataset]
    return (record.dataset, not named, [*named[:1]], record.source, len(record.compared), record.id)
