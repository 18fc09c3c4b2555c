"""Members in columns against the domain's definition, one object a row."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.canonical import digest
from heldout.domain.example import Example
from heldout.domain.members import Member, content_digest, member_of, with_derived_keys
from heldout.storage.caches.digest_index import DigestIndex, in_order
from heldout.storage.columns import Column
from heldout.storage.member_builder import MemberBuilder, RepeatedKeyError
from heldout.storage.member_table import MemberTable, packed

STEMS = [digest(text)[7:23] for text in "ab"]
keys = st.one_of(
    st.none(),
    st.sampled_from([*STEMS, *(f"{stem}-{number}" for stem in STEMS for number in (1, 2, 3, 10))]),
    st.text(min_size=1, max_size=70),
    st.sampled_from(["k\0", "k", "é" * 40, "-", "0" * 16, "0" * 16 + "-2"]),
)
examples = st.lists(
    st.builds(
        Example,
        split=st.sampled_from(("train", "test", "ü", "\U00010000")),
        input=st.sampled_from(("a", "b", "c", 1)),
        key=keys,
        expected=st.sampled_from((None, "x", "y", 2)),
    ),
    max_size=20,
    unique_by=lambda example: (example.split, example.key or object()),
)


def raw(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("sha256:"))


def built(rows: list[Example], flush: list[bool]) -> MemberTable:
    builder = MemberBuilder(DigestIndex())
    for example, now in zip(rows, flush, strict=True):
        member = member_of(example)
        digests = (raw(member.input), raw(member.example), raw(member.expected))
        builder.add(example.split, example.key, digests, None, (builder.file("f"), 1))
        if now:
            builder.flush()
    return builder.table()


@pytest.mark.req("B29", "E2")
@given(examples, st.data())
def test_a_table_holds_what_the_domain_says(rows: list[Example], data: st.DataObject) -> None:
    flush = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    wanted = with_derived_keys([member_of(example) for example in rows])
    for table in (built(rows, flush), MemberTable.of(wanted, DigestIndex(), [True] * len(wanted))):
        assert tuple(table) == wanted
        assert [table[at] for at in range(len(wanted))] == list(wanted)
        assert table[1:] == wanted[1:]
        assert table.content_digest() == content_digest(wanted)
        assert table.by_split() == {
            split: sum(member.split == split for member in wanted) for split in dict.fromkeys(m.split for m in wanted)
        }


def test_members_with_odd_keys_that_nobody_gave_stay_as_they_are() -> None:
    members = [Member("a", key, digest(1), digest(key), derived=True) for key in ("x", "0" * 16, "0" * 16 + "-1", "-2")]
    assert list(MemberTable.of(members, DigestIndex(), [True] * 4)) == members


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=9))
def test_the_first_repeated_key_is_told_with_both_places(rows: list[tuple[str, str]]) -> None:
    builder = MemberBuilder(DigestIndex())
    for line, (split, key) in enumerate(rows):
        builder.add(split, key, (raw(digest(line)), raw(digest(line)), b""), None, (builder.file("f"), line))
    repeats = [line for line, row in enumerate(rows) if row in rows[:line]]
    if not repeats:
        builder.check_keys()
        return
    with pytest.raises(RepeatedKeyError) as caught:
        builder.table()
    line = repeats[0]
    assert (caught.value.split, caught.value.key) == rows[line]
    assert (caught.value.row, caught.value.first) == ((0, line), (0, rows.index(rows[line])))


# --- digests --------------------------------------------------------------------------------------------------------

alike = st.builds(lambda a, b: bytes([a]) * 8 + bytes([b]) * 24, st.integers(0, 3), st.integers(0, 3))
"""Digests that often agree in their first eight bytes, as no two real ones do."""


@settings(max_examples=200)
@given(st.lists(st.lists(alike, max_size=12), max_size=8))
def test_ordinals_are_in_the_order_of_the_first_meeting(blocks: list[list[bytes]]) -> None:
    index, known = DigestIndex(), dict[bytes, int]()
    for block in blocks:
        found = index.add(np.frombuffer(b"".join(block), np.uint8).reshape(-1, 32))
        assert found.tolist() == [known.setdefault(item, len(known)) for item in block]
    assert index.digests().tobytes() == b"".join(known)
    every = [bytes([a]) * 8 + bytes([b]) * 24 for a in range(4) for b in range(4)]
    assert index.find(np.frombuffer(b"".join(every), np.uint8).reshape(-1, 32)).tolist() == [
        known.get(item, -1) for item in every
    ]


@given(st.lists(alike, max_size=12))
def test_digests_are_sorted_in_full(items: list[bytes]) -> None:
    order = in_order(np.frombuffer(b"".join(items), np.uint8).reshape(-1, 32))
    assert order.tolist() == sorted(range(len(items)), key=items.__getitem__)


def test_many_digests() -> None:
    names = [hashlib.sha256(str(number % 30_000).encode()).digest() for number in range(60_000)]
    index = DigestIndex()
    found = [
        index.add(np.frombuffer(b"".join(names[low : low + 777]), np.uint8).reshape(-1, 32))
        for low in range(0, 60_000, 777)
    ]
    assert np.concatenate(found).tolist() == [number % 30_000 for number in range(60_000)]


def test_a_digest_is_sixty_four_hex_digits() -> None:
    with pytest.raises(ValueError, match="64"):
        packed(["sha256:00"])


# --- columns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_a_column_gives_back_its_rows_from_memory_and_from_a_file(tmp_path, width: int, moved: int) -> None:  # type: ignore[no-untyped-def]
    column, rows = Column(np.int64, width), np.arange(50 * width).reshape(50, width)
    for number, part in enumerate((rows[:20], rows[20:20], rows[20:])):
        if number == moved:
            column.move_to(tmp_path / "column")
        column.append(part)
    wanted = rows.reshape(-1) if width == 1 else rows
    assert column.all().tolist() == wanted.tolist()
    some = np.array([0, 1, 19, 20, 49])
    assert column.take(some).tolist() == wanted[some].tolist()
    assert (len(column), column.nbytes) == (50, 0)
