"""Governed changes (B52): what a change does to held-out examples, under a digest that approvals bind to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.canonical import digest
from heldout.domain.deciding.review import address
from heldout.domain.diff import Diff
from heldout.domain.example import JSON
from heldout.domain.members import Member
from heldout.domain.settings import ApprovalPolicy


class What(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    EDITED = "edited"
    MOVED_IN = "moved_in"
    MOVED_OUT = "moved_out"


@dataclass(frozen=True, slots=True)
class Touched:
    """One held-out example before and after; "" stands for where it is not."""

    what: What
    split: str
    key: str
    before: str = ""
    after: str = ""

    def order(self) -> tuple[str, ...]:
        return (self.what.value, self.split, self.key, self.before, self.after)

    def row(self) -> list[JSON]:
        return [*self.order()]


@dataclass(frozen=True, slots=True)
class GovernedChange:
    """All that a change does to the held-out examples of one dataset, sorted; training examples are not part of it.

    So the digest stays the same while others work on other splits, and becomes another one with any further change of
    the holdout: an approval is of exactly this.
    """

    dataset: str
    touched: tuple[Touched, ...]

    @property
    def digest(self) -> str:
        rows: list[JSON] = [item.row() for item in self.touched]
        return digest(["governed-change", self.dataset, rows])

    @property
    def id(self) -> str:
        """16 hex of the digest: the name of its approval's file."""
        return self.digest.removeprefix("sha256:")[:16]

    def counts(self) -> dict[str, int]:
        return {what.value: sum(item.what is what for item in self.touched) for what in What}


@dataclass(frozen=True, slots=True)
class Approval:
    """People who approve one governed change, each as `Name <address>`. `change` is its digest."""

    dataset: str
    change: str
    reason: str
    by: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.change.removeprefix("sha256:")[:16]


@dataclass(frozen=True, slots=True)
class ChangeStanding:
    """A change and how it stands: `authors` made it, `approved_by` approved exactly it, `lacks` is what is missing."""

    change: GovernedChange
    authors: tuple[str, ...]
    approved_by: tuple[str, ...]
    lacks: str | None


def governed_change(
    dataset: str, found: Diff, members: Iterable[Member], before: Collection[str], after: Collection[str]
) -> GovernedChange:
    """The part of a diff that touches holdouts; `before` and `after` name the holdout splits of either state.

    `members` are the first state's. Where a split is held out in one state only, every example that stays in it is
    moved out of the holdout, or into it: dataset.yaml did that, and no row says so.
    """
    touched = [
        *_declared(found, members, {*before} ^ {*after}, before),
        *(_one(What.ADDED, after=member) for member in found.added if member.split in after),
        *(_one(What.REMOVED, before=member) for member in found.removed if member.split in before),
    ]
    for pair in (*found.changed, *found.moved):
        held, holds = pair.before.split in before, pair.after.split in after
        if held and holds:
            touched.append(_one(What.EDITED, pair.before, pair.after))
        elif held:
            touched.append(_one(What.MOVED_OUT, pair.before, pair.after))
        elif holds:
            touched.append(_one(What.MOVED_IN, pair.before, pair.after))
    return GovernedChange(dataset, tuple(sorted(touched, key=Touched.order)))


def _declared(found: Diff, members: Iterable[Member], parted: Set[str], before: Collection[str]) -> Iterator[Touched]:
    if not parted:
        return
    gone = {(member.split, member.key) for member in found.removed}
    gone |= {(pair.before.split, pair.before.key) for pair in (*found.changed, *found.moved)}
    for member in members:
        if member.split in parted and (member.split, member.key) not in gone:
            yield _one(What.MOVED_OUT if member.split in before else What.MOVED_IN, member, member)


def _one(what: What, before: Member | None = None, after: Member | None = None) -> Touched:
    here = before if what in (What.REMOVED, What.MOVED_OUT) else after
    assert here is not None
    return Touched(what, here.split, here.key, before.example if before else "", after.example if after else "")


def lacking(policy: ApprovalPolicy, approved_by: Iterable[str], authors: Iterable[str]) -> str | None:
    """What is missing before a change may go on: None when enough people, none of them its author, approved it."""
    own = {address(person) for person in authors}
    named = {address(person) for person in policy.approvers}
    counted = {address(person) for person in approved_by} - own
    if named:
        counted &= named
    missing = policy.required - len(counted)
    if missing <= 0:
        return None
    return f"{missing} more {'person has' if missing == 1 else 'people have'} to approve it{_of(policy.approvers)}"


def _of(approvers: Sequence[str]) -> str:
    return f", of {', '.join(approvers)}" if approvers else ", other than its author"
