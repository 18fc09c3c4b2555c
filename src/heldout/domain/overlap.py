"""From overlapping inputs to findings: which pairs of examples count, as what, and how many are written down.

Matching works on distinct inputs and yields links between them; here each link is expanded to the examples that hold
the inputs, under the rules of leakage: B38-B41, A28 (a revision is no leak), A32 (across datasets), A51 (severities).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from heldout.domain.finding import (
    CONTAMINATING,
    Cluster,
    ClusterShare,
    Containment,
    Finding,
    Kind,
    Severity,
    Span,
    cluster_id,
    counts_of,
)
from heldout.domain.pool import SUBJECT, Occurrence, Pool

SpanOf = Callable[[int, int], Span]
"""Longest literal span of two inputs' normalised texts, by their positions in the pool."""


@dataclass(frozen=True, slots=True)
class NearLink:
    """Two distinct inputs whose shingle sets have a Jaccard index of at least the threshold."""

    first: int
    second: int
    similarity: Fraction
    capped: bool = False


@dataclass(frozen=True, slots=True)
class ContainmentLink:
    """The normalised text of `short` stands whole inside that of `long`, `offset` code points from its start."""

    short: int
    long: int
    position: str
    offset: int
    word_aligned: bool


class Scope(Enum):
    CROSS = "across splits, versions or datasets"
    INTRA = "inside one split of the scanned version"


def scope(x: Occurrence, y: Occurrence) -> Scope | None:
    """Whether an overlap of two examples is a leak, a duplicate inside a split, or nothing.

    Nothing: neither is in the scanned version; the same key in the same split is a revision (A28); and another key of
    the same split in another version, as long as the split is a holdout for both or for neither.
    """
    if not (x.in_subject or y.in_subject):
        return None
    if x.dataset != y.dataset or x.split != y.split:
        return Scope.CROSS
    if x.key == y.key:
        return None
    if (x.held_out_in and y.open_in) or (x.open_in and y.held_out_in):
        return Scope.CROSS
    return Scope.INTRA if x.in_subject and y.in_subject else None


@dataclass(slots=True)
class _Pair:
    """What is known of one pair of examples while links are expanded; `x` precedes `y` in order."""

    x: Occurrence
    y: Occurrence
    scope: Scope
    kinds: set[Kind] = field(default_factory=set)
    similarity: Fraction | None = None
    containment: ContainmentLink | None = None
    inputs: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Sorted findings and clusters of one pool; `capped_pairs` counts links not expanded to every pair of examples."""

    findings: tuple[Finding, ...]
    clusters: tuple[Cluster, ...]
    capped_pairs: int

    def counts(self) -> dict[str, int]:
        """Findings per kind, each counted under all its kinds, and how many contaminate a holdout."""
        return counts_of(self.findings)


class Expansion:
    """Expands links over one pool. Feed `near` and `contained` links, then take `overlaps()`."""

    def __init__(self, pool: Pool, pair_cap: int) -> None:
        self._pool = pool
        self._cap = pair_cap
        self._pairs: dict[tuple[tuple[str, ...], tuple[str, ...]], _Pair] = {}
        self._families = _Families()
        self._capped = 0
        for position, occurrences in enumerate(pool.occurrences):
            if len(occurrences) > 1 and pool.concerns_subject(position):
                for pair in self._expand(position, position):
                    pair.kinds.add(Kind.EXACT)
        self._add_moved()

    def near(self, links: Iterable[NearLink]) -> None:
        for link in links:
            if link.capped:
                self._families.join(link.first, link.second)
            for pair in self._expand(link.first, link.second):
                pair.kinds.add(Kind.NEAR)
                pair.similarity = link.similarity

    def contained(self, links: Iterable[ContainmentLink]) -> None:
        """Containment is looked for across splits only (E16)."""
        for link in links:
            for pair in self._expand(link.short, link.long, Scope.CROSS):
                pair.kinds.add(Kind.CONTAINMENT)
                pair.containment = link

    def span_pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of inputs that `overlaps` asks a span of, some perhaps more than once."""
        for pair in self._pairs.values():
            if pair.scope is Scope.CROSS and Kind.NEAR in pair.kinds:
                x, y = _sides(pair)
                if (x.held_out_in and y.open_in) or (y.held_out_in and x.open_in):
                    yield self._pool.index[x.input], self._pool.index[y.input]

    def overlaps(self, span_of: SpanOf | None = None) -> Overlaps:
        members = self._families.members()
        names = {root: cluster_id(self._pool.inputs[i] for i in inputs) for root, inputs in members.items()}
        found = []
        for pair in self._pairs.values():
            finding = self._finding(pair, span_of)
            root, other = map(self._families.root, pair.inputs)
            found.append(replace(finding, cluster=names[root]) if root == other and root in names else finding)
        found.sort(key=Finding.sort_key)
        clusters = sorted(
            (self._cluster(names[root], inputs) for root, inputs in members.items()), key=lambda item: item.id
        )
        return Overlaps(tuple(found), tuple(clusters), self._capped)

    def _expand(self, first: int, second: int, only: Scope | None = None) -> Iterator[_Pair]:
        left, right = self._pool.occurrences[first], self._pool.occurrences[second]
        combinations: Iterable[tuple[Occurrence, Occurrence]]
        if len(left) * len(right) <= self._cap:
            combinations = _every_pair(left, right)
        else:
            self._capped += 1
            self._families.join(first, second)
            combinations = _representative_pairs(left, right)
        for x, y in combinations:
            kind = scope(x, y)
            if kind is not None and only in (None, kind):
                yield self._pair(x, y, kind, (first, second))

    def _pair(self, x: Occurrence, y: Occurrence, kind: Scope, inputs: tuple[int, int]) -> _Pair:
        if y.order < x.order:
            x, y = y, x
        return self._pairs.setdefault((x.order, y.order), _Pair(x, y, kind, inputs=inputs))

    def _add_moved(self) -> None:
        """The same key in another split (B40), the text edited or not."""
        for group in self._pool.same_key():
            for x, y in _every_pair(group, group):
                if x.split != y.split and (x.in_subject or y.in_subject):
                    inputs = (self._pool.index[x.input], self._pool.index[y.input])
                    self._pair(x, y, Scope.CROSS, inputs).kinds.add(Kind.MOVED)

    def _finding(self, pair: _Pair, span_of: SpanOf | None) -> Finding:
        x, y = _sides(pair)
        kinds = [kind for kind in Kind if kind in pair.kinds]
        if pair.scope is Scope.INTRA:
            kinds = [Kind.INTRA_SPLIT]
        a, b = self._pool.side(x), self._pool.side(y)
        similarity = Fraction(1) if a.input == b.input else pair.similarity
        finding = Finding(kinds[0], Severity.NOTE, a, b, tuple(kinds[1:]), similarity)
        if pair.containment is not None:
            finding = replace(finding, containment=_containment(pair.containment, self._pool.inputs, x))
        if span_of and Kind.NEAR in kinds and finding.holdout_contamination:
            index = self._pool.index
            finding = replace(finding, span=span_of(index[x.input], index[y.input]))
        return replace(finding, severity=_severity(finding))

    def _cluster(self, name: str, inputs: Sequence[int]) -> Cluster:
        shares: Counter[tuple[str, str]] = Counter()
        for position in inputs:
            shares.update((item.dataset, item.split) for item in self._pool.occurrences[position])
        rows = (ClusterShare(dataset, split, count) for (dataset, split), count in sorted(shares.items()))
        return Cluster(name, len(inputs), tuple(rows))


def _every_pair(left: Sequence[Occurrence], right: Sequence[Occurrence]) -> Iterator[tuple[Occurrence, Occurrence]]:
    """All unordered pairs of two occurrence lists, which are the same list for an input with itself."""
    for position, x in enumerate(left):
        for y in left[position + 1 :] if left is right else right:
            yield x, y


def _representative_pairs(
    left: Sequence[Occurrence], right: Sequence[Occurrence]
) -> Iterator[tuple[Occurrence, Occurrence]]:
    """For each example its first partner from each (dataset, split, version) it can pair with, looking both ways.

    So each member of each version keeps a partner from every version that has one, in time linear in members as long
    as the classes are few.
    """
    redeclared = _redeclared((*left, *right))
    for mine, theirs in ((left, right), (right, left)) if left is not right else ((left, right),):
        scanned = [y for y in theirs if y.in_subject]
        classes = {True: _classes(theirs), False: _classes(scanned)}
        for x in mine:
            candidates = theirs if x.in_subject else scanned
            here = (x.dataset, x.split)
            missing = set(classes[x.in_subject])
            if here not in redeclared:
                missing = {name for name in missing if name[:2] != here or name[2] == SUBJECT}
            for y in candidates:
                if not missing:
                    break
                if x is not y and (shared := missing & y.classes()) and scope(x, y) is not None:
                    missing -= shared
                    yield x, y


def _classes(occurrences: Iterable[Occurrence]) -> set[tuple[str, str, int]]:
    return {name for item in occurrences for name in item.classes()}


def _redeclared(occurrences: Iterable[Occurrence]) -> set[tuple[str, str]]:
    """(dataset, split) pairs that are a holdout in one version and none in another: only there can two examples of
    one split in different versions be a leak."""
    seen: defaultdict[tuple[str, str], set[bool]] = defaultdict(set)
    for item in occurrences:
        seen[item.dataset, item.split] |= {True} if item.held_out_in else set()
        seen[item.dataset, item.split] |= {False} if item.open_in else set()
    return {name for name, flags in seen.items() if len(flags) > 1}


def _sides(pair: _Pair) -> tuple[Occurrence, Occurrence]:
    """Sides a and b of a finding."""
    return (pair.y, pair.x) if _scanned_side_is(pair.y, rather_than=pair.x) else (pair.x, pair.y)


def _scanned_side_is(candidate: Occurrence, *, rather_than: Occurrence) -> bool:
    """Side `a` is the scanned example; where both are scanned, the one that is held out."""
    if candidate.in_subject != rather_than.in_subject:
        return candidate.in_subject
    return SUBJECT in candidate.held_out_in and SUBJECT not in rather_than.held_out_in


def _containment(link: ContainmentLink, inputs: Sequence[str], a: Occurrence) -> Containment:
    short = "a" if inputs[link.short] == a.input else "b"
    return Containment(short, link.position, link.offset, link.word_aligned)


def _severity(finding: Finding) -> Severity:
    """The kinds table; across datasets an overlap that gives no holdout away is a note (A32)."""
    if finding.kind is Kind.INTRA_SPLIT:
        return Severity.NOTE
    if finding.a.dataset != finding.b.dataset and not finding.one_side_held_out:
        return Severity.NOTE
    return Severity.BLOCK if CONTAMINATING.intersection(finding.kinds) else Severity.REVIEW


class _Families:
    """Disjoint sets of inputs that verified but not fully enumerated links hold together (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def root(self, item: int) -> int:
        while (parent := self._parent.get(item, item)) != item:
            self._parent[item] = self._parent.get(parent, parent)
            item = parent
        return item

    def join(self, first: int, second: int) -> None:
        low, high = sorted((self.root(first), self.root(second)))
        self._parent.setdefault(low, low)
        self._parent[high] = low

    def members(self) -> dict[int, list[int]]:
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for item in sorted(self._parent):
            groups[self.root(item)].append(item)
        return dict(groups)
