"""Small worlds of versions that overlap: what hypothesis draws, and what a scan of them finds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from hypothesis import strategies as st
from support.leak_rules import Expected, Identity, Links, Row, expected

from heldout.domain.finding import Span
from heldout.domain.members import Member
from heldout.domain.overlap import ContainmentLink, Expansion, NearLink, Overlaps
from heldout.domain.pool import Holding, Pool
from heldout.domain.record import Capped, Compared, Examples, ScanRecord

INPUTS = tuple(
    "sha256:" + hashlib.sha256(name.encode()).hexdigest() for name in ("one", "two", "three", "four", "five")
)
SPLITS = ("train", "test")
NO_CAP = 10**9


@dataclass(frozen=True)
class World:
    """Versions, the first being the scanned one, and which inputs overlap."""

    holdings: tuple[Holding, ...]
    links: Links

    def rows(self) -> list[Row]:
        return [
            Row(item.source, item.dataset, m.split, m.key, m.input, m.derived, m.split in item.holdout)
            for item in self.holdings
            for m in item.members
        ]

    def expected(self) -> dict[frozenset[Identity], Expected]:
        return expected(self.rows(), self.holdings[0].source, self.links)

    def found(self, pair_cap: int = NO_CAP) -> Overlaps:
        subject, *others = self.holdings
        pool = Pool(subject, others)
        expansion = Expansion(pool, pair_cap)
        near, contained = self.links.near.items(), self.links.contained
        known = set(pool.index)
        expansion.near(
            NearLink(*sorted(pool.index[item] for item in pair), similarity)
            for pair, similarity in near
            if pair <= known
        )
        expansion.contained(
            ContainmentLink(pool.index[short], pool.index[long], "interior", 3, True)
            for short, long in sorted(contained)
            if {short, long} <= known
        )
        return expansion.overlaps(lambda first, second: Span(first, second, 7))

    def scanned_from(self, position: int) -> World:
        others = self.holdings[:position] + self.holdings[position + 1 :]
        return World((self.holdings[position], *others), self.links)


def given_members(rows: dict[tuple[str, str], str]) -> tuple[Member, ...]:
    return tuple(Member(split, key, text, f"{split}{key}{text}") for (split, key), text in rows.items())


def derived_members(rows: Sequence[tuple[str, str]]) -> tuple[Member, ...]:
    """Keys as the design derives them: 16 hex of the input digest, repeats in a split numbered from 2."""
    members = []
    for position, (split, text) in enumerate(rows):
        repeat = sum(row == (split, text) for row in rows[: position + 1])
        key = text[7:23] + (f"-{repeat}" if repeat > 1 else "")
        members.append(Member(split, key, text, f"{position:03}", derived=True))
    return tuple(members)


addresses = st.tuples(st.sampled_from(SPLITS), st.sampled_from(("1", "2", "3")))
members = st.one_of(
    st.dictionaries(addresses, st.sampled_from(INPUTS), max_size=5).map(given_members),
    st.lists(st.tuples(st.sampled_from(SPLITS), st.sampled_from(INPUTS)), max_size=5).map(derived_members),
    # Keys that were derived once and given since.
    st.lists(st.tuples(st.sampled_from(SPLITS), st.sampled_from(INPUTS)), max_size=5).map(
        lambda rows: tuple(replace(item, derived=False) for item in derived_members(rows))
    ),
)
pairs = [frozenset(pair) for pair in combinations(INPUTS, 2)]
links = st.builds(
    lambda near, contained: Links(near, frozenset(contained)),
    st.dictionaries(
        st.sampled_from(pairs), st.sampled_from((Fraction(4, 5), Fraction(9, 10), Fraction(1))), max_size=4
    ),
    st.lists(st.sampled_from(pairs), max_size=3, unique=True).map(lambda chosen: [tuple(sorted(p)) for p in chosen]),
)


@st.composite
def worlds(draw: st.DrawFn, least: int = 1) -> World:
    count = draw(st.integers(least, 4))
    holdings = []
    for number in range(count):
        dataset = draw(st.sampled_from(("a", "b"))) if number else "a"
        holdout = draw(st.sets(st.sampled_from(SPLITS)))
        holdings.append(Holding(dataset, f"sha256:{9 - number:064x}", draw(members), frozenset(holdout)))
    return World(tuple(holdings), draw(links))


def record(
    subject: Holding, others: Sequence[Holding], overlaps: Overlaps, incomplete: tuple[str, ...] = ()
) -> ScanRecord:
    """The record of a scan, as far as coverage reads it."""
    held = sum(member.split in subject.holdout for member in subject.members)
    return ScanRecord(
        dataset=subject.dataset,
        source=subject.source,
        content="",
        method_id="",
        method_digest="",
        method_parameters={},
        examples=Examples(),
        holdout_splits=tuple(sorted(subject.holdout)),
        holdout_members=held,
        incomplete=incomplete,
        compared=tuple(Compared(item.dataset, item.source, item.complete) for item in others),
        counts=overlaps.counts(),
        capped=Capped(),
        findings_digest="",
        findings_lines=len(overlaps.findings),
    )
