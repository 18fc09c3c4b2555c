"""Coverage and the answer: is a version's holdout clean, contaminated, or does nobody know yet? (B48-B50, A29, A30)

Everything here is decided from records alone. Data is read by scans, never by a gate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.domain.answer import Accepted, Answer, Contamination, Gap, GapKind
from heldout.domain.deciding.redeclared import redeclared
from heldout.domain.deciding.review import NO_REVIEWS, Review, Reviews
from heldout.domain.names import VersionName
from heldout.domain.scans import Scan, Scans

if TYPE_CHECKING:
    from heldout.domain.corpora.cover import CorpusCover
    from heldout.domain.exposing.cover import ExposureCover
    from heldout.domain.finding import Finding, Side
    from heldout.domain.splitting.lock_cover import LockCover


@dataclass(frozen=True, slots=True)
class Version:
    """A frozen version: a tag, the commit it names, and the digest of what that commit holds for the dataset.

    `holdout` are the split names that hold out in it; None where its dataset.yaml cannot be read. `made_as` is the name
    inside the tag's object where that is another one: whoever made or signed it spoke of another version.
    """

    name: VersionName
    commit: str
    source: str
    annotated: bool = True
    holdout: frozenset[str] | None = None
    made_as: str | None = None

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


@dataclass(frozen=True)
class Knowledge:
    """What one repository knows: its frozen versions, retirements and records of the accepted methods.

    `shallow` says that history, and with it versions, may be missing; `unfetched` says which further versions this
    clone may lack, and why. Records of other methods are left out by whoever builds this (A31). `damaged` are records
    that cannot be trusted, as (dataset, what is wrong): they count as absent, and explain a gap where there is one.
    `corpora` is what policy asks of corpora, and their records; None where it asks nothing. `exposures` are logs of
    what was shown to something, `locks` say what people locked. `reviews` are decisions that were agreed on: a finding
    accepted by one is no contamination, as long as it counts.
    """

    versions: Sequence[Version]
    scans: Scans
    retirements: Sequence[Retirement] = ()
    shallow: bool = False
    damaged: Sequence[tuple[str, str]] = ()
    unfetched: Sequence[str] = ()
    corpora: CorpusCover | None = None
    reviews: Reviews = NO_REVIEWS
    exposures: ExposureCover | None = None
    locks: LockCover | None = None

    def is_retired(self, version: Version) -> bool:
        return any(item.version == version.name and item.source == version.source for item in self.retirements)

    @property
    def covers(self) -> Iterator[CorpusCover | ExposureCover | LockCover]:
        """What else than scans of versions an answer rests on."""
        return (cover for cover in (self.corpora, self.exposures, self.locks) if cover is not None)

    @cached_property
    def taking_part(self) -> tuple[Version, ...]:
        """Frozen versions that are not retired."""
        return tuple(version for version in self.versions if not self.is_retired(version))

    @cached_property
    def live(self) -> frozenset[str]:
        """Source digests of the versions that take part."""
        return frozenset(version.source for version in self.taking_part)

    def scans_of(self, source: str) -> list[Scan]:
        return self.scans.by_source.get(source, [])

    def complete_scans_of(self, source: str) -> list[Scan]:
        return [scan for scan in self.scans_of(source) if scan.record.self_complete]

    def compared(self, first: str, second: str) -> bool:
        """Whether the two versions were compared in full, from either side (A30); equal contents need no comparison."""
        pairs = self.scans.pairs
        return first == second or pairs.get((first, second), False) or pairs.get((second, first), False)

    def met(self, first: str, second: str) -> bool:
        """Whether a record has compared the two at all, be it only such examples as could be read."""
        pairs = self.scans.pairs
        return first == second or (first, second) in pairs or (second, first) in pairs

    def contaminations(self, source: str) -> tuple[Contamination, ...]:
        """Open findings whose holdout side `source` holds (A29), each once, worst kind and lowest label first."""
        return self._exposures(source, self._judged(source).open)

    def accepted(self, source: str) -> tuple[Accepted, ...]:
        """Those that people accepted, in the same order."""
        if not self.reviews:
            return ()  # findings can be a million
        judged = self._judged(source)
        hits = self._exposures(source, judged.accepted)
        return tuple(Accepted(hit, judged.reviews[hit.finding.id]) for hit in hits)

    def _exposures(self, source: str, findings: Sequence[Finding]) -> tuple[Contamination, ...]:
        exposing = [finding for finding in findings if any(finding.sides_exposed(source, self.live))]
        if not exposing:
            return ()
        from heldout.domain.finding import in_order

        hits = (
            Contamination(finding, held, other, self._holders(other, source))
            for finding in _together(exposing)
            for held, other in finding.sides_exposed(source, self.live)
        )
        return tuple(in_order(hits, lambda item: item.finding.sort_key()))

    def _judged(self, source: str) -> _Judged:
        """Findings about a version, parted by what was decided on them.

        A finding that several records name is accepted only under the method of each: contaminated under any accepted
        method is contaminated.
        """
        if not self.reviews:
            return _Judged([finding for _, finding in self._findings_about(source)], [], {})
        found = [(finding, method) for method, finding in self._findings_about(source)]
        reviews: dict[str, Review] = {}
        still_open: set[str] = set()
        for finding, method in found:
            review = self.reviews.acceptance(finding, method, contaminates=True)
            if review is None:
                still_open.add(finding.id)
            else:
                reviews[finding.id] = review
        accepted = reviews.keys() - still_open
        return _Judged(
            [finding for finding, _ in found if finding.id not in accepted],
            [finding for finding, _ in found if finding.id in accepted],
            reviews,
        )

    def _findings_about(self, source: str) -> Iterator[tuple[str, Finding]]:
        """(method digest, finding) of the records that can name a version: its own, and those of versions taking part
        that met it."""
        for scan in self.scans:
            told_by = scan.record.source
            if scan.record.contaminations and (told_by == source or told_by in self.live) and self.met(told_by, source):
                for finding in scan.findings:
                    yield scan.record.method_digest, finding

    def _holders(self, side: Side, subject: str) -> tuple[VersionName, ...]:
        """Versions that hold an example outside their holdout; the subject's own content is nothing to point at."""
        sources = {*side.open_in} - {subject}
        return tuple(version.name for version in self._by_name if version.source in sources)

    @cached_property
    def _by_name(self) -> list[Version]:
        return sorted(self.taking_part, key=lambda version: version.name)

    def contaminates(self, version: Version) -> dict[Version, tuple[Contamination, ...]]:
        """Other datasets' frozen holdouts that this version gives away, by holding their examples outside a holdout.

        Versions of its own dataset do not count: moving a holdout example to a development split is the official fix.
        """
        mine = version.source
        naming = [item for item in self._judged(mine).open if mine in item.a.open_in or mine in item.b.open_in]
        others = [other for other in self.taking_part if other.dataset != version.dataset]
        result: defaultdict[Version, list[Contamination]] = defaultdict(list)
        for finding in sorted(_together(naming), key=lambda item: item.sort_key()):
            for other in others:
                for held, open_side in finding.sides_exposed(other.source, {mine}):
                    if mine in open_side.open_in:
                        holders = self._holders(open_side, other.source)
                        result[other].append(Contamination(finding, held, open_side, holders))
        return {other: tuple(hits) for other, hits in result.items()}

    def gaps(self, dataset: str, source: str) -> tuple[Gap, ...]:
        """What is missing before `source` can be called clean; empty is complete(V) of A30 with A52."""
        gaps: list[Gap] = []
        if self.shallow:
            gaps.append(Gap(GapKind.SHALLOW, "this clone is shallow, so versions and records may be missing here"))
        gaps += [Gap(GapKind.UNFETCHED, reason) for reason in self.unfetched]
        gaps += self._own_gaps(source)
        gaps += self._uncompared(source)
        gaps += redeclared(self, dataset, source)
        if not any(gap.kind is GapKind.NO_HOLDOUT for gap in gaps):
            gaps += [gap for cover in self.covers for gap in cover.gaps(dataset, source)]
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
            if self.met(source, other.source):
                what = f"it has been compared with {other.name} only in part: not every example could be read"
                yield Gap(GapKind.PARTLY_COMPARED, what, other.name)
            else:
                yield Gap(GapKind.NOT_COMPARED, f"it has not been compared with {other.name}", other.name)

    def answer(self, dataset: str, source: str, extra: Collection[Gap] = ()) -> Answer:
        """The whole answer for a source; `extra` gaps are the caller's (an untagged subject is never clean)."""
        found, accepted = self.contaminations(source), self.accepted(source)
        for cover in self.covers:
            more, agreed = cover.judged(dataset, source, self.reviews)
            found, accepted = found + more, accepted + agreed
        return Answer(dataset, source, found, (*extra, *self.gaps(dataset, source)), accepted)


@dataclass(frozen=True, slots=True)
class _Judged:
    """`reviews` are the decisions on the accepted findings, by id."""

    open: list[Finding]
    accepted: list[Finding]
    reviews: dict[str, Review]


def _together(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Nothing found is the usual case, and then a hook does without importing what findings are."""
    if not findings:
        return ()
    from heldout.domain.finding import together

    return together(findings)
