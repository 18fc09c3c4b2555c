"""Groups: examples of one customer, session or document, which know of each other whatever their texts and keys are.

What a model learns about one of them it knows about the others, so a group must not stand on two sides. dataset.yaml
says which fields are groups; a group has the same name in every dataset that declares it, so it must not cross
datasets either where one side is held out. A new key makes no fresh example: the group tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.finding import Finding, Kind, Severity
from heldout.domain.members import Member
from heldout.domain.overlap import Scope, scope
from heldout.domain.pool import SUBJECT, Holding, Occurrence, Pool


@dataclass(frozen=True, slots=True)
class Grouped:
    """A member and a group that it is of: the group's name ("customer") and which one."""

    member: Member
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Groups:
    """One version's part: its members that are in some group, each once a group."""

    holding: Holding
    grouped: Sequence[Grouped]


def group_crossings(subject: Groups, others: Iterable[Groups]) -> tuple[Finding, ...]:
    """Findings for groups that stand in two splits, of the scanned version or of it and another one.

    A group of a thousand examples in each of two splits is not listed pair by pair: each example has one partner from
    every (dataset, split, version) that has any, the first in order. So every held-out example is decided. Two examples
    in several groups are one finding, which names the first of them.
    """
    versions = [subject, *others]
    pool = Pool(subject.holding, [version.holding for version in versions[1:]])
    of_group = _occurrences(versions, pool)
    found: dict[str, Finding] = {}
    for (name, _), members in sorted(of_group.items()):
        for x, y in partners(members):
            finding = _finding(pool, x, y, name)
            found.setdefault(finding.id, finding)
    return tuple(found.values())


def _occurrences(versions: Iterable[Groups], pool: Pool) -> dict[tuple[str, str], list[Occurrence]]:
    groups: defaultdict[tuple[str, str, str, str], set[tuple[str, str]]] = defaultdict(set)
    for version in versions:
        for item in version.grouped:
            member = item.member
            address = (version.holding.dataset, member.split, member.key, member.input)
            groups[address].add((item.name, item.value))
    result: defaultdict[tuple[str, str], list[Occurrence]] = defaultdict(list)
    for occurrences in pool.occurrences:
        for occurrence in occurrences:
            for group in groups.get(occurrence.order, ()):
                result[group].append(occurrence)
    return {group: sorted(members, key=lambda item: item.order) for group, members in result.items()}


def partners(members: Sequence[Occurrence]) -> Iterator[tuple[Occurrence, Occurrence]]:
    """For each member the first one from every (dataset, split, version) that it must not share a group with."""
    by_class: defaultdict[tuple[str, str, int], list[Occurrence]] = defaultdict(list)
    for item in members:
        for name in item.classes():
            by_class[name].append(item)
    for x in members:
        for name in sorted(by_class):
            partner = next((y for y in by_class[name] if _crosses(x, y)), None)
            if partner is not None:
                yield x, partner


def _crosses(x: Occurrence, y: Occurrence) -> bool:
    """One key in two splits is `moved`, not two examples of a group."""
    if x is y or (x.dataset == y.dataset and x.key == y.key) or scope(x, y) is not Scope.CROSS:
        return False
    one_held_out = (x.held_out_in and y.open_in) or (x.open_in and y.held_out_in)
    return x.dataset == y.dataset or bool(one_held_out)


def _finding(pool: Pool, x: Occurrence, y: Occurrence, name: str) -> Finding:
    """Side a is the scanned one, or the held-out one of two, or the first in order."""
    first, second = (x, y) if x.order <= y.order else (y, x)
    if first.in_subject != second.in_subject:
        first, second = (first, second) if first.in_subject else (second, first)
    elif SUBJECT in second.held_out_in and SUBJECT not in first.held_out_in:
        first, second = second, first
    a, b = pool.side(first), pool.side(second)
    return Finding(Kind.GROUP_CROSSES_SPLIT, Severity.BLOCK, a, b, group=name)
