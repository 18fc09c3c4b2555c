"""Findings: one overlap between two examples, identified by what it means and never by where or when it was seen."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from heldout.domain.canonical import canonical_json
from heldout.domain.controls import escaped
from heldout.domain.example import JSON
from heldout.domain.kind import ALWAYS_COUNTED, CONTAMINATING, Kind, Severity

__all__ = [
    "CONTAMINATING",
    "Cluster",
    "ClusterShare",
    "Containment",
    "Finding",
    "Kind",
    "Severity",
    "Side",
    "Span",
    "cluster_id",
    "finding_id",
]


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Side:
    """One example of a finding and the versions that contain it, as source digests.

    `held_out_in` are the versions in which the example's split is a holdout, `open_in` those in which it is not: a
    dataset may declare another holdout from one version to the next.
    """

    dataset: str
    split: str
    key: str
    input: str
    held_out_in: tuple[str, ...] = ()
    open_in: tuple[str, ...] = ()

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(sorted({*self.held_out_in, *self.open_in}))

    def identity(self) -> tuple[str, str, str, str]:
        return (self.dataset, self.split, self.key, self.input)

    def label(self) -> str:
        """Short text for people: split and key, on one line and without what a terminal would obey."""
        return escaped(f"{self.split}/{self.key}")


@dataclass(frozen=True, slots=True)
class Containment:
    """The shorter text stands whole inside the longer. `offset` counts code points of the longer normalised text."""

    short: str
    position: str
    offset: int
    word_aligned: bool


@dataclass(frozen=True, slots=True)
class Span:
    """The longest text both sides share literally, as offsets into their normalised texts, in code points."""

    a: int
    b: int
    length: int


_QUOTES = 18
"""Around nine texts."""


def finding_id(kind: str, first: Side, second: Side) -> str:
    """16 hex of sha256 over the kind and both sides' (dataset, split, key, input digest), the sides sorted."""
    one, two = sorted((first.identity(), second.identity()))
    text = '["{}",["{}","{}","{}","{}"],["{}","{}","{}","{}"]]'.format(kind, *one, *two)
    if text.isascii() and text.isprintable() and text.count('"') == _QUOTES and "\\" not in text:
        return hashlib.sha256(text.encode()).hexdigest()[:16]  # nothing to escape: this is the canonical form
    sides: list[JSON] = [list(one), list(two)]
    return hashlib.sha256(canonical_json([kind, *sides])).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Finding:
    """`a` is the scanned side, `b` the other; where both are in the scanned version, the held-out side is `a`.

    `also` names further kinds that the same pair has: a near pair of which one text contains the other is one finding
    of kind near. `similarity` is the exact Jaccard index of the two shingle sets where it was computed. `group` is the
    name of the group that crosses ("customer"), never which one it is.
    """

    kind: Kind
    severity: Severity
    a: Side
    b: Side
    also: tuple[Kind, ...] = ()
    similarity: Fraction | None = None
    containment: Containment | None = None
    span: Span | None = None
    cluster: str | None = None
    group: str | None = None

    @property
    def id(self) -> str:
        return finding_id(self.kind, self.a, self.b)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return (self.kind, *self.also)

    @property
    def one_side_held_out(self) -> bool:
        """Exactly one side is in a holdout split, in some pair of the versions that contain them."""
        return bool((self.a.held_out_in and self.b.open_in) or (self.b.held_out_in and self.a.open_in))

    @property
    def holdout_contamination(self) -> bool:
        """B41, for the kinds that contaminate."""
        return self.one_side_held_out and bool(CONTAMINATING.intersection(self.kinds))

    def sides_exposed(self, version: str, live: Collection[str]) -> Iterable[tuple[Side, Side]]:
        """(held-out side, open side) where `version` holds the first and itself or a live version the second (A29)."""
        if not CONTAMINATING.intersection(self.kinds):
            return
        for held, other in ((self.a, self.b), (self.b, self.a)):
            if version in held.held_out_in and any(v == version or v in live for v in other.open_in):
                yield held, other

    def sort_key(self) -> tuple[object, ...]:
        return (_SEVERITY_ORDER[self.severity], self.kind, self.a.identity(), self.b.identity())


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Each pair once, with the versions that any scan found it in: a scan names those that it compared."""
    return [group if isinstance(group, Finding) else _together(group) for group in by_id(findings)]


def by_id(findings: Iterable[Finding]) -> list[Finding | list[Finding]]:
    """Findings in their order, those of one id as a list. A list for every one would be a third of their memory."""
    groups: dict[int, Finding | list[Finding]] = {}
    for finding in findings:
        number = int(finding.id, 16)
        known = groups.setdefault(number, finding)
        if isinstance(known, list):
            known.append(finding)
        elif known is not finding:
            groups[number] = [known, finding]
    return list(groups.values())


def in_order(items: Iterable[Item], key: Callable[[Item], tuple[object, ...]]) -> list[Item]:
    """As `sorted`, without a key for every item at once where they are in order already, as a record's findings are."""
    result = list(items)
    if not all(first <= second for first, second in pairwise(map(key, result))):
        result.sort(key=key)
    return result


def _together(group: Sequence[Finding]) -> Finding:
    first = group[0]
    a, b = (
        replace(
            side,
            held_out_in=tuple(sorted({version for copy in copies for version in copy.held_out_in})),
            open_in=tuple(sorted({version for copy in copies for version in copy.open_in})),
        )
        for side in (first.a, first.b)
        if (copies := [copy for item in group for copy in (item.a, item.b) if copy.identity() == side.identity()])
    )
    return replace(first, a=a, b=b)


def counts_of(findings: Collection[Finding]) -> dict[str, int]:
    """Findings per kind, each counted under all its kinds, and how many contaminate a holdout."""
    totals = Counter(kind.value for finding in findings for kind in finding.kinds)
    totals["holdout_contamination"] = sum(finding.holdout_contamination for finding in findings)
    counted = [kind.value for kind in Kind if kind in ALWAYS_COUNTED or totals[kind.value]]
    return {name: totals[name] for name in (*counted, "holdout_contamination")}


_SEVERITY_ORDER = {Severity.BLOCK: 0, Severity.REVIEW: 1, Severity.NOTE: 2}


@dataclass(frozen=True, slots=True)
class ClusterShare:
    """How many members of a cluster one split of one dataset holds, over all compared versions."""

    dataset: str
    split: str
    members: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """A family too large to list pair by pair: its members hang together by verified links, not each with each.

    `id` is 16 hex of sha256 over its distinct input digests, sorted.
    """

    id: str
    inputs: int
    shares: tuple[ClusterShare, ...]

    @property
    def size(self) -> int:
        return sum(share.members for share in self.shares)


def cluster_id(inputs: Iterable[str]) -> str:
    return hashlib.sha256(canonical_json(["cluster", *sorted(inputs)])).hexdigest()[:16]
