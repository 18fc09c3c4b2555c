"""Ids of scans and sources, by hand from the design's words."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import World, record, worlds

from heldout.domain.dataset import DataFile, DatasetSpec, Fields, SplitRule
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.record import scan_id, source_digest


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_scan_id_by_hand() -> None:
    text = '["sha256:s","sha256:m",["sha256:a","sha256:b"]]'
    assert sha256(text)[:16] == "58526b2157c6b1c4"  # sha256sum of that line
    assert scan_id("sha256:s", "sha256:m", ["sha256:b", "sha256:a"]) == sha256(text)[:16]
    assert scan_id("s", "m", []) == sha256('["s","m",[]]')[:16]


@given(worlds())
def test_a_record_is_named_by_what_was_compared_and_lives_there(world: World) -> None:
    subject, *others = world.holdings
    made = record(subject, others, world.found())
    again = record(subject, others[::-1], world.found())
    assert made.id == again.id == scan_id(subject.source, "", [item.source for item in others])
    assert made.folder() == f"datasets/a/scans/{made.id}"


def test_the_source_digest_by_hand() -> None:
    outputs = [("b.csv", "22", 2), ("a.csv", "11", 1)]
    text = '{"meaning":{"name":"x"},"outputs":[["a.csv","11",1],["b.csv","22",2]]}'
    assert source_digest({"name": "x"}, outputs) == "sha256:" + sha256(text)


SPEC = DatasetSpec("x", (DataFile("a.csv", split="train"),), Fields(input="text"), holdout=("test",))


@pytest.mark.parametrize(
    "edited",
    [
        DatasetSpec("x", SPEC.data, SPEC.fields, ("test",), description="other words"),
        DatasetSpec("x", SPEC.data, SPEC.fields, ("test",), role="evaluation"),
        DatasetSpec("x", SPEC.data, SPEC.fields, ("test", "test")),
    ],
)
def test_words_for_people_make_no_new_version(edited: DatasetSpec) -> None:
    assert source_digest(edited.meaning(), []) == source_digest(SPEC.meaning(), [])


@pytest.mark.parametrize(
    "edited",
    [
        DatasetSpec("y", SPEC.data, SPEC.fields, ("test",)),
        DatasetSpec("x", (DataFile("a.csv", split="test"),), SPEC.fields, ("test",)),
        DatasetSpec("x", (DataFile("a.csv", split=SplitRule("s")),), SPEC.fields, ("test",)),
        DatasetSpec("x", (DataFile("a.csv", split="train", encoding="latin-1"),), SPEC.fields, ("test",)),
        DatasetSpec("x", SPEC.data, Fields(input="other"), ("test",)),
        DatasetSpec("x", SPEC.data, SPEC.fields, ("train",)),
        DatasetSpec("x", SPEC.data, SPEC.fields, None),
        DatasetSpec("x", SPEC.data, SPEC.fields, ()),
        DatasetSpec("x", SPEC.data, SPEC.fields, ("test",), on_bad_row="skip"),
    ],
)
def test_whatever_changes_an_example_or_its_split_makes_a_new_version(edited: DatasetSpec) -> None:
    assert source_digest(edited.meaning(), []) != source_digest(SPEC.meaning(), [])


@pytest.mark.req("B28", "A31")
def test_the_method_is_known_by_all_its_parameters() -> None:
    """B30-B35's numbers, each in the digest."""
    parameters = DEFAULT_METHOD.parameters()
    stated = {"shingle": 5, "permutations": 64, "bands": 16, "rows": 4, "threshold": "4/5", "unicode": "14.0.0"}
    assert stated.items() <= parameters.items()
    assert DEFAULT_METHOD.id == "minhash_lsh_v1"
    others = [Method("minhash_lsh_v2"), Method(bucket_cap=9), Method(pair_cap=9), Method(containment_cap=9)]
    assert len({DEFAULT_METHOD.digest, *(method.digest for method in others)}) == 5


@given(st.lists(st.text(max_size=3), max_size=4))
def test_every_compared_version_is_in_the_id_once(sources: list[str]) -> None:
    assert scan_id("s", "m", sources) == scan_id("s", "m", sorted(set(sources)))
    assert scan_id("s", "m", [*sources, "another"]) != scan_id("s", "m", sources)
