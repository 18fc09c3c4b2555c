"""Examples that were made from another one, and where the two stand on different sides.

A paraphrase of a held-out example, or a translation of it, gives the answer away however little the texts share. Only
`source_id` tells: it names the key of the example that another one was made from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.finding import Finding, Kind, Severity
from heldout.domain.members import Member
from heldout.domain.pool import SUBJECT, Holding, Occurrence, Pool
from heldout.domain.splitting.grouping import partners


@dataclass(frozen=True, slots=True)
class Derived:
    """A member and the key of the example that it was made from."""

    member: Member
    source: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """One version's part: what was made from something, and all members that something was made from."""

    holding: Holding
    derived: Sequence[Derived]


def crossings(subject: Lineage, others: Iterable[Lineage]) -> tuple[Finding, ...]:
    """A finding for each example whose source stands in another split, of the scanned version or of it and another
    version of the dataset. Where no version holds the source, the examples made from it cross by themselves: they know
    of each other, whatever their keys are."""
    versions = [subject, *others]
    pool = Pool(subject.holding, [version.holding for version in versions[1:]])
    sources: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for version in versions:
        for item in version.derived:
            sources[item.member.split, item.member.key, item.member.input].add(item.source)
    by_key: defaultdict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in _all(pool):
        if not occurrence.derived:
            by_key[occurrence.key].append(occurrence)
    found = [
        _finding(pool, made, source)
        for made in _all(pool)
        for key in sorted(sources.get((made.split, made.key, made.input), ()))
        for source in by_key.get(key, ())
        if _crosses(made, source)
    ]
    siblings: defaultdict[str, list[Occurrence]] = defaultdict(list)
    for made in _all(pool):
        for key in sources.get((made.split, made.key, made.input), ()):
            if key not in by_key:
                siblings[key].append(made)
    found += [_finding(pool, x, y) for key in sorted(siblings) for x, y in partners(siblings[key])]
    return tuple({finding.id: finding for finding in found}.values())


def _all(pool: Pool) -> Iterator[Occurrence]:
    for occurrences in pool.occurrences:
        yield from occurrences


def _crosses(made: Occurrence, source: Occurrence) -> bool:
    if made.key == source.key or not (made.in_subject or source.in_subject):
        return False
    redeclared = (made.held_out_in and source.open_in) or (made.open_in and source.held_out_in)
    return made.split != source.split or bool(redeclared)


def _finding(pool: Pool, made: Occurrence, source: Occurrence) -> Finding:
    """Side a is the scanned one, the held-out one, or else the one that was made from the other."""
    first, second = made, source
    if first.in_subject != second.in_subject:
        first, second = (first, second) if first.in_subject else (second, first)
    elif SUBJECT in second.held_out_in and SUBJECT not in first.held_out_in:
        first, second = second, first
    return Finding(Kind.SOURCE_CROSSES_SPLIT, Severity.BLOCK, pool.side(first), pool.side(second))
