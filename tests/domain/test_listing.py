"""Findings of several records become one, whichever way round each record saw them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from heldout.domain.coverage import Knowledge, Retirement, Version
from heldout.domain.finding import Containment, Finding, Kind, Severity, Side, Span
from heldout.domain.listing import Names, contaminated_by, merged, seen_from, swapped
from heldout.domain.names import VersionName, VersionNumber
from heldout.domain.scans import Scans

HELD = Side("support", "test", "1", "sha256:a", held_out_in=("v1",))
OPEN = Side("support", "train", "2", "sha256:b", open_in=("v1",))
FINDING = Finding(
    Kind.NEAR, Severity.BLOCK, HELD, OPEN, (Kind.CONTAINMENT,), Fraction(4, 5),
    Containment("a", "prefix", 0, word_aligned=True), Span(0, 3, 9),
)  # fmt: skip


def test_the_other_side_of_a_finding_is_the_same_finding() -> None:
    other = swapped(FINDING)
    assert other.id == FINDING.id
    assert (other.a, other.b, other.span) == (OPEN, HELD, Span(3, 0, 9))
    assert other.containment == Containment("b", "prefix", 0, word_aligned=True)
    assert swapped(other) == FINDING


@pytest.mark.req("B46")
def test_versions_of_all_records_are_named() -> None:
    later = swapped(Finding(
        Kind.NEAR, Severity.NOTE, Side("support", "test", "1", "sha256:a", held_out_in=("v2",)),
        Side("support", "train", "2", "sha256:b", held_out_in=("v3",), open_in=("v2",)),
    ))  # fmt: skip
    (found,) = merged([FINDING, later])
    assert (found.a.held_out_in, found.b.held_out_in, found.b.open_in) == (("v1", "v2"), ("v3",), ("v1", "v2"))
    assert (found.severity, found.similarity, found.also) == (Severity.BLOCK, Fraction(4, 5), (Kind.CONTAINMENT,))
    assert (found.containment, found.span) == (FINDING.containment, FINDING.span)


def test_a_version_sees_its_own_example_first() -> None:
    assert seen_from(FINDING, "v1").a == HELD
    assert seen_from(swapped(FINDING), "v1").a == HELD
    apart = Finding(Kind.NEAR, Severity.BLOCK, HELD, Side("faq", "train", "2", "sha256:b", open_in=("f1",)))
    assert seen_from(apart, "f1").a.dataset == "faq"


@pytest.mark.req("A29")
def test_who_is_contaminated() -> None:
    assert contaminated_by(FINDING, {"v1"}) == ("v1",)
    assert contaminated_by(FINDING, set()) == ("v1",), "a version that holds both sides needs no other"
    apart = Finding(Kind.NEAR, Severity.BLOCK, HELD, Side("faq", "train", "2", "sha256:b", open_in=("f1",)))
    assert contaminated_by(apart, set()) == ()
    assert contaminated_by(apart, {"f1"}) == ("v1",)


def test_names_of_a_digest() -> None:
    names = [VersionName("support", VersionNumber(1, 0, patch)) for patch in (0, 1)]
    same = [Version(name, "c", "s1") for name in names]
    known = Names.of(Knowledge(same, Scans(), [Retirement(name, "s1", "old", "me") for name in names]))
    assert known.named("s1") == tuple(names)
    assert known.label("s1", "support") == "v1.0.0 = v1.0.1 (retired)"
    assert known.label("s1") == "support@v1.0.0 = support@v1.0.1 (retired)"
    assert known.label("sha256:0123456789abcdef") == "untagged 0123456789ab"
