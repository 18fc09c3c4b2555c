"""What the commands that only look have to show: records and findings with the names of the versions they are about.

Records name versions by source digest. A digest gets its names here, when it is read, from the tags of this clone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from heldout.domain.answer import Answer
from heldout.domain.coverage import Knowledge, Retirement, Version
from heldout.domain.dataset import DatasetSpec
from heldout.domain.finding import Finding, Kind, Severity, Side, by_id
from heldout.domain.names import Subject, VersionName
from heldout.domain.record import ScanRecord


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A frozen version, its answer, and the retirement that takes it out of comparisons."""

    version: Version
    answer: Answer
    retirement: Retirement | None = None


@dataclass(frozen=True, slots=True)
class TrackedFile:
    """A file or folder in DVC's hands: `path` from the repository's top, `size` in bytes where DVC wrote it."""

    path: str
    md5: str
    size: int | None
    is_dir: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A dataset's state as Git alone knows it. `record` is None where nobody scanned it: then no counts are known.

    `twins` are other versions with the same examples, whatever their files look like.
    """

    subject: Subject
    commit: str | None
    version: Version | None
    spec: DatasetSpec
    files: tuple[TrackedFile, ...]
    source: str
    record: ScanRecord | None
    answer: Answer
    twins: tuple[VersionName, ...] = ()
    retirement: Retirement | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Version names by source digest; `retired` are the digests of which no version takes part any more.

    `at_head` are the digests of HEAD's datasets, which have a name even before a tag gives them one.
    """

    versions: Mapping[str, tuple[VersionName, ...]] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()
    at_head: Collection[str] = ()

    @classmethod
    def of(cls, knowledge: Knowledge, at_head: Collection[str] = ()) -> Names:
        found: defaultdict[str, list[VersionName]] = defaultdict(list)
        for version in knowledge.versions:
            found[version.source].append(version.name)
        versions = {source: tuple(sorted(names)) for source, names in found.items()}
        return cls(versions, frozenset(found) - knowledge.live, at_head)

    def named(self, source: str) -> tuple[VersionName, ...]:
        """Names in order; empty for content that no tag of this clone freezes."""
        return self.versions.get(source, ())

    def label(self, source: str, dataset: str = "") -> str:
        """`v1.0.0` where the dataset is known from the context, else `support@v1.0.0`; a digest's start if untagged."""
        names = [str(name.number) if name.dataset == dataset else str(name) for name in self.named(source)]
        if not names and source in self.at_head:
            return "HEAD"
        if not names:
            return f"untagged {source.removeprefix('sha256:')[:12]}"
        return " = ".join(names) + (" (retired)" if source in self.retired else "")


class ScanStatus(StrEnum):
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    OTHER_METHOD = "other method"


@dataclass(frozen=True, slots=True)
class ScanRow:
    """A record and what it still counts for. A record of a method that is not in force counts for nothing (A31)."""

    record: ScanRecord
    status: ScanStatus


@dataclass(frozen=True, slots=True)
class ScanListing:
    """Records in the order of their versions; `damaged` are those that cannot be trusted, as (dataset, what)."""

    rows: tuple[ScanRow, ...]
    names: Names
    damaged: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding with all that this clone's records say of it (B46): `a` is the scanned or asked-for example.

    `contaminates` are the sources whose holdout this finding gives away under the rule of the gate (A29). `method` is
    set where no scan of versions found it: what a decision about it is bound to.
    """

    finding: Finding
    contaminates: tuple[str, ...] = ()
    method: str | None = None


@dataclass(frozen=True, slots=True)
class FindingListing:
    """Findings of a subject, or of everything that takes part where `subject` is None.

    `total` counts before any filter. `recorded` is False where no record is about the subject: an empty list then says
    nothing. `edited` are files of a working copy that are not what its record was made of.
    """

    subject: Subject | None
    source: str | None
    rows: tuple[FindingRow, ...]
    total: int
    recorded: bool
    names: Names
    edited: tuple[str, ...] = ()


def swapped(finding: Finding) -> Finding:
    """The same finding seen from its other side."""
    inside, span = finding.containment, finding.span
    return replace(
        finding,
        a=finding.b,
        b=finding.a,
        containment=inside and replace(inside, short="b" if inside.short == "a" else "a"),
        span=span and replace(span, a=span.b, b=span.a),
    )


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of several records, each id once, with the versions that any record names for either side."""
    return [group if isinstance(group, Finding) else _merge(group) for group in by_id(findings)]


def _merge(group: Sequence[Finding]) -> Finding:
    first = group[0]
    same = [item if item.a.identity() == first.a.identity() else swapped(item) for item in group]
    return replace(
        first,
        severity=min((item.severity for item in same), key=list(Severity).index),
        a=_union([item.a for item in same]),
        b=_union([item.b for item in same]),
        also=tuple(kind for kind in Kind if any(kind in item.also for item in same)),
        similarity=next((item.similarity for item in same if item.similarity is not None), None),
        containment=next((item.containment for item in same if item.containment), None),
        span=next((item.span for item in same if item.span), None),
        cluster=next((item.cluster for item in same if item.cluster), None),
    )


def _union(sides: Sequence[Side]) -> Side:
    return replace(
        sides[0],
        held_out_in=tuple(sorted({source for side in sides for source in side.held_out_in})),
        open_in=tuple(sorted({source for side in sides for source in side.open_in})),
    )


def seen_from(finding: Finding, source: str) -> Finding:
    """With an example of that version as side `a`; the held-out one where the version holds both."""
    if source not in finding.a.versions:
        return swapped(finding)
    held_first = source in finding.a.held_out_in or source not in finding.b.held_out_in
    return finding if held_first else swapped(finding)


def contaminated_by(finding: Finding, live: Collection[str]) -> tuple[str, ...]:
    """Sources whose held-out example this finding gives away, sorted."""
    candidates = {*finding.a.held_out_in, *finding.b.held_out_in}
    return tuple(sorted(source for source in candidates if any(True for _ in finding.sides_exposed(source, live))))
