"""Counts by multiplication against counts by listing every pair of examples."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.canonical import digest
from heldout.domain.finding import Kind
from heldout.domain.members import Member
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.domain.pool import Holding, Occurrence, Pool
from heldout.domain.tally import Hits, PairCounts, Tally

SPLITS = ("train", "test", "dev")
INPUTS = tuple(sorted(digest(number) for number in range(5)))
HOLDOUT = ("test",)

members = st.lists(
    st.tuples(st.sampled_from(SPLITS), st.sampled_from("abc"), st.sampled_from(INPUTS)),
    max_size=9,
    unique_by=lambda row: row[:2],
)
pairs = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] < pair[1]), max_size=5)


@pytest.mark.req("E31", "B41")
@given(members, pairs, pairs)
def test_counts_are_those_of_every_pair(
    rows: list[tuple[str, str, str]], near: set[tuple[int, int]], inside: set[tuple[int, int]]
) -> None:
    pool = Pool(Holding("set", "source", [Member(*row, example="") for row in rows], frozenset(HOLDOUT)))
    links = {
        kind: [
            tuple(pool.index[INPUTS[end]] for end in pair)
            for pair in found
            if all(INPUTS[end] in pool.index for end in pair)
        ]
        for kind, found in ((Kind.NEAR, near), (Kind.CONTAINMENT, inside))
    }
    tally = Tally(
        pool,
        [NearLink(a, b, Fraction(9, 10)) for a, b in links[Kind.NEAR]],
        [ContainmentLink(a, b, "prefix", 0, True) for a, b in links[Kind.CONTAINMENT]],
    )
    expected = listed(pool, {kind: {frozenset(pair) for pair in found} for kind, found in links.items()})
    across = {kind: sum(x.split != y.split for x, y in found) for kind, found in expected.items()}
    assert tally.pairs == PairCounts(
        exact=across[Kind.EXACT],
        near=across[Kind.NEAR],
        moved=len(expected[Kind.MOVED]),
        containment=across[Kind.CONTAINMENT],
        intra_exact=len(expected[Kind.EXACT]) - across[Kind.EXACT],
        intra_near=len(expected[Kind.NEAR]) - across[Kind.NEAR],
    )
    for rate in tally.rates(HOLDOUT):
        assert rate.hits == hits(expected, {rate.source}, rate.target)
        assert rate.of == sum(row[0] == rate.target for row in rows)
    for contamination in tally.contamination([split for split in HOLDOUT if split in tally.sizes]):
        assert contamination.hits == hits(expected, set(SPLITS) - set(HOLDOUT), contamination.split)


Listed = dict[Kind, list[tuple[Occurrence, Occurrence]]]


def listed(pool: Pool, linked: dict[Kind, set[frozenset[int]]]) -> Listed:
    found: Listed = {kind: [] for kind in (Kind.EXACT, Kind.NEAR, Kind.MOVED, Kind.CONTAINMENT)}
    for x, y in combinations([item for group in pool.occurrences for item in group], 2):
        inputs = frozenset((pool.index[x.input], pool.index[y.input]))
        if x.input == y.input:
            found[Kind.EXACT].append((x, y))
        for kind, links in linked.items():
            if inputs in links:
                found[kind].append((x, y))
        if x.key == y.key and x.split != y.split:
            found[Kind.MOVED].append((x, y))
    return found


def hits(found: Listed, sources: set[str], target: str) -> Hits:
    touched: defaultdict[Kind, set[str]] = defaultdict(set)
    for kind, overlaps in found.items():
        for left, right in overlaps:
            for x, y in ((left, right), (right, left)):
                if x.split in sources and y.split == target and x.split != y.split:
                    touched[kind].add(y.key)
    blocking = touched[Kind.EXACT] | touched[Kind.NEAR] | touched[Kind.MOVED]
    return Hits(
        exact=len(touched[Kind.EXACT]),
        near=len(touched[Kind.NEAR]),
        moved=len(touched[Kind.MOVED]),
        containment=len(touched[Kind.CONTAINMENT]),
        blocking=len(blocking),
        any=len(blocking | touched[Kind.CONTAINMENT]),
    )


@given(members)
def test_rates_come_in_both_directions(rows: list[tuple[str, str, str]]) -> None:
    tally = Tally(Pool(Holding("set", "source", [Member(*row, example="") for row in rows], frozenset())), [], [])
    pairs = [(rate.source, rate.target) for rate in tally.rates(HOLDOUT)]
    assert set(pairs) == {(target, source) for source, target in pairs}
    assert len(pairs) == len(set(pairs))
    assert {pair for pair in pairs if "test" in pair} == {
        pair for a in tally.sizes for b in tally.sizes for pair in [(a, b)] if a != b and "test" in pair
    }
