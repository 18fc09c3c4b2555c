"""The pool: which examples of which versions hold each distinct input."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.worlds import INPUTS, World, derived_members, given_members, worlds

from heldout.domain.pool import SUBJECT, Holding, Pool


@given(worlds())
def test_nobody_is_lost_and_nobody_is_there_twice(world: World) -> None:
    subject, *others = world.holdings
    pool = Pool(subject, others)
    held, open_ = set(), set()
    for occurrences in pool.occurrences:
        for item in occurrences:
            assert not item.held_out_in & item.open_in, "in one version a split is one or the other"
            held |= {(*item.order, pool.sources[version]) for version in item.held_out_in}
            open_ |= {(*item.order, pool.sources[version]) for version in item.open_in}
    rows = world.rows()
    assert held == {(*row.identity, row.version) for row in rows if row.held}
    assert open_ == {(*row.identity, row.version) for row in rows if not row.held}


@pytest.mark.req("E2")
@given(worlds())
def test_inputs_are_in_the_order_of_their_digests(world: World) -> None:
    subject, *others = world.holdings
    pool = Pool(subject, others)
    assert list(pool.inputs) == sorted({row.input for row in world.rows()})
    assert [pool.index[digest] for digest in pool.inputs] == list(range(len(pool.inputs)))
    assert pool.holdings[SUBJECT] is subject
    assert list(pool.sources[1:]) == sorted(item.source for item in others)
    turned = Pool(subject, others[::-1])
    assert (turned.inputs, turned.occurrences) == (pool.inputs, pool.occurrences)


@given(worlds())
def test_an_input_concerns_the_subject_where_the_subject_holds_it(world: World) -> None:
    subject, *others = world.holdings
    pool = Pool(subject, others)
    mine = {member.input for member in subject.members}
    assert {digest for digest in pool.inputs if pool.concerns_subject(pool.index[digest])} == mine


def test_ten_versions_of_one_example_are_one_occurrence() -> None:
    rows = given_members({("test", "1"): INPUTS[0]})
    versions = [Holding("a", f"sha256:{number}", rows, frozenset({"test"})) for number in range(10)]
    ((only,),) = Pool(versions[0], versions[1:]).occurrences
    assert only.held_out_in == set(range(10))
    assert only.classes() == {("a", "test", version) for version in range(10)}


@pytest.mark.req("A28")
def test_only_keys_that_people_gave_are_looked_for_in_other_splits() -> None:
    rows = {("test", "1"): INPUTS[0], ("train", "1"): INPUTS[1], ("train", "2"): INPUTS[2]}
    (group,) = Pool(Holding("a", "s", given_members(rows), frozenset())).same_key()
    assert [item.order for item in group] == [("a", "test", "1", INPUTS[0]), ("a", "train", "1", INPUTS[1])]
    derived = derived_members([("test", INPUTS[0]), ("train", INPUTS[0])])
    assert list(Pool(Holding("a", "s", derived, frozenset())).same_key()) == []
    # Another dataset's key of the same text is another key.
    other = Holding("b", "t", given_members({("train", "1"): INPUTS[3]}), frozenset())
    pool = Pool(Holding("a", "s", given_members({("test", "1"): INPUTS[0]}), frozenset()), [other])
    assert list(pool.same_key()) == []
