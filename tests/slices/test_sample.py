"""The sample of a slice: the same for everybody, shared by strata, honest about what it could not see."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.example import JSON
from heldout.domain.slicing.definition import Sample
from heldout.domain.slicing.sample import Draw, Drawn, Stratum, shares

KEYS = [f"ex-{number:03d}" for number in range(10)]


def drawn(sample: Sample, rows: list[tuple[str, str, dict[str, JSON]]], unevaluable: int = 0) -> Drawn:
    draw = Draw(sample)
    for split, key, metadata in rows:
        draw.add(split, key, metadata)
    return draw.result(unevaluable=unevaluable)


def plain(keys: list[str]) -> list[tuple[str, str, dict[str, JSON]]]:
    return [("test", key, {}) for key in keys]


@pytest.mark.req("B12", "B14", "A15")
@pytest.mark.parametrize(
    ("seed", "expected"),
    [("s1", ["ex-002", "ex-004", "ex-008", "ex-001"]), ("s2", ["ex-003", "ex-002", "ex-001", "ex-000"])],
)
def test_the_lowest_hashes_of_seed_and_key_are_taken_in_any_order(seed: str, expected: list[str]) -> None:
    for attempt in range(20):
        keys = KEYS.copy()
        random.Random(attempt).shuffle(keys)
        result = drawn(Sample(4, seed), plain(keys))
        assert [key for _, key in result.members] == expected
        assert (result.matched, result.is_short, result.partial, result.strata) == (10, False, False, ())


@pytest.mark.req("A15")
def test_nothing_stands_between_seed_and_key() -> None:
    # printf s1ex-000 | sha256sum
    assert hashlib.sha256(b"s1ex-000").hexdigest().startswith("68909cf05335713d3eb16ce9fc3c7726")
    ordered = sorted(KEYS, key=lambda key: hashlib.sha256(f"s1{key}".encode()).hexdigest())
    assert [key for _, key in drawn(Sample(10, "s1"), plain(KEYS)).members] == ordered
    assert [key for _, key in drawn(Sample(9, "s"), plain(["1ex-000"])).members] == ["1ex-000"]


@pytest.mark.req("A15")
def test_more_than_there_are_gives_all_and_says_so() -> None:
    result = drawn(Sample(11, "s1"), plain(KEYS))
    assert (len(result.members), result.size, result.matched, result.is_short) == (10, 11, 10, True)
    assert not drawn(Sample(10, "s1"), plain(KEYS)).is_short
    assert drawn(Sample(3, "s1"), []).members == ()


@pytest.mark.req("A13", "B21")
def test_a_sample_beside_examples_nobody_could_check_is_partial() -> None:
    assert drawn(Sample(4, "s1"), plain(KEYS), unevaluable=1).partial
    assert not drawn(Sample(4, "s1"), plain(KEYS), unevaluable=0).partial


@pytest.mark.req("A15", "B14")
def test_a_key_in_two_splits_is_two_examples_in_a_fixed_order() -> None:
    rows: list[tuple[str, str, dict[str, JSON]]] = [("train", "k", {}), ("test", "k", {})]
    assert drawn(Sample(2), rows).members == drawn(Sample(2), rows[::-1]).members == (("test", "k"), ("train", "k"))
    assert drawn(Sample(1), rows).members == drawn(Sample(1), rows[::-1]).members == (("test", "k"),)


@pytest.mark.req("B13", "A16")
@pytest.mark.parametrize(
    ("sizes", "size", "expected"),
    [
        ({"de": 50, "en": 30, "fr": 20}, 7, {"de": 4, "en": 2, "fr": 1}),  # 3.5, 2.1, 1.4
        ({"a": 10, "b": 10}, 3, {"a": 2, "b": 1}),  # 1.5 and 1.5: by text
        ({"a": 97, "b": 2, "c": 1}, 10, {"a": 10, "b": 0, "c": 0}),  # 9.7, 0.2, 0.1
        ({"a": 10, "b": 30}, 2, {"a": 0, "b": 2}),  # 0.5 and 1.5: to the larger
        ({"b": 10, "a": 10, "c": 10}, 1, {"a": 1, "b": 0, "c": 0}),
        ({"a": 1, "b": 2}, 3, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, 9, {"a": 1, "b": 2}),
        ({"a": 5}, 2, {"a": 2}),
        ({}, 5, {}),
        ({"a": 10**17 + 1, "b": 10**17}, 1, {"a": 1, "b": 0}),  # a float would call it a tie
    ],
)
def test_strata_share_by_the_largest_remainder(sizes: dict[str, int], size: int, expected: dict[str, int]) -> None:
    assert shares(sizes, size) == expected


@pytest.mark.req("B13", "A16")
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=2), st.integers(1, 60), max_size=8), st.integers(1, 200))
def test_shares_are_whole_near_their_quota_and_add_up(sizes: dict[str, int], size: int) -> None:
    found, total = shares(sizes, size), sum(sizes.values())
    assert sum(found.values()) == min(size, total)
    for stratum, count in sizes.items():
        quota = Fraction(min(size, total) * count, total)
        assert abs(found[stratum] - quota) < 1
        assert found[stratum] <= count
        # a stratum is never served before a larger one: largest remainders are monotone here
        assert all(found[other] <= found[stratum] for other, amount in sizes.items() if amount < count)
    assert shares(dict(reversed(sizes.items())), size) == found


TOPICS: list[JSON] = ["de", "de", "de", "de", "en", "en", 1, 1.0, "1", None, True, ["x"]]


@pytest.mark.req("B13", "A16")
def test_a_stratum_is_the_canonical_text_of_a_value_and_missing_is_null() -> None:
    rows: list[tuple[str, str, dict[str, JSON]]] = [("test", f"k{n}", {"t": value}) for n, value in enumerate(TOPICS)]
    rows.append(("test", "none", {}))
    result = drawn(Sample(99, stratify="t"), rows)
    assert {item.value: item.matched for item in result.strata} == {
        '"1"': 1,
        '"de"': 4,
        '"en"': 2,
        '["x"]': 1,
        "1": 2,
        "null": 2,
        "true": 1,
    }
    assert [item.value for item in result.strata] == sorted(item.value for item in result.strata)


@pytest.mark.req("A16")
def test_a_stratum_that_gets_none_is_told() -> None:
    rows: list[tuple[str, str, dict[str, JSON]]] = [
        ("test", f"{language}{number}", {"language": language})
        for language, count in {"a": 97, "b": 2, "c": 1}.items()
        for number in range(count)
    ]
    result = drawn(Sample(10, "s", "language"), rows)
    assert result.empty_strata == (Stratum('"b"', 2, 0), Stratum('"c"', 1, 0))
    assert len(result.members) == 10
    assert drawn(Sample(10, "s"), rows).empty_strata == ()


@pytest.mark.req("B12", "B13", "B14")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=3), st.sampled_from(["a", "b", None])), unique_by=lambda row: row[0]),
    st.integers(1, 8),
    st.text(max_size=2),
    st.randoms(use_true_random=False),
)
def test_each_stratum_gives_its_lowest_hashes(rows, size, seed, rng) -> None:  # type: ignore[no-untyped-def]
    given_rows = [("test", key, {"t": topic}) for key, topic in rows]
    result = drawn(Sample(size, seed, "t"), given_rows)
    taken = Counter(topic for key, topic in rows if ("test", key) in result.members)
    for topic, count in taken.items():
        keys = sorted((key for key, other in rows if other == topic), key=lambda key: hash_of(seed, key))
        assert {("test", key) for key in keys[:count]} <= set(result.members)
    hashes = [hash_of(seed, key) for _, key in result.members]
    assert hashes == sorted(hashes)
    rng.shuffle(given_rows)
    assert drawn(Sample(size, seed, "t"), given_rows) == result


def hash_of(seed: str, key: str) -> str:
    return hashlib.sha256((seed + key).encode()).hexdigest()


@pytest.mark.req("B12")
def test_a_draw_holds_no_more_than_a_few_times_its_size() -> None:
    draw = Draw(Sample(50, "s"))
    for number in range(5000):
        draw.add("test", str(number), {})
    assert sum(len(lowest._items) for lowest in draw._strata.values()) <= 200
    expected = sorted(map(str, range(5000)), key=lambda key: hash_of("s", key))[:50]
    assert [key for _, key in draw.result().members] == expected
