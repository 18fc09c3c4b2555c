"""How decisions stand: which count, which do not any more, and which never did."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.deciding.review import Review
from heldout.domain.finding import Finding


class Standing(StrEnum):
    """The first is the only one that takes a finding out of an answer."""

    ACCEPTED = "accepted"
    AWAITS_REVIEWER = "awaits_reviewer"
    NOT_AGREED = "not_agreed"
    EXPIRED = "expired"
    OTHER_METHOD = "other_method"
    REOPENED = "reopened"
    STALE = "stale"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A decision's file, from the repository's top. `finding` is one that it is about, None for a stale decision.

    `not_agreed` is a decision that is neither in HEAD nor on a protected branch of a remote. `problem` says what is
    wrong with a malformed file.
    """

    path: str
    standing: Standing
    review: Review | None = None
    finding: Finding | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewListing:
    """`undecided` counts findings that give a holdout away and that nobody has decided on."""

    rows: tuple[ReviewRow, ...]
    undecided: int
