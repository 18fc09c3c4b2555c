"""One line a finding, read in the direction in which it is written."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from heldout.domain.answer import Gap, GapKind
from heldout.domain.finding import Containment, Finding, Kind, Severity, Side
from heldout.reports.findings import overlap_line
from heldout.reports.gate import gap_texts

A = Side("s", "test", "17", "sha256:aa", held_out_in=("v1",))
B = Side("s", "train", "4", "sha256:bb", open_in=("v1",))
NEAR = Finding(Kind.NEAR, Severity.BLOCK, A, B, similarity=Fraction(67, 76))


@pytest.mark.req("E3")
def test_a_line_names_both_sides_kind_and_similarity() -> None:
    assert overlap_line(NEAR) == f"test/17 ~ train/4  near 0.88  [{NEAR.id}]"
    moved = replace(NEAR, kind=Kind.MOVED, similarity=None)
    assert overlap_line(moved) == f"test/17 -> train/4  moved  [{moved.id}]"
    twice = replace(NEAR, also=(Kind.CONTAINMENT,))
    assert overlap_line(twice) == f"test/17 ~ train/4  near + containment 0.88  [{NEAR.id}]"


def test_equal_inputs_are_equal_whatever_the_kind() -> None:
    twin = replace(B, input=A.input)
    for kind in (Kind.EXACT, Kind.INTRA_SPLIT):
        assert "test/17 == train/4" in overlap_line(replace(NEAR, kind=kind, b=twin, similarity=Fraction(1)))
    # Two inputs of one normalised text: as near as can be, and not equal.
    assert "test/17 ~ train/4" in overlap_line(replace(NEAR, similarity=Fraction(1)))


def test_datasets_are_named_where_they_differ() -> None:
    assert overlap_line(replace(NEAR, b=replace(B, dataset="t"))).startswith("s:test/17 ~ t:train/4  near")


@pytest.mark.parametrize(("short", "forward", "backward"), [("a", "in", "holds"), ("b", "holds", "in")])
def test_a_containment_says_which_of_the_two_is_inside(short: str, forward: str, backward: str) -> None:
    inside = replace(NEAR, kind=Kind.CONTAINMENT, similarity=None, containment=Containment(short, "prefix", 0, True))
    assert overlap_line(inside).startswith(f"test/17 {forward} train/4  containment")
    assert overlap_line(inside, B, A).startswith(f"train/4 {backward} test/17  containment")


def test_a_long_list_of_gaps_is_cut_and_counted() -> None:
    gaps = [Gap(GapKind.NOT_COMPARED, f"not compared with v{number}") for number in range(200)]
    shown = gap_texts(gaps)
    assert shown == [*(f"not compared with v{number}" for number in range(5)), "and 195 more (--json lists them)"]
    assert gap_texts(gaps[:5]) == shown[:5]
    assert gap_texts([]) == []
