"""A finding's identity and what it says about versions, against the design's words."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.finding import (
    Cluster,
    ClusterShare,
    Containment,
    Finding,
    Kind,
    Severity,
    Side,
    Span,
    cluster_id,
    finding_id,
)

A = Side("support", "test", "17", "sha256:aa", held_out_in=("v1",))
B = Side("support", "train", "4", "sha256:bb", open_in=("v1", "v2"))
NEAR = Finding(Kind.NEAR, Severity.BLOCK, A, B, similarity=Fraction(9, 10))


def test_the_id_by_hand() -> None:
    """First 16 hex of sha256 over kind and both sides' dataset, split, key and input digest, the sides sorted."""
    text = '["near",["support","test","17","sha256:aa"],["support","train","4","sha256:bb"]]'
    by_hand = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert by_hand == "dd897001c8ec91d8"  # sha256sum of that line
    assert NEAR.id == by_hand


names = st.text(st.sampled_from('ab"\\/{}%\x00\x1f\x7f\u00e9\u2028\U0001f600'), max_size=4)


@given(st.lists(names, min_size=8, max_size=8))
def test_the_id_is_of_the_canonical_form_whatever_the_names(texts: list[str]) -> None:
    """Names that need no escape take a shorter way to the same bytes."""
    one, two = texts[:4], texts[4:]
    expected = hashlib.sha256(rfc8785.dumps(["near", *sorted([one, two])])).hexdigest()[:16]
    assert finding_id("near", Side(*one), Side(*two)) == expected


def test_nothing_but_kind_and_sides_is_in_the_id() -> None:
    other = Finding(
        Kind.NEAR,
        Severity.NOTE,
        replace(B, open_in=(), held_out_in=("v9",)),
        replace(A, held_out_in=()),
        also=(Kind.CONTAINMENT,),
        similarity=Fraction(4, 5),
        containment=Containment("a", "prefix", 0, True),
        span=Span(1, 2, 3),
        cluster="f",
    )
    assert other.id == NEAR.id


sides = st.builds(
    Side, st.sampled_from("ab"), st.sampled_from(("test", "train")), st.text(max_size=2), st.sampled_from("xy")
)


@given(sides, sides, sides, sides)
def test_ids_are_equal_for_equal_pairs_only(one: Side, two: Side, three: Side, four: Side) -> None:
    first, second = finding_id("exact", one, two), finding_id("exact", three, four)
    same = {one.identity(), two.identity()} == {three.identity(), four.identity()}
    # {x, x} and {x} are one set; a pair of one example with itself never is a finding.
    if one != two and three != four:
        assert (first == second) == same
    assert finding_id("near", one, two) != first


@pytest.mark.req("A51", "B41")
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(
    ("held_a", "open_a", "held_b", "open_b", "one_sided"),
    [
        ("v", "", "", "v", True),
        ("", "v", "v", "", True),
        ("v", "", "v", "", False),
        ("", "v", "", "v", False),
        ("v", "w", "v", "", True),  # a's split was open in w
        ("v", "w", "", "", False),
    ],
)
def test_what_contaminates(kind: Kind, held_a: str, open_a: str, held_b: str, open_b: str, one_sided: bool) -> None:
    finding = Finding(
        kind,
        Severity.NOTE,
        replace(A, held_out_in=tuple(held_a), open_in=tuple(open_a)),
        replace(B, held_out_in=tuple(held_b), open_in=tuple(open_b)),
    )
    for_review = (Kind.CONTAINMENT, Kind.LABEL_CONFLICT, Kind.PROMPT_EXCERPT, Kind.SEMANTIC)
    may = kind not in (*for_review, Kind.INTRA_SPLIT)
    assert finding.holdout_contamination == (one_sided and may)


@pytest.mark.req("A51")
def test_a_containment_that_is_near_too_contaminates() -> None:
    assert replace(NEAR, kind=Kind.NEAR, also=(Kind.CONTAINMENT,)).holdout_contamination
    assert not replace(NEAR, kind=Kind.CONTAINMENT).holdout_contamination


@pytest.mark.req("A29")
@pytest.mark.parametrize(
    ("version", "live", "exposed"),
    [
        ("v1", {"v1", "v2"}, True),
        ("v1", {"v2"}, True),
        ("v1", set(), True),  # v1 itself holds the open side
        ("v2", {"v1", "v2"}, False),  # v2 does not hold the held-out side
        ("v3", {"v1", "v2", "v3"}, False),
    ],
)
def test_only_the_version_that_holds_the_held_out_side_is_exposed(version: str, live: set[str], exposed: bool) -> None:
    assert list(NEAR.sides_exposed(version, live)) == ([(A, B)] if exposed else [])


def test_a_side_open_only_in_a_retired_version_exposes_nothing() -> None:
    finding = replace(NEAR, b=replace(B, open_in=("v0",)))
    assert list(finding.sides_exposed("v1", {"v1"})) == []
    assert list(finding.sides_exposed("v1", {"v1", "v0"})) != []


def test_blocks_sort_first_and_equal_ones_by_kind_and_sides() -> None:
    note = replace(NEAR, severity=Severity.NOTE, kind=Kind.INTRA_SPLIT)
    review = replace(NEAR, severity=Severity.REVIEW, kind=Kind.CONTAINMENT)
    exact = replace(NEAR, kind=Kind.EXACT)
    later = replace(NEAR, a=replace(A, key="2"))
    assert sorted([note, review, later, NEAR, exact], key=Finding.sort_key) == [exact, NEAR, later, review, note]


def test_a_cluster_is_named_by_its_inputs() -> None:
    text = '["cluster","sha256:a","sha256:b"]'
    assert cluster_id(["sha256:b", "sha256:a"]) == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert Cluster("c", 2, (ClusterShare("a", "test", 3), ClusterShare("a", "train", 4))).size == 7
