"""Diffs as set algebra, and the version numbers that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.diff import Diff, diff
from heldout.domain.example import Example
from heldout.domain.members import Member, content_digest, member_of, with_derived_keys
from heldout.domain.names import VersionNumber
from heldout.domain.versioning import bump, next_number

SPLITS = ("train", "dev", "test")


def members(*rows: tuple[str, str | None, str, str]) -> tuple[Member, ...]:
    """(split, key, input, expected) rows as a version holds them, derived keys filled in."""
    return with_derived_keys(
        [member_of(Example(split, text, key=key, expected=label)) for split, key, text, label in rows]
    )


given_rows = st.dictionaries(
    st.tuples(st.sampled_from(SPLITS), st.sampled_from("1234")),
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy")),
    max_size=9,
).map(lambda rows: members(*((split, key, *content) for (split, key), content in rows.items())))
derived_rows = st.lists(
    st.tuples(st.sampled_from(SPLITS), st.none(), st.sampled_from("abc"), st.sampled_from("xy")), max_size=9
).map(lambda rows: members(*rows))
states = st.one_of(given_rows, derived_rows)
pairs_of_states = st.one_of(
    st.tuples(given_rows, given_rows), st.tuples(derived_rows, derived_rows), st.tuples(states, states)
)


def as_bag(rows: Iterable[Member]) -> Counter[tuple[str, str]]:
    """A state without its keys: derived ones shift when a repeat comes or goes."""
    return Counter((row.split, row.example) for row in rows)


@given(pairs_of_states)
def test_every_example_of_both_sides_is_in_exactly_one_place(pair: tuple[tuple[Member, ...], ...]) -> None:
    before, after = pair
    found = diff(before, after)
    kept = found.counts()["unchanged"]
    assert kept + len(found.changed) + len(found.moved) + len(found.removed) == len(before)
    assert kept + len(found.changed) + len(found.moved) + len(found.added) == len(after)
    gone = as_bag([*found.removed, *(item.before for item in (*found.changed, *found.moved))])
    come = as_bag([*found.added, *(item.after for item in (*found.changed, *found.moved))])
    assert as_bag(before) - gone + come == as_bag(after)
    assert all(item.before.split == item.after.split and item.edited for item in found.changed)
    assert all(item.before.split != item.after.split for item in found.moved)
    for split, row in found.by_split().items():
        assert sum(member.split == split for member in after) == (
            row["added"] + row["changed"] + row["moved_in"] + row["unchanged"]
        )


@given(pairs_of_states)
def test_the_way_back_is_the_inverse(pair: tuple[tuple[Member, ...], ...]) -> None:
    before, after = pair
    assert diff(after, before) == diff(before, after).inverse()


@given(states, st.randoms(use_true_random=False))
def test_order_of_rows_is_no_change(state: tuple[Member, ...], random: object) -> None:
    shuffled = list(state)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert diff(state, shuffled).is_empty


@given(states)
def test_from_and_to_nothing(state: tuple[Member, ...]) -> None:
    assert as_bag(diff((), state).added) == as_bag(state)
    assert as_bag(diff(state, ()).removed) == as_bag(state)
    assert diff(state, ()).counts()["unchanged"] == 0


@given(pairs_of_states)
def test_empty_means_that_the_content_digests_are_equal(pair: tuple[tuple[Member, ...], ...]) -> None:
    before, after = pair
    assert diff(before, after).is_empty == (content_digest(before) == content_digest(after))


@given(given_rows, given_rows)
def test_given_keys_agree_with_the_definition(before: tuple[Member, ...], after: tuple[Member, ...]) -> None:
    """The definitions read literally, by set operations on addresses."""
    old = {(row.split, row.key): row for row in before}
    new = {(row.split, row.key): row for row in after}
    found = diff(before, after)
    both = old.keys() & new.keys()
    assert {(item.after.split, item.after.key) for item in found.changed} == {
        address for address in both if old[address].example != new[address].example
    }
    left, right = (Counter(key for _, key in addresses) for addresses in (old.keys() - both, new.keys() - both))
    assert Counter(item.after.key for item in found.moved) == left & right


def counts(found: Diff) -> dict[str, int]:
    return {name: count for name, count in found.counts().items() if count}


@pytest.mark.req("B40")
def test_each_kind_of_change_once() -> None:
    before = members(
        ("train", "1", "a", "x"), ("train", "2", "b", "x"), ("train", "3", "c", "x"), ("test", "4", "d", "x"),
        ("test", "5", "e", "x"),
    )  # fmt: skip
    after = members(
        ("train", "1", "a", "x"), ("train", "2", "b", "y"), ("train", "3", "c2", "x"), ("train", "4", "d", "x"),
        ("test", "6", "f", "x"),
    )  # fmt: skip
    found = diff(before, after)
    assert counts(found) == {"added": 1, "removed": 1, "changed": 2, "moved": 1, "relabelled": 1, "unchanged": 1}
    assert [(item.before.split, item.after.split, item.after.key) for item in found.moved] == [("test", "train", "4")]
    assert [item.after.key for item in found.relabelled] == ["2"]
    assert found.by_split()["train"] == {
        "added": 0, "removed": 0, "changed": 2, "moved_in": 1, "moved_out": 0, "relabelled": 1, "unchanged": 1,
    }  # fmt: skip


def test_derived_keys_are_known_by_their_input() -> None:
    before = members(("train", None, "a", "x"), ("train", None, "a", "y"), ("test", None, "b", "x"))
    after = members(("train", None, "a", "y"), ("train", None, "b", "x"), ("test", None, "c", "x"))
    assert counts(diff(before, after)) == {"added": 1, "removed": 1, "moved": 1, "unchanged": 1}


def test_keys_that_were_derived_and_are_given_now_are_no_change() -> None:
    derived = members(("train", None, "a", "x"), ("train", None, "a", "y"), ("test", None, "b", "x"))
    told = [Member(row.split, row.key, row.input, row.example, row.expected) for row in derived]
    assert diff(derived, told).is_empty


BASE = (("train", "1", "a", "x"), ("train", "2", "b", "x"), ("test", "3", "c", "x"), ("test", "4", "d", "x"))


@pytest.mark.parametrize(
    ("after", "part"),
    [
        (BASE, "patch"),
        (BASE[1:], "patch"),
        ((*BASE, ("train", "9", "z", "x")), "minor"),
        ((*BASE, ("test", "9", "z", "x")), "minor"),
        ((("train", "1", "a", "y"), *BASE[1:]), "minor"),
        ((("dev", "1", "a", "x"), *BASE[1:]), "minor"),
        ((("test", "1", "a", "x"), *BASE[1:]), "minor"),
        (BASE[:3], "major"),
        ((*BASE[:3], ("test", "4", "d", "y")), "major"),
        ((*BASE[:3], ("train", "4", "d", "x")), "major"),
        ((*BASE[:3], ("sealed", "4", "d", "x")), "major"),
    ],
)
def test_what_a_change_is_worth(after: tuple[tuple[str, str, str, str], ...], part: str) -> None:
    assert bump(diff(members(*BASE), members(*after)), {"test", "sealed"}) == part


def test_declaring_another_holdout_counts() -> None:
    same = diff(members(*BASE), members(*BASE))
    assert bump(same, {"test"}, set()) == "major"
    assert bump(same, {"test"}, {"test", "train"}) == "minor"
    assert bump(same, {"test"}, {"test", "absent"}) == "patch"


def test_numbers() -> None:
    latest = VersionNumber(1, 4, 2)
    assert [str(next_number(latest, part)) for part in ("major", "minor", "patch")] == ["v2.0.0", "v1.5.0", "v1.4.3"]
    assert str(next_number(None, "patch")) == "v1.0.0"
