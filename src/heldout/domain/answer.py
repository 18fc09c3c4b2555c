"""The answer to an evaluation, as values: a verdict, what is missing for it, and what gives a holdout away (B48)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from heldout.domain.kind import Kind
from heldout.domain.names import VersionName

if TYPE_CHECKING:
    from heldout.domain.deciding.review import Review
    from heldout.domain.finding import Finding, Side


class Verdict(StrEnum):
    CLEAN = "clean"
    CONTAMINATED = "contaminated"
    UNKNOWN = "unknown"


class GapKind(StrEnum):
    """Why a version is not covered."""

    NOT_SCANNED = "not_scanned"
    SCAN_INCOMPLETE = "scan_incomplete"
    NOT_COMPARED = "not_compared"
    PARTLY_COMPARED = "partly_compared"
    NO_HOLDOUT = "no_holdout"
    REDECLARED = "redeclared"
    NOT_FROZEN = "not_frozen"
    RETIRED = "retired"
    MISNAMED = "misnamed"
    SHALLOW = "shallow"
    UNFETCHED = "unfetched"
    CORPUS_NOT_SCANNED = "corpus_not_scanned"
    EXPOSURE_NOT_CHECKED = "exposure_not_checked"
    LOCK_NOT_CHECKED = "lock_not_checked"
    UNREADABLE_RECORD = "unreadable_record"
    UNREADABLE_DATASET = "unreadable_dataset"


@dataclass(frozen=True, slots=True)
class Gap:
    """One missing piece of knowledge; `other` is the version the subject was not compared with."""

    kind: GapKind
    text: str
    other: VersionName | None = None


@dataclass(frozen=True, slots=True)
class Contamination:
    """A held-out example of the subject and an example outside a holdout that gives it away.

    `exposed_by` are the frozen versions that hold the latter; empty where only the subject itself does.
    """

    finding: Finding
    held: Side
    other: Side
    exposed_by: tuple[VersionName, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A contamination that people accepted, and the decision: it does not block, and every answer lists it."""

    contamination: Contamination
    review: Review


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an evaluation: `contaminated`, the findings, `complete` (B48). Unknown is never clean."""

    dataset: str
    source: str
    findings: tuple[Contamination, ...]
    gaps: tuple[Gap, ...]
    accepted: tuple[Accepted, ...] = ()

    @property
    def contaminated(self) -> bool:
        return bool(self.findings)

    @property
    def wrong(self) -> str:
        """How many held-out examples are no measure any more, and why: "2 held-out examples are given away"."""
        return self._wrong(" is", " are")

    @property
    def wrong_briefly(self) -> str:
        """The same for a table: "2 held-out examples given away"."""
        return self._wrong("", "")

    def _wrong(self, one: str, more: str) -> str:
        changed = {hit.held.identity() for hit in self.findings if hit.finding.kind is Kind.LOCK_CHANGED}
        given = {hit.held.identity() for hit in self.findings if hit.finding.kind is not Kind.LOCK_CHANGED}
        said = [f"{_examples(len(given))}{one if len(given) == 1 else more} given away"] if given else []
        said += [f"{_examples(len(changed))} changed since the split was locked"] if changed else []
        return ", ".join(said)

    @property
    def only_exposed(self) -> bool:
        """Whether nothing in the data gives the holdout away, and people logged that they did."""
        return self.contaminated and all(hit.finding.kind is Kind.EXPOSED for hit in self.findings)

    @property
    def complete(self) -> bool:
        return not self.gaps

    @property
    def verdict(self) -> Verdict:
        if self.contaminated:
            return Verdict.CONTAMINATED
        return Verdict.CLEAN if self.complete else Verdict.UNKNOWN


def _examples(count: int) -> str:
    return f"{count:,} held-out {'example' if count == 1 else 'examples'}"
