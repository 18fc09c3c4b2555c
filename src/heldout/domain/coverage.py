"""Coverage and the answer: is a version's holdout clean, contaminated, or does nobody know yet? (B48-B50, A29, A30)

Everything here is decided from records alone. Data is read by scans, never by a gate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from heldout.domain.finding import Finding, Side
from heldout.domain.names import VersionName
from heldout.domain.record import ScanRecord


class Verdict(StrEnum):
    CLEAN = "clean"
    CONTAMINATED = "contaminated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Version:
    """A frozen version: a tag, the commit it names, and the digest of what that commit holds for the dataset."""

    name: VersionName
    commit: str
    source: str
    annotated: bool = True

    @property
    def dataset(self) -> str:
        return self.name.dataset


@dataclass(frozen=True, slots=True)
class Retirement:
    """A version that no longer takes part, and why; bound to what the version holds, so that a moved tag revives it."""

    version: VersionName
    source: str
    reason: str
    by: str
    reviewer: str | None = None


class Scan:
    """A record and, loaded only when needed, its findings."""

    def __init__(self, record: ScanRecord, load_findings: Callable[[], tuple[Finding, ...]]) -> None:
        self.record = record
        self._load = load_findings

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return self._load()


class GapKind(StrEnum):
    """Why a version is not covered."""

    NOT_SCANNED = "not_scanned"
    SCAN_INCOMPLETE = "scan_incomplete"
    NOT_COMPARED = "not_compared"
    NO_HOLDOUT = "no_holdout"
    NOT_FROZEN = "not_frozen"
    RETIRED = "retired"
    SHALLOW = "shallow"
    UNREADABLE_RECORD = "unreadable_record"


@dataclass(frozen=True, slots=True)
class Gap:
    """One missing piece of knowledge; `other` is the version the subject was not compared with."""

    kind: GapKind
    text: str
    other: VersionName | None = None


@dataclass(frozen=True, slots=True)
class Contamination:
    """A held-out example of the subject and an example outside a holdout that gives it away."""

    finding: Finding
    held: Side
    other: Side


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an evaluation: `contaminated`, the findings, `complete` (B48). Unknown is never clean."""

    dataset: str
    source: str
    findings: tuple[Contamination, ...]
    gaps: tuple[Gap, ...]

    @property
    def contaminated(self) -> bool:
        return bool(self.findings)

    @property
    def complete(self) -> bool:
        return not self.gaps

    @property
    def verdict(self) -> Verdict:
        if self.contaminated:
            return Verdict.CONTAMINATED
        return Verdict.CLEAN if self.complete else Verdict.UNKNOWN


@dataclass(frozen=True)
class Knowledge:
    """What one repository knows: its frozen versions, retirements and records of the accepted methods.

    `shallow` says that history, and with it versions, may be missing. Records of other methods are left out by whoever
    builds this (A31). `damaged` are records that cannot be trusted, as (dataset, what is wrong): they count as absent,
    and explain a gap where there is one.
    """

    versions: Sequence[Version]
    scans: Sequence[Scan]
    retirements: Sequence[Retirement] = ()
    shallow: bool = False
    damaged: Sequence[tuple[str, str]] = ()

    def is_retired(self, version: Version) -> bool:
        return any(item.version == version.name and item.source == version.source for item in self.retirements)

    @cached_property
    def taking_part(self) -> tuple[Version, ...]:
        """Frozen versions that are not retired."""
        return tuple(version for version in self.versions if not self.is_retired(version))

    @cached_property
    def live(self) -> frozenset[str]:
        """Source digests of the versions that take part."""
        return frozenset(version.source for version in self.taking_part)

    def scans_of(self, source: str) -> list[Scan]:
        return [scan for scan in self.scans if scan.record.source == source]

    def complete_scans_of(self, source: str) -> list[Scan]:
        return [scan for scan in self.scans_of(source) if scan.record.self_complete]

    def compared(self, first: str, second: str) -> bool:
        """Whether the two versions were compared in full, from either side (A30); equal contents need no comparison."""
        if first == second:
            return True
        return any(
            scan.record.self_complete and scan.record.covers(other)
            for source, other in ((first, second), (second, first))
            for scan in self.scans_of(source)
        )

    def contaminations(self, source: str) -> tuple[Contamination, ...]:
        """Findings whose holdout side `source` holds (A29), each once, worst kind and lowest label first."""
        found: dict[str, Contamination] = {}
        for scan in self.scans:
            if not scan.record.contaminations:
                continue
            if scan.record.source != source and scan.record.source not in self.live:
                continue
            for finding in scan.findings:
                for held, other in finding.sides_exposed(source, self.live):
                    found.setdefault(finding.id, Contamination(finding, held, other))
        return tuple(sorted(found.values(), key=lambda item: item.finding.sort_key()))

    def contaminates(self, version: Version) -> dict[Version, tuple[Contamination, ...]]:
        """Other datasets' frozen holdouts that this version gives away, by holding their examples outside a holdout.

        Versions of its own dataset do not count: moving a holdout example to a development split is the official fix.
        """
        result = {}
        for other in self.taking_part:
            if other.dataset == version.dataset:
                continue
            hits = tuple(hit for hit in self.contaminations(other.source) if version.source in hit.other.open_in)
            if hits:
                result[other] = hits
        return result

    def gaps(self, dataset: str, source: str) -> tuple[Gap, ...]:
        """What is missing before `source` can be called clean; empty is complete(V) of A30 with A52."""
        gaps: list[Gap] = []
        if self.shallow:
            gaps.append(Gap(GapKind.SHALLOW, "this clone is shallow, so versions and records may be missing here"))
        gaps += self._own_gaps(source)
        gaps += self._uncompared(source)
        if gaps:
            gaps += [
                Gap(GapKind.UNREADABLE_RECORD, f"a record cannot be trusted: {what}")
                for name, what in self.damaged
                if name == dataset
            ]
        return tuple(gaps)

    def _own_gaps(self, source: str) -> Iterable[Gap]:
        own = self.scans_of(source)
        if not own:
            yield Gap(GapKind.NOT_SCANNED, "it has no scan record")
            return
        if not self.complete_scans_of(source):
            reasons = "; ".join(sorted({reason for scan in own for reason in scan.record.incomplete}))
            yield Gap(GapKind.SCAN_INCOMPLETE, f"its scan is incomplete: {reasons}")
        if not own[0].record.holdout_members:
            yield Gap(GapKind.NO_HOLDOUT, "no example of it is in a holdout split")

    def _uncompared(self, source: str) -> Iterable[Gap]:
        seen: set[str] = set()
        for other in self.taking_part:
            if other.source in seen or self.compared(source, other.source):
                continue
            seen.add(other.source)
            yield Gap(GapKind.NOT_COMPARED, f"it has not been compared with {other.name}", other.name)

    def answer(self, dataset: str, source: str, extra: Collection[Gap] = ()) -> Answer:
        """The whole answer for a source; `extra` gaps are the caller's (an untagged subject is never clean)."""
        return Answer(dataset, source, self.contaminations(source), (*extra, *self.gaps(dataset, source)))
