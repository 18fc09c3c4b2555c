"""What `heldout check` found in files of any origin: values that its report draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.record import Capped
from heldout.domain.splitting.conflicts import Conflicts
from heldout.domain.tally import Contamination, PairCounts, Rate


@dataclass(frozen=True, slots=True)
class Place:
    """Where an example stands. `number` is its first line, or its row where the file has no lines; both from 1."""

    file: str
    number: int
    in_rows: bool = False

    def __str__(self) -> str:
        return f"{self.file} row {self.number}" if self.in_rows else f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """How one file was read. `text_field` is None where a row is a text, not an object; `reasons` say why so."""

    path: str
    format: str
    text_field: str | None
    split: str
    examples: Mapping[str, int]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ManyMarks:
    """Examples of texts that the method's normaliser takes apart, of all examples (decision A18)."""

    examples: int
    of: int


@dataclass(frozen=True, slots=True)
class Checked:
    """One run of `check`. `places` finds an example of a finding by (split, key); `texts` its input's text by digest.

    `conflicts` are the label conflicts; None where no field of labels was named, or Spark did the work. `no_text` are
    places of examples without a letter or digit: only the exact rule applies to them.
    """

    files: tuple[CheckedFile, ...]
    splits: Mapping[str, int]
    holdout: tuple[str, ...]
    method_id: str
    method_digest: str
    pairs: PairCounts
    rates: tuple[Rate, ...]
    contaminated: tuple[Contamination, ...]
    capped: Capped
    skipped: tuple[str, ...]
    no_text: tuple[Place, ...]
    many_marks: ManyMarks | None
    findings: tuple[Finding, ...]
    places: Mapping[tuple[str, str], Place] = field(repr=False)
    texts: Mapping[str, str] = field(repr=False)
    conflicts: Conflicts | None = None

    @property
    def blocking(self) -> int:
        return sum(finding.severity is Severity.BLOCK for finding in self.findings)

    def place(self, side: Side) -> Place:
        return self.places[side.split, side.key]


def worst_first(finding: Finding, places: Mapping[tuple[str, str], Place]) -> tuple[object, ...]:
    """Sort key: severity, kind, falling similarity, then where it stands."""
    similarity = -finding.similarity if finding.similarity is not None else 0
    sides = [places[side.split, side.key] for side in (finding.a, finding.b)]
    where = [(place.file, place.number) for place in sides]
    return (_SEVERITIES[finding.severity], _KINDS[finding.kind], similarity, *where, finding.a.key, finding.b.key)


_SEVERITIES = {severity: rank for rank, severity in enumerate(Severity)}
_KINDS = {kind: rank for rank, kind in enumerate(Kind)}
