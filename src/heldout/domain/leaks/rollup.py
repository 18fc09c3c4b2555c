"""Overlaps of two splits: rolled up by where records come from, and in the order of their similarity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from heldout.domain.leaks.leak import LeakFinding, LeakKind, LeakRecord, NearTexts
from heldout.domain.leaks.leaks import Leaks

MISSING = "(missing)"
"""The source of records without one, in a run where others have one."""


@dataclass(frozen=True, slots=True)
class SourceOverlap:
    """Cross-split findings with a side of this source in this split: distinct pairs, and distinct records of `of`."""

    split: str
    source: str
    pairs: int
    records: int
    of: int


def sources_of(leaks: Leaks) -> tuple[SourceOverlap, ...]:
    """Every source with an overlap, for each split; the most pairs first, then by name.

    A pair that is both near and contained is one pair. Counted by distinct text, so repeats are multiplied, not listed.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    records: Counter[tuple[str, str]] = Counter()
    held = [Counter((record.split, _source(record)) for record in group) for group in leaks.groups]
    for a, b in _linked(leaks):
        for split, source in {*held[a], *(held[b] if a != b else ())}:
            pairs[split, source] += _pairs_with(held, a, b, split, source)
    for group, splits in zip(held, leaks.touching(), strict=True):
        for (split, source), number in group.items():
            if splits - {split}:
                records[split, source] += number
    sizes: Counter[tuple[str, str]] = Counter()
    for group in held:
        sizes.update(group)
    found = [SourceOverlap(*key, pairs[key], records[key], sizes[key]) for key in records]
    return tuple(sorted(found, key=lambda item: (item.split, -item.pairs, item.source)))


def _linked(leaks: Leaks) -> set[tuple[int, int]]:
    """Pairs of groups, lower number first, with a finding between them; a group in two splits is a pair with itself."""
    links = {(min(link.a, link.b), max(link.a, link.b)) for link in leaks.near}
    links |= {(min(link.short, link.long), max(link.short, link.long)) for link in leaks.inside}
    return links | {(number, number) for number, group in enumerate(leaks.groups) if len({r.split for r in group}) > 1}


def _pairs_with(held: list[Counter[tuple[str, str]]], a: int, b: int, split: str, source: str) -> int:
    """Pairs of records across splits between two groups, one side of which is of this split and source."""

    def elsewhere(group: Counter[tuple[str, str]]) -> int:
        return sum(number for (other, _), number in group.items() if other != split)

    pairs = held[a][split, source] * elsewhere(held[b])
    return pairs if a == b else pairs + held[b][split, source] * elsewhere(held[a])


def _source(record: LeakRecord) -> str:
    return MISSING if record.source is None else record.source


def by_similarity(leaks: Leaks, first: str) -> Iterator[LeakFinding]:
    """Equal and near pairs across two splits, the most alike first, then in the order of names (E50).

    `a` is the record of the split `first`: pairs read as (training record, evaluation record).
    """
    for finding in leaks.findings(LeakKind.EXACT):
        yield _turned(finding, first)

    def rank(link: NearTexts) -> tuple[Fraction, str, str]:
        return -leaks.similarity(link), leaks.digests[link.a], leaks.digests[link.b]

    for _, links in groupby(sorted(leaks.near, key=rank), key=leaks.similarity):
        found = [
            _turned(leaks.near_finding(a, b, link), first)
            for link in links
            for a in leaks.groups[link.a]
            for b in leaks.groups[link.b]
            if a.split != b.split
        ]
        yield from sorted(found, key=lambda finding: (finding.a.order, finding.b.order))


def _turned(finding: LeakFinding, first: str) -> LeakFinding:
    return finding if finding.a.split == first else replace(finding, a=finding.b, b=finding.a)
