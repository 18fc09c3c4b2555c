"""What a branch changes against the commit it started from: the values behind a reviewer's report.

Nothing here judges: `heldout verify` decides whether a branch may be merged, from the same records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from heldout.domain.answer import Accepted, Answer, Contamination, Gap, GapKind
from heldout.domain.coverage import Retirement
from heldout.domain.deciding.governed import ChangeStanding
from heldout.domain.deciding.review import SideName
from heldout.domain.deciding.review_listing import ReviewRow, Standing
from heldout.domain.diff import Diff
from heldout.domain.finding import Finding
from heldout.domain.listing import VersionRow
from heldout.domain.names import VersionName, VersionNumber
from heldout.domain.slicing.views import Change, Chosen, Counted
from heldout.domain.versioning import Part


class What(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class RowChanges:
    """Examples by split, in the shape of `Diff.by_split`.

    Of a dataset that came or went as a whole a record tells the numbers, and `diff` is None. `part` is what the change
    is worth, and `suggested` the number of the version that would follow.
    """

    by_split: Mapping[str, Mapping[str, int]]
    diff: Diff | None = None
    part: Part | None = None
    suggested: VersionNumber | None = None

    def total(self, name: str) -> int:
        return sum(row.get(name, 0) for row in self.by_split.values())

    @property
    def is_empty(self) -> bool:
        return not any(self.total(name) for name in ("added", "removed", "changed", "moved_in"))


@dataclass(frozen=True, slots=True)
class SliceChange:
    """A slice of which the definition or the members are others. `what` None: only its members, or how it is marked.

    `counts` are over the examples of either end, by the definition it has there; `members` says who would come and go
    over the head's examples alone, so by the definition alone. None stands for what cannot be told here.
    """

    name: str
    what: What | None
    before: Chosen | None
    after: Chosen | None
    counts: tuple[Counted | None, Counted | None] = (None, None)
    members: Change | None = None


@dataclass(frozen=True, slots=True)
class DatasetChange:
    """One dataset that is not what it was. `before` and `after` are its answers at either end, None where it is not.

    `holdout_before` and `holdout_after` are the splits it declares as held out. `rows` None: nobody can tell here which
    examples changed, and `untold` says why, as it does for slices. `held_out` is how many examples the head's record
    counts as held out. `outdates` are the dataset's frozen versions that become contaminated when the head is frozen,
    and how many of their held-out examples it gives away: one that moved to training does that. `broken` is what is
    wrong with its files at the head.
    """

    name: str
    what: What
    before: Answer | None = None
    after: Answer | None = None
    holdout_before: tuple[str, ...] = ()
    holdout_after: tuple[str, ...] = ()
    rows: RowChanges | None = None
    slices: tuple[SliceChange, ...] = ()
    governed: ChangeStanding | None = None
    untold: tuple[str, ...] = ()
    held_out: int | None = None
    outdates: tuple[tuple[VersionName, int], ...] = ()
    broken: str | None = None

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What is missing for an answer about the head. A dataset without a holdout has none to give away."""
        return gaps_of(self.after)


@dataclass(frozen=True, slots=True)
class FindingChanges:
    """What gives holdouts away: `new` on the branch, `resolved` by it, `remaining` from before. Each pair of examples
    once, whichever versions hold it.

    `accepted` are those at the head that people decided to live with; they are among `new` and `remaining` too. The
    `others` are overlaps that block nothing (one text inside another, repeats in a split), of changed datasets.
    """

    new: tuple[Contamination, ...] = ()
    resolved: tuple[Contamination, ...] = ()
    remaining: tuple[Contamination, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    others_new: tuple[Finding, ...] = ()
    others_resolved: tuple[Finding, ...] = ()

    def open(self, hits: tuple[Contamination, ...]) -> tuple[Contamination, ...]:
        """Those of the given ones that nobody accepted."""
        if not self.accepted:
            return hits  # findings can be a million, and each id is a digest
        decided = {item.contamination.finding.id for item in self.accepted}
        return tuple(hit for hit in hits if hit.finding.id not in decided)


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision about a finding, and whether the branch brings or changes it."""

    row: ReviewRow
    new: bool


class BranchVerdict(StrEnum):
    """The one thing to know first; an earlier one hides the later ones."""

    LEAKS = "leaks"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    AWAITS_PEOPLE = "awaits_people"
    CLEAN = "clean"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Branch:
    """`base` is the commit where the branch left `base_name`; `commits` counts those since then.

    `versions` are tags on the branch's own commits, `retired` what it takes out of comparisons. `texts` are examples by
    (dataset, split, key, input digest), only where somebody asked for them.
    """

    base: str
    base_name: str
    head: str
    commits: int
    datasets: tuple[DatasetChange, ...]
    versions: tuple[VersionRow, ...]
    retired: tuple[Retirement, ...]
    findings: FindingChanges
    decisions: tuple[DecisionRow, ...]
    texts: Mapping[SideName, str] = field(default_factory=dict)

    @cached_property
    def leaks(self) -> tuple[Contamination, ...]:
        """Held-out examples that what the branch touches gives away, and that nobody accepted: new ones first."""
        touched = [item.after for item in self.datasets if item.after is not None]
        touched += [row.answer for row in self.versions]
        kept = self.findings.remaining
        if kept:
            named = {hit.finding.id for answer in touched for hit in answer.findings}
            kept = tuple(hit for hit in kept if hit.finding.id in named)
        return self.findings.open((*self.findings.new, *kept))

    @property
    def held_out_total(self) -> int | None:
        """Held-out examples of the datasets whose examples leak, leaking or not; None where nobody counted them."""
        names = {hit.held.dataset for hit in self.leaks}
        found = {item.name: item.held_out for item in self.datasets}
        counts = [found.get(name) for name in names]
        return None if None in counts else sum(count or 0 for count in counts)

    @cached_property
    def gaps(self) -> tuple[tuple[str, Gap], ...]:
        """(dataset or version, what is missing) for everything the branch touches."""
        rows = [(item.name, gap) for item in self.datasets for gap in item.gaps]
        return (*rows, *((str(row.version.name), gap) for row in self.versions for gap in gaps_of(row.answer)))

    @property
    def awaited(self) -> tuple[DecisionRow, ...]:
        """Decisions that count for nothing until somebody other than their author agrees."""
        return tuple(item for item in self.decisions if item.row.standing is Standing.AWAITS_REVIEWER)

    @property
    def unapproved(self) -> tuple[ChangeStanding, ...]:
        found = (item.governed for item in self.datasets)
        return tuple(item for item in found if item is not None and item.lacks is not None)

    @property
    def untold(self) -> tuple[tuple[str, str], ...]:
        return tuple((item.name, why) for item in self.datasets for why in item.untold)

    @property
    def is_empty(self) -> bool:
        """Whether the branch touches nothing that is about data."""
        touched = self.datasets or self.versions or self.retired or self.findings.new or self.findings.resolved
        return not (touched or any(item.new for item in self.decisions))

    @cached_property
    def verdict(self) -> BranchVerdict:
        if self.is_empty:
            return BranchVerdict.UNCHANGED
        if self.leaks:
            return BranchVerdict.LEAKS
        if any(item.broken for item in self.datasets):
            return BranchVerdict.BROKEN
        if self.gaps:
            return BranchVerdict.UNKNOWN
        return BranchVerdict.AWAITS_PEOPLE if self.unapproved or self.awaited else BranchVerdict.CLEAN


def gaps_of(answer: Answer | None) -> tuple[Gap, ...]:
    """Gaps that keep an answer from being given; that there is no holdout is one."""
    return () if answer is None else tuple(gap for gap in answer.gaps if gap.kind is not GapKind.NO_HOLDOUT)


def once(hits: Iterator[Contamination]) -> dict[tuple[str, SideName], Contamination]:
    """Contaminations by what they say, each held-out example once for every finding."""
    return {(hit.finding.id, hit.held.identity()): hit for hit in hits}
