"""Members: keys that follow from inputs, and what a version's content digest covers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.example import Example
from heldout.domain.members import Member, content_digest, member_of, with_derived_keys


def sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


# sha256 of the five bytes "a", b, c in quotes, from `printf '"abc"' | sha256sum`.
ABC = "sha256:6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25"


@pytest.mark.req("B29", "A1", "A3")
def test_a_member_knows_its_row_by_digests_of_canonical_json() -> None:
    row = Example("test", "abc", key="7", expected={"b": 1.0, "a": None}, tags=("y", "x", "y"), metadata={"n": 2})
    member = member_of(row)
    assert (member.split, member.key, member.derived) == ("test", "7", False)
    assert member.input == ABC
    assert member.expected == sha256('{"a":null,"b":1}')
    whole = '{"expected":{"a":null,"b":1},"input":"abc","metadata":{"n":2},"tags":["x","y"]}'
    assert member.example == sha256(whole)


def test_address_and_line_are_no_part_of_the_example() -> None:
    row = Example("test", "abc", key="7", line=3)
    assert member_of(row).example == member_of(replace(row, split="train", key="8", line=99)).example


def test_an_input_kept_outside_is_known_by_its_payload() -> None:
    payload = "sha256:" + "0" * 64
    member = member_of(Example("test", None, payload=payload, has_input=False))
    assert member.input == payload
    assert member.example == sha256(f'{{"payload":"{payload}"}}')


def test_keys_are_the_first_sixteen_hex_digits_of_the_input() -> None:
    (member,) = with_derived_keys([member_of(Example("test", "abc"))])
    assert member.key == ABC[7:23] == "6cc43f858fbb7633"
    assert member.derived


def test_repeats_of_a_split_are_numbered_in_the_order_of_their_example_digests() -> None:
    rows = [member_of(Example(split, "abc", expected=label)) for split in ("train", "test") for label in "123"]
    stem = ABC[7:23]
    for split in ("train", "test"):
        mine = [row for row in with_derived_keys(rows) if row.split == split]
        by_digest = [row.key for row in sorted(mine, key=lambda row: row.example)]
        assert by_digest == [stem, f"{stem}-2", f"{stem}-3"]


rows = st.lists(
    st.builds(
        Example,
        split=st.sampled_from(("train", "test")),
        input=st.sampled_from(("a", "b", "c")),
        key=st.sampled_from((None, None, "1", "2")),
        expected=st.sampled_from((None, "x", "y")),
    ),
    max_size=12,
)


@pytest.mark.req("E2")
@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_key_and_no_content(examples: list[Example], random: object) -> None:
    members = [member_of(example) for example in examples]
    shuffled = [*members]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = with_derived_keys(members), with_derived_keys(shuffled)
    assert sorted(map(astuple, one)) == sorted(map(astuple, other))
    assert content_digest(one) == content_digest(other)


def astuple(member: Member) -> tuple[str, ...]:
    return (member.split, member.key, member.input, member.example, member.expected, str(member.derived))


@given(rows)
def test_derived_keys_are_unique_and_given_ones_stay(examples: list[Example]) -> None:
    before = [member_of(example) for example in examples]
    after = with_derived_keys(before)
    assert [row.key for row in after if not row.derived] == [row.key for row in before if not row.derived]
    derived = [(row.split, row.key) for row in after if row.derived]
    assert len(set(derived)) == len(derived)


def test_a_derived_key_passes_over_one_that_a_person_gave() -> None:
    """As when an export with its derived keys is added again beside new rows without any."""
    stem = ABC[7:23]
    exported = Example("test", "abc", key=stem)
    keys = [row.key for row in with_derived_keys([member_of(exported), member_of(Example("test", "abc", expected=1))])]
    assert keys == [stem, f"{stem}-2"]


@pytest.mark.req("E2")
def test_the_content_digest_is_over_the_sorted_triples() -> None:
    members = [
        Member("train", "2", "i2", "sha256:bb"),
        Member("test", "1", "i1", "sha256:aa"),
        Member("train", "10", "i3", "sha256:cc", derived=True),
    ]
    lines = ['["test","1","sha256:aa"]\n', '["train","10","sha256:cc"]\n', '["train","2","sha256:bb"]\n']
    assert content_digest(members) == sha256("".join(lines))
    assert content_digest([]) == sha256("")


@given(rows.filter(bool), st.data())
def test_any_edit_changes_the_content_digest(examples: list[Example], data: st.DataObject) -> None:
    members = with_derived_keys([member_of(example) for example in examples])
    at = data.draw(st.integers(0, len(members) - 1))
    part = data.draw(st.sampled_from(("split", "key", "example")))
    edited = [*members]
    edited[at] = replace(edited[at], **{part: "another"})
    assert content_digest(edited) != content_digest(members)
    assert content_digest(members[1:]) != content_digest(members)


def test_digests_read_json_not_its_spelling() -> None:
    spelled = json.loads('{"b": 1.0, "a": "\\u0061"}')
    assert member_of(Example("s", spelled)).input == sha256('{"a":"a","b":1}')
