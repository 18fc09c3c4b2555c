"""The pool of a scan: every distinct input of the scanned version and of those it is compared with, and who holds it.

Work is done per distinct input, not per row, so ten versions of one dataset cost little more than one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from heldout.domain.finding import Side
from heldout.domain.members import Member

SUBJECT = 0
"""Position of the scanned version among a pool's holdings; the compared ones follow in the order of their sources."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What one version holds. `holdout` names its holdout splits; `complete` is False when rows or payloads lack."""

    dataset: str
    source: str
    members: Sequence[Member]
    holdout: frozenset[str]
    complete: bool = True


@dataclass(slots=True)
class Occurrence:
    """One example (dataset, split, key, input) and the positions of the versions that hold it, held out or open.

    `derived` holds as long as no version's key was given by a person.
    """

    dataset: str
    split: str
    key: str
    input: str
    derived: bool
    held_out_in: frozenset[int] = frozenset()
    open_in: frozenset[int] = frozenset()

    @property
    def versions(self) -> frozenset[int]:
        return self.held_out_in | self.open_in

    @property
    def in_subject(self) -> bool:
        return SUBJECT in self.held_out_in or SUBJECT in self.open_in

    @property
    def order(self) -> tuple[str, str, str, str]:
        return (self.dataset, self.split, self.key, self.input)

    def classes(self) -> set[tuple[str, str, int]]:
        """The (dataset, split, version) groups it stands in: a capped family keeps a partner from each of them."""
        return {(self.dataset, self.split, version) for version in self.versions}


class Pool:
    """Occurrences by distinct input. Input i is the i-th digest in sorted order, whatever order versions came in."""

    def __init__(self, subject: Holding, others: Sequence[Holding] = ()) -> None:
        self.holdings: tuple[Holding, ...] = (subject, *sorted(others, key=lambda item: item.source))
        self.sources: tuple[str, ...] = tuple(holding.source for holding in self.holdings)
        by_input: defaultdict[str, dict[tuple[str, str, str], Occurrence]] = defaultdict(dict)
        for position, holding in enumerate(self.holdings):
            for member in holding.members:
                address = (holding.dataset, member.split, member.key)
                occurrence = by_input[member.input].get(address)
                if occurrence is None:
                    occurrence = Occurrence(*address, member.input, member.derived)
                    by_input[member.input][address] = occurrence
                occurrence.derived = occurrence.derived and member.derived
                if member.split in holding.holdout:
                    occurrence.held_out_in = _with(occurrence.held_out_in, position)
                else:
                    occurrence.open_in = _with(occurrence.open_in, position)
        self.inputs: tuple[str, ...] = tuple(sorted(by_input))
        self.occurrences: tuple[tuple[Occurrence, ...], ...] = tuple(
            tuple(sorted(by_input[digest].values(), key=lambda item: item.order)) for digest in self.inputs
        )

    @cached_property
    def index(self) -> dict[str, int]:
        return {digest: position for position, digest in enumerate(self.inputs)}

    @property
    def subject(self) -> Holding:
        return self.holdings[SUBJECT]

    def concerns_subject(self, position: int) -> bool:
        return any(occurrence.in_subject for occurrence in self.occurrences[position])

    def side(self, occurrence: Occurrence) -> Side:
        """The occurrence as findings name it, versions by source digest."""
        return Side(
            *occurrence.order,
            held_out_in=tuple(sorted(self.sources[v] for v in occurrence.held_out_in)),
            open_in=tuple(sorted(self.sources[v] for v in occurrence.open_in)),
        )

    def same_key(self) -> Iterator[tuple[Occurrence, ...]]:
        """Groups of occurrences that share a dataset and a key people gave, in more than one split (A28)."""
        groups: defaultdict[tuple[str, str], list[Occurrence]] = defaultdict(list)
        for occurrences in self.occurrences:
            for occurrence in occurrences:
                if not occurrence.derived:
                    groups[occurrence.dataset, occurrence.key].append(occurrence)
        for group in groups.values():
            if len({occurrence.split for occurrence in group}) > 1:
                yield tuple(sorted(group, key=lambda item: item.order))


@cache
def _with(versions: frozenset[int], position: int) -> frozenset[int]:
    """One shared set for all examples that the same versions hold: a set each would be half of a pool's memory."""
    return versions | {position}
