"""The rule that assigns clusters, and the components that clusters are, against brute force."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.splitting.making import Clump, assigned, deviation
from heldout.matching.components import components

SHARES = {"train": Fraction(4, 5), "test": Fraction(1, 5)}
clumps_of_any_kind = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), min_size=1, max_size=3), min_size=1, max_size=40
).map(lambda found: [Clump(f"c{number}", strata) for number, strata in enumerate(found)])


def sizes(clumps: list[Clump], splits: tuple[str, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    for clump, split in zip(clumps, splits, strict=True):
        found[split] += clump.size
    return found


@settings(max_examples=150, deadline=None)
@given(clumps_of_any_kind, st.integers(0, 5), st.randoms())
def test_the_order_of_clusters_does_not_matter(clumps: list[Clump], seed: int, chance: random.Random) -> None:
    expected = dict(zip((clump.name for clump in clumps), assigned(clumps, SHARES, seed), strict=True))
    shuffled = chance.sample(clumps, len(clumps))
    shares = dict(reversed(SHARES.items()))
    assert dict(zip((c.name for c in shuffled), assigned(shuffled, shares, seed), strict=True)) == expected


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(1, 12), max_size=12),
    st.sampled_from([(4, 1), (8, 1, 1), (1, 1), (1, 2, 3), (98, 2)]),
    st.integers(0, 3),
)
def test_with_enough_single_rows_every_size_is_met_to_less_than_a_row(
    large: list[int], parts: tuple[int, ...], seed: int
) -> None:
    """As many single rows as the clusters have rows in the smallest split's place: then there is room to be exact."""
    shares = {f"s{number}": Fraction(part, sum(parts)) for number, part in enumerate(parts)}
    singles = 12 * sum(parts) + sum(large) * sum(parts)
    clumps = [Clump(f"c{number}", {"": size}) for number, size in enumerate([*large, *[1] * singles])]
    got = sizes(clumps, assigned(clumps, shares, seed))
    total = sum(got.values())
    assert all(abs(got[name] - share * total) < len(shares) for name, share in shares.items())
    if len(shares) == 2:
        assert deviation(got, shares) == 0


def test_strata_follow_the_shares() -> None:
    strata = {"a": 200, "b": 100, "c": 15, "d": 4}
    clumps = [Clump(f"{name}{number}", {name: 1}) for name, count in strata.items() for number in range(count)]
    found = Counter((clump.name[0], split) for clump, split in zip(clumps, assigned(clumps, SHARES, 1), strict=True))
    for name, count in strata.items():
        assert abs(found[name, "test"] - count / 5) <= 1, name


def test_clusters_of_every_size_are_spread_by_the_shares() -> None:
    """Not all large ones go to the large split, which would leave a test split of nothing but single rows."""
    clumps = [Clump(f"c{number}", {"": 5}) for number in range(100)]
    assert sizes(clumps, assigned(clumps, SHARES, 3)) == {"train": 400, "test": 100}


def test_another_seed_makes_another_split() -> None:
    clumps = [Clump(f"c{number}", {"": 1}) for number in range(100)]
    assert len({assigned(clumps, SHARES, seed) for seed in range(5)}) == 5


def test_one_cluster_that_is_most_of_all() -> None:
    clumps = [Clump("large", {"": 60}), *(Clump(f"c{number}", {"": 1}) for number in range(40))]
    shares = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    got = sizes(clumps, assigned(clumps, shares, 0))
    assert sorted(got.values()) == [40, 60]
    assert deviation(got, shares) == Fraction(1, 10)


@pytest.mark.parametrize(("got", "missed"), [((8, 2), 0), ((7, 3), Fraction(1, 10)), ((9, 1), Fraction(1, 10))])
def test_deviation_is_of_all_rows(got: tuple[int, int], missed: Fraction) -> None:
    assert deviation(dict(zip(SHARES, got, strict=True)), SHARES) == missed


def test_less_than_a_row_is_no_deviation() -> None:
    assert deviation({"train": 6, "test": 1}, SHARES) == 0  # 5.6 and 1.4 rows were wanted


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 30).flatmap(lambda n: st.tuples(
    st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40)
)))  # fmt: skip
def test_components_are_those_of_a_walk(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = graph
    lowest = list(range(count))
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            low = min(lowest[a], lowest[b])
            changed |= (lowest[a], lowest[b]) != (low, low)
            lowest[a] = lowest[b] = low
    array = np.array(edges, np.int64).reshape(-1, 2).T
    assert components(count, array).tolist() == lowest
    half = array.shape[1] // 2
    assert components(count, array[:, half:], components(count, array[:, :half])).tolist() == lowest


def test_a_long_chain_is_one_component() -> None:
    chain = np.stack([np.arange(99_999), np.arange(1, 100_000)])
    assert not components(100_000, chain[:, ::-1]).any()
