"""What EvalLeak's job finds in splits: records that are equal, near or contained across splits, or repeated in one.

Everything is kept by distinct canonical text; pairs of records are spelled out only while they are read, in the order
of their names, so that a text that stands a thousand times in two splits costs no million objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from heldout.domain.leaks.leak import LeakFinding, LeakKind, LeakRate, LeakRecord, LeakSettings, NearTexts, TextInside


@dataclass(frozen=True)
class Leaks:
    """Groups are records by distinct canonical text, each in the order of its records' names.

    `digests` and `sizes` (numbers of distinct shingles; none where nothing was shingled) belong to the groups. `near`
    and `inside` join groups by number, never a group with itself; links that no two splits share are left out.
    """

    settings: LeakSettings
    splits: Mapping[str, int]
    groups: tuple[tuple[LeakRecord, ...], ...]
    digests: tuple[str, ...]
    sizes: tuple[int, ...]
    near: tuple[NearTexts, ...] = ()
    inside: tuple[TextInside, ...] = ()
    kinds: tuple[LeakKind, ...] = tuple(LeakKind)
    no_text: int = 0

    @cached_property
    def records(self) -> list[tuple[LeakRecord, int]]:
        """Every record with its group's number, in the order of names."""
        pairs = [(record, number) for number, group in enumerate(self.groups) for record in group]
        return sorted(pairs, key=lambda pair: pair[0].order)

    @cached_property
    def _near_of(self) -> Mapping[int, list[tuple[int, NearTexts]]]:
        return _both_ways((link.a, link.b, link) for link in self.near)

    @cached_property
    def _longs_of(self) -> Mapping[int, list[TextInside]]:
        found: dict[int, list[TextInside]] = {}
        for link in self.inside:
            found.setdefault(link.short, []).append(link)
        return found

    def findings(self, kind: LeakKind) -> Iterator[LeakFinding]:
        """Pairs of records in the order of their names; streamed."""
        grouped_already = kind in (LeakKind.EXACT, LeakKind.INTRA_SPLIT)
        for record, group in self.records if kind in self.kinds else ():
            partners = self._partners(kind, record, group)
            yield from partners if grouped_already else sorted(partners, key=lambda found: self._ranks[found.b])

    @cached_property
    def _ranks(self) -> Mapping[LeakRecord, int]:
        return {record: place for place, (record, _) in enumerate(self.records)}

    def _partners(self, kind: LeakKind, a: LeakRecord, group: int) -> Iterator[LeakFinding]:
        """The findings that `a` is the first side of; `follows` is whether a record of its group comes after it."""
        follows = False
        if kind is LeakKind.NEAR:
            for other, link in self._near_of.get(group, ()):
                for b in self.groups[other]:
                    if a.split < b.split:
                        yield self.near_finding(a, b, link)
        elif kind is LeakKind.CONTAINMENT:
            for inside in self._longs_of.get(group, ()):
                for b in self.groups[inside.long]:
                    if a.split != b.split:
                        yield LeakFinding(kind, a, b, position=inside.position)
        else:
            for b in self.groups[group]:
                if a.split < b.split if kind is LeakKind.EXACT else follows and a.split == b.split:
                    yield self.equal_finding(kind, a, b, group)
                follows = follows or b is a

    def similarity(self, link: NearTexts) -> Fraction:
        """What was decided on: the estimate where one was made, else the exact similarity."""
        if link.equal is not None:
            return Fraction(link.equal, self.settings.num_perm)
        return Fraction(link.shared, link.union)

    def near_finding(self, a: LeakRecord, b: LeakRecord, link: NearTexts) -> LeakFinding:
        return LeakFinding(LeakKind.NEAR, a, b, similarity=self.similarity(link), shared=link.shared)

    def equal_finding(self, kind: LeakKind, a: LeakRecord, b: LeakRecord, group: int) -> LeakFinding:
        return LeakFinding(kind, a, b, self.digests[group], Fraction(1), self.sizes[group] if self.sizes else None)

    def count(self, kind: LeakKind) -> int:
        """How many pairs `findings` yields, without spelling them out."""
        return self.counts_by_splits()[kind].total()

    @cached_property
    def _counts(self) -> Mapping[LeakKind, Counter[tuple[str, str]]]:
        counts: dict[LeakKind, Counter[tuple[str, str]]] = {kind: Counter() for kind in LeakKind}
        held = self._by_split
        joined = [(LeakKind.NEAR, link.a, link.b) for link in self.near]
        joined += [(LeakKind.CONTAINMENT, link.short, link.long) for link in self.inside]
        for kind, first, second in joined:
            for a, n in held[first].items():
                for b, m in held[second].items():
                    if a != b:
                        counts[kind][min(a, b), max(a, b)] += n * m
        for group in held:
            for a, n in group.items() if group.total() > 1 else ():
                if LeakKind.INTRA_SPLIT in self.kinds and n > 1:
                    counts[LeakKind.INTRA_SPLIT][a, a] += n * (n - 1) // 2
                for b, m in group.items() if LeakKind.EXACT in self.kinds else ():
                    if a < b:
                        counts[LeakKind.EXACT][a, b] += n * m
        return counts

    def counts_by_splits(self) -> Mapping[LeakKind, Counter[tuple[str, str]]]:
        """Pairs of records by kind and by the two splits they join, in the order of names; inside one, (a, a)."""
        return self._counts

    @property
    def found(self) -> bool:
        return any(self.count(kind) for kind in self.kinds)

    @cached_property
    def _by_split(self) -> list[Counter[str]]:
        return [Counter(record.split for record in group) for group in self.groups]

    def touching(self) -> list[set[str]]:
        """For each group the splits that it, or a text near it, in it or around it, stands in."""
        reach = [set(counts) for counts in self._by_split]
        links = [(link.a, link.b) for link in self.near] + [(link.short, link.long) for link in self.inside]
        own = [frozenset(splits) for splits in reach]
        for a, b in links:
            reach[a] |= own[b]
            reach[b] |= own[a]
        return reach

    def rates(self) -> list[LeakRate]:
        """Both directions of every two splits, by name (E31, E32); those without a finding count 0."""
        touched: Counter[tuple[str, str]] = Counter()
        for splits, counts in zip(self.touching(), self._by_split, strict=True):
            for target, number in counts.items():
                for source in splits - {target}:
                    touched[source, target] += number
        names = sorted(self.splits)
        return [
            LeakRate(source, target, touched[source, target], self.splits[target])
            for source in names
            for target in names
            if source != target
        ]

    def contaminated(self) -> int:
        """Distinct records in any finding, repeats inside a split included (E30)."""
        total = 0
        for splits, counts in zip(self.touching(), self._by_split, strict=True):
            total += sum(number for split, number in counts.items() if number > 1 or splits - {split})
        return total


def _both_ways(links: Iterable[tuple[int, int, NearTexts]]) -> Mapping[int, list[tuple[int, NearTexts]]]:
    found: dict[int, list[tuple[int, NearTexts]]] = {}
    for a, b, link in links:
        found.setdefault(a, []).append((b, link))
        found.setdefault(b, []).append((a, link))
    return found


def grouped(records: Sequence[LeakRecord], texts: Sequence[str]) -> dict[str, list[LeakRecord]]:
    """Records by canonical text, each group in the order of names."""
    groups: dict[str, list[LeakRecord]] = {}
    for record, text in zip(records, texts, strict=True):
        groups.setdefault(text, []).append(record)
    return {text: sorted(group, key=lambda record: record.order) for text, group in groups.items()}
