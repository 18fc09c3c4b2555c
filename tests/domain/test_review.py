"""Decisions by themselves: whose they are, what they cover, and when they count."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from heldout.domain.deciding.review import Decision, Review, Reviews, address
from heldout.domain.finding import Finding, Kind, Severity, Side

DAY = date(2027, 1, 31)
METHOD = "sha256:" + "1" * 64
HELD = Side("support", "test", "a", "sha256:" + "a" * 64, held_out_in=("v1",))
OPEN = Side("support", "train", "b", "sha256:" + "b" * 64, open_in=("v1",))
FAMILY = "c" * 16
IN_FAMILY = Finding(Kind.NEAR, Severity.BLOCK, HELD, OPEN, similarity=Fraction(9, 10), cluster=FAMILY)
WHOLE = Review(FAMILY, Decision.ACCEPTED, "a template", "Ann <ann@x>", METHOD, reviewer="Bob <bob@x>")


def own(decision: Decision, **more: object) -> Review:
    sides = tuple(sorted((HELD.identity(), OPEN.identity())))
    review = Review(IN_FAMILY.id, decision, "r", "Ann <ann@x>", METHOD, "near", sides, "Bob <bob@x>")
    return replace(review, **more)  # type: ignore[arg-type]


def accepted(*reviews: Review, finding: Finding = IN_FAMILY, method: str = METHOD) -> bool:
    return Reviews.of(reviews, DAY).acceptance(finding, method, contaminates=True) is not None


def test_a_family_is_decided_once() -> None:
    assert accepted(WHOLE)
    assert not accepted(WHOLE, finding=replace(IN_FAMILY, cluster="d" * 16))
    assert not accepted(WHOLE, finding=replace(IN_FAMILY, cluster=None))
    assert not accepted(WHOLE, method="sha256:" + "2" * 64)


def test_one_of_a_family_can_be_kept_open() -> None:
    assert not accepted(WHOLE, own(Decision.REOPENED))
    assert accepted(own(Decision.ACCEPTED), replace(WHOLE, decision=Decision.REOPENED))


@pytest.mark.parametrize(
    "reviewer", [None, "Ann <ann@x>", "Somebody Else <ANN@X>", "", "Ann", "Bob", "Bob <>", " <\t> "]
)
def test_nobody_reviews_their_own_decision(reviewer: str | None) -> None:
    alone = own(Decision.ACCEPTED, reviewer=reviewer)
    assert not accepted(alone)
    # where no holdout is given away one person is enough
    assert Reviews.of([alone], DAY).acceptance(IN_FAMILY, METHOD, contaminates=False) is alone


@pytest.mark.parametrize(("expires", "counts"), [(None, True), (DAY, True), (date(2027, 1, 30), False)])
def test_an_acceptance_ends_after_its_last_day(expires: date | None, counts: bool) -> None:
    assert accepted(own(Decision.ACCEPTED, expires=expires)) is counts


@pytest.mark.parametrize(
    ("person", "expected"),
    [("Ann <Ann@X.org>", "ann@x.org"), ("ann@x.org", "ann@x.org"), ("<>", ""), ("A <b> <c>", "c")],
)
def test_addresses(person: str, expected: str) -> None:
    assert address(person) == expected
