"""Decisions of people about findings: what was accepted, why, by whom and until when, and whether that counts.

A decision is bound to what was decided on. A finding's id follows from its kind and both inputs, and a cluster's from
all inputs in it, so an edited example has another finding, about which nobody has decided yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heldout.domain.answer import Accepted, Contamination
    from heldout.domain.finding import Finding

SideName = tuple[str, str, str, str]
"""(dataset, split, key, input digest), as `heldout.domain.finding.Side.identity` gives it."""


class Decision(StrEnum):
    ACCEPTED = "accepted"
    REOPENED = "reopened"


class Weight(StrEnum):
    """Whether an acceptance counts, and if not, why."""

    COUNTS = "accepted"
    REOPENED = "reopened"
    EXPIRED = "expired"
    AWAITS_REVIEWER = "awaits_reviewer"
    OTHER_METHOD = "other_method"


@dataclass(frozen=True, slots=True)
class Review:
    """One decision about a finding or, where `kind` is None, about a whole cluster.

    `id` is the finding's or cluster's. `by` decided and `reviewer` agreed, each as `Name <address>`. `method` is the
    digest of the method that found it, and `expires` the last day (UTC) on which the decision counts. `sides` are a
    finding's two examples, sorted.
    """

    id: str
    decision: Decision
    reason: str
    by: str
    method: str
    kind: str | None = None
    sides: tuple[SideName, ...] = ()
    reviewer: str | None = None
    expires: date | None = None

    @property
    def is_cluster(self) -> bool:
        return self.kind is None

    @property
    def reviewed_by_another(self) -> bool:
        """Whether somebody other than the author agreed: two names with one address are one person, and a name without
        one could be anybody's."""
        person = self.reviewer
        return person is not None and has_address(person) and address(person) != address(self.by)

    def weight(self, method: str, *, contaminates: bool, today: date) -> Weight:
        """What it is worth for a finding of a record made by `method`; a holdout contamination needs a reviewer."""
        if self.decision is Decision.REOPENED:
            return Weight.REOPENED
        if self.method != method:
            return Weight.OTHER_METHOD
        if self.expires is not None and today > self.expires:
            return Weight.EXPIRED
        if contaminates and not self.reviewed_by_another:
            return Weight.AWAITS_REVIEWER
        return Weight.COUNTS


@dataclass(frozen=True, slots=True)
class Reviews:
    """All decisions that count somewhere, by the id of their finding or cluster, and the day they are read on."""

    today: date = date.min
    findings: Mapping[str, Review] = field(default_factory=dict)
    clusters: Mapping[str, Review] = field(default_factory=dict)

    @classmethod
    def of(cls, reviews: Iterable[Review], today: date) -> Reviews:
        every = tuple(reviews)
        return cls(
            today,
            {review.id: review for review in every if not review.is_cluster},
            {review.id: review for review in every if review.is_cluster},
        )

    def __bool__(self) -> bool:
        return bool(self.findings or self.clusters)

    def about(self, finding: Finding) -> Review | None:
        """The decision about a finding: its own before that of its cluster, so that one of a family can be reopened."""
        own = self.findings.get(finding.id)
        if own is not None or finding.cluster is None:
            return own
        return self.clusters.get(finding.cluster)

    def acceptance(self, finding: Finding, method: str, *, contaminates: bool) -> Review | None:
        """The decision by which a finding of a record made by `method` is accepted today, if it is."""
        review = self.about(finding)
        if review is None or review.weight(method, contaminates=contaminates, today=self.today) is not Weight.COUNTS:
            return None
        return review


NO_REVIEWS = Reviews()


def contradictions(decisions: Mapping[str, Review]) -> dict[str, str]:
    """Of decisions by the path of their file: each that another one contradicts, and the path of that one.

    A finding between two datasets can have a file beside either. What both say, once, is decided.
    """
    about: defaultdict[tuple[bool, str], list[str]] = defaultdict(list)
    for path, review in decisions.items():
        about[review.is_cluster, review.id].append(path)
    return {
        path: other
        for paths in about.values()
        for path in paths
        for other in paths
        if decisions[other] != decisions[path]
    }


def parted(
    hits: Iterable[tuple[Contamination, str]], reviews: Reviews
) -> tuple[tuple[Contamination, ...], tuple[Accepted, ...]]:
    """Contaminations, each with the method that found it, in their order: those still open, and those accepted.

    One that several methods found is accepted only under each.
    """
    if not reviews:
        return tuple(dict.fromkeys(hit for hit, _ in hits)), ()
    from heldout.domain.answer import Accepted

    found = list(hits)
    said = [(hit, reviews.acceptance(hit.finding, method, contaminates=True)) for hit, method in found]
    still_open = {hit.finding.id for hit, review in said if review is None}
    accepted = {hit.finding.id: Accepted(hit, review) for hit, review in said if review is not None}
    left = dict.fromkeys(hit for hit, _ in found if hit.finding.id in still_open)
    return tuple(left), tuple(item for name, item in accepted.items() if name not in still_open)


def address(person: str) -> str:
    """The address in `Name <address>`, in lower case; a text without one stands for itself."""
    _, found, rest = person.rpartition("<")
    return (rest.partition(">")[0] if found else person).strip().lower()


def has_address(person: str) -> bool:
    return ("<" in person or "@" in person) and bool(address(person))
