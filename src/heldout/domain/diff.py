"""What changed between two states of a dataset, as a partition: every example is in exactly one place of a diff."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from heldout.domain.members import Member


@dataclass(frozen=True, slots=True)
class Pair:
    """One example before and after, where its split or its content differs."""

    before: Member
    after: Member

    @property
    def edited(self) -> bool:
        return self.before.example != self.after.example

    @property
    def relabelled(self) -> bool:
        """The same question, another answer."""
        return self.before.input == self.after.input and self.before.expected != self.after.expected

    def inverse(self) -> Pair:
        return Pair(self.after, self.before)


@dataclass(frozen=True, slots=True)
class Diff:
    """From one state to another.

    `changed` are examples of the same split and key with other content; `moved` are those found again in another split,
    edited or not. `unchanged` counts the rest by split. So `removed`, `changed`, `moved` and `unchanged` make up the
    first state, and `added`, `changed`, `moved` and `unchanged` the second.
    """

    added: tuple[Member, ...] = ()
    removed: tuple[Member, ...] = ()
    changed: tuple[Pair, ...] = ()
    moved: tuple[Pair, ...] = ()
    unchanged: Mapping[str, int] = field(default_factory=dict)

    @property
    def relabelled(self) -> tuple[Pair, ...]:
        """The changed and moved examples whose input stayed while the expected output did not."""
        return tuple(pair for pair in (*self.changed, *self.moved) if pair.relabelled)

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.moved)

    def inverse(self) -> Diff:
        changed, moved = (_ordered_pairs(pair.inverse() for pair in pairs) for pairs in (self.changed, self.moved))
        return Diff(self.removed, self.added, changed, moved, self.unchanged)

    def counts(self) -> dict[str, int]:
        """Examples by what happened to them; `relabelled` ones are among `changed` and `moved` too."""
        return {
            "added": len(self.added),
            "removed": len(self.removed),
            "changed": len(self.changed),
            "moved": len(self.moved),
            "relabelled": len(self.relabelled),
            "unchanged": sum(self.unchanged.values()),
        }

    def by_split(self) -> dict[str, dict[str, int]]:
        """The counts of each split; a relabelled example counts where it is now.

        A moved one counts as `moved_out` of one split and as `moved_in` of another.
        """
        rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for name, splits in (
            ("added", [member.split for member in self.added]),
            ("removed", [member.split for member in self.removed]),
            ("changed", [pair.after.split for pair in self.changed]),
            ("moved_in", [pair.after.split for pair in self.moved]),
            ("moved_out", [pair.before.split for pair in self.moved]),
            ("relabelled", [pair.after.split for pair in self.relabelled]),
        ):
            for split in splits:
                rows[split][name] += 1
        for split, count in self.unchanged.items():
            rows[split]["unchanged"] += count
        return {split: {name: rows[split][name] for name in _COLUMNS} for split in sorted(rows)}


_COLUMNS = ("added", "removed", "changed", "moved_in", "moved_out", "relabelled", "unchanged")
_Address = Callable[[Member], Hashable]


def diff(before: Iterable[Member], after: Iterable[Member]) -> Diff:
    """Pair up the examples of two states, the best match first.

    An example is known by its key; where no person gave one, by its input, because a derived key of a repeated input
    is a number that shifts when another repeat comes or goes. The result does not depend on the order of either side,
    and diff(b, a) is diff(a, b).inverse().
    """
    left, right = _ordered(before), _ordered(after)
    found: dict[str, list[Pair]] = {"unchanged": [], "changed": [], "moved": []}
    for kind, address in _PASSES:
        pairs, left, right = _match(left, right, address)
        found[kind] += pairs
    return Diff(
        added=tuple(right),
        removed=tuple(left),
        changed=_ordered_pairs(found["changed"]),
        moved=_ordered_pairs(found["moved"]),
        unchanged=dict(sorted(Counter(pair.after.split for pair in found["unchanged"]).items())),
    )


def _identity(member: Member) -> tuple[str, str]:
    return ("input", member.input) if member.derived else ("key", member.key)


_PASSES: tuple[tuple[str, _Address], ...] = (
    # By key comes before by identity, so that giving derived keys away as given ones (load, then add) is no change.
    ("unchanged", lambda member: (member.split, member.key, member.example)),
    ("unchanged", lambda member: (member.split, _identity(member), member.example)),
    ("changed", lambda member: (member.split, member.key)),
    ("changed", lambda member: (member.split, _identity(member))),
    ("moved", lambda member: (member.key, member.example)),
    ("moved", lambda member: (_identity(member), member.example)),
    ("moved", lambda member: member.key),
    ("moved", _identity),
)
"""By falling likeness; each pass sees what the earlier ones left over."""


def _match(left: list[Member], right: list[Member], address: _Address) -> tuple[list[Pair], list[Member], list[Member]]:
    """Pairs with equal addresses, the first with the first where several have one, and what is left of either side."""
    waiting: defaultdict[Hashable, deque[Member]] = defaultdict(deque)
    for member in left:
        waiting[address(member)].append(member)
    pairs: list[Pair] = []
    rest: list[Member] = []
    for member in right:
        queue = waiting.get(address(member))
        if queue:
            pairs.append(Pair(queue.popleft(), member))
        else:
            rest.append(member)
    return pairs, _ordered(member for queue in waiting.values() for member in queue), rest


def _ordered(members: Iterable[Member]) -> list[Member]:
    return sorted(members, key=_order)


def _ordered_pairs(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """In an order that is the same seen from either side."""
    return tuple(sorted(pairs, key=lambda pair: sorted((_order(pair.before), _order(pair.after)))))


def _order(member: Member) -> tuple[str, str, str]:
    return (member.split, member.key, member.example)
