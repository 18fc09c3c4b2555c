"""The words of EvalLeak's job: what decides what is found, a record, a finding, a rate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from heldout.domain.leaks.text import ALL_STEPS, Steps

_DIGITS = re.compile(r"(\d+)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

RECALL = 0.9999
"""Bands are chosen so that a pair at the threshold is a candidate at least this likely; farther up it is likelier."""


class LeakKind(StrEnum):
    """The four detectors, in the order of the report."""

    EXACT = "exact"
    NEAR = "near"
    CONTAINMENT = "containment"
    INTRA_SPLIT = "intra_split"


ACROSS = (LeakKind.EXACT, LeakKind.NEAR, LeakKind.CONTAINMENT)
"""The kinds that contaminate: they join two splits."""


class Shingles(StrEnum):
    """What a shingle is made of: characters, or words (runs between whitespace)."""

    CHARS = "chars"
    WORDS = "words"

    @property
    def usual_length(self) -> int:
        """The length of a shingle where none is asked for: EvalLeak's 5 characters, or 3 words."""
        return 5 if self is Shingles.CHARS else 3


@dataclass(frozen=True, slots=True)
class LeakSettings:
    """All that decides what is found. `threshold` is inclusive, `k` counts characters or words.

    `estimate` decides near pairs by the share of `num_perm` minima that two records have in common, as EvalLeak did;
    otherwise the exact similarity decides, over candidates from bands or, with `exact_join`, over all pairs.
    """

    steps: Steps = ALL_STEPS
    shingles: Shingles = Shingles.CHARS
    k: int = 5
    num_perm: int = 128
    threshold: Fraction = Fraction(3, 5)
    min_length: int = 16
    estimate: bool = False
    exact_join: bool = False

    @property
    def bands(self) -> Bands | None:
        """None where the exact join serves: it was asked for, estimates decide, or no bands keep the recall."""
        return None if self.estimate or self.exact_join else bands_for(self.num_perm, self.threshold)

    @property
    def near_rule(self) -> str:
        """`jaccard >= 0.60, k=5, num_perm=128`; num_perm only where minima have a part in what is found."""
        words = ", words" if self.shingles is Shingles.WORDS else ""
        minima = self.estimate or self.bands is not None
        way = f"num_perm={self.num_perm}" if minima else "exact join"
        return f"jaccard >= {plain(self.threshold)}, k={self.k}{words}, {way}"


@dataclass(frozen=True, slots=True)
class Bands:
    """`bands` groups of `rows` minima; two records that agree in a whole group are compared."""

    bands: int
    rows: int

    def probability(self, similarity: float) -> float:
        """That a pair of this similarity is compared: 1 - (1 - s^r)^b."""
        return float(1 - (1 - similarity**self.rows) ** self.bands)


def bands_for(num_perm: int, threshold: Fraction) -> Bands | None:
    """The longest rows, so the fewest vain comparisons, that keep `RECALL` at the threshold (A22)."""
    for rows in range(num_perm, 0, -1):
        bands = Bands(num_perm // rows, rows)
        if bands.probability(float(threshold)) >= RECALL:
            return bands
    return None


@dataclass(frozen=True, slots=True)
class LeakRecord:
    """One record: its split and id name it; `source` is the value of the source field, None where it has none."""

    split: str
    id: str
    file: str
    line: int
    source: str | None = None

    @property
    def name(self) -> str:
        """`split/id` on one line, whatever characters an id holds."""
        return side_name(self.split, self.id)

    @property
    def order(self) -> tuple[str, list[tuple[int, str]], str]:
        """Split by name, then id with its numbers as numbers: 9 before 10."""
        parts = _DIGITS.split(self.id)
        parts[1::2] = [part.lstrip("0") for part in parts[1::2]]
        return self.split, [(len(part) if n % 2 else 0, part) for n, part in enumerate(parts)], self.id


def side_name(split: str, record: str) -> str:
    name = f"{split}/{record}"
    return name if name.isprintable() else _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", name)


@dataclass(frozen=True, slots=True)
class NearTexts:
    """Two distinct texts, by number. `shared` and `union` count shingles; `equal` minima of the estimate, if made."""

    a: int
    b: int
    shared: int
    union: int
    equal: int | None = None


@dataclass(frozen=True, slots=True)
class TextInside:
    short: int
    long: int
    position: str


@dataclass(frozen=True, slots=True)
class LeakFinding:
    """Two records. For containment `a` is the contained one, else the one whose name comes first.

    `similarity` is what the rule was decided on: exact, or the estimate. `shared` counts shingles in common.
    """

    kind: LeakKind
    a: LeakRecord
    b: LeakRecord
    digest: str | None = None
    similarity: Fraction | None = None
    shared: int | None = None
    position: str | None = None

    @property
    def identity(self) -> str:
        """What a finding is, whatever its score: the same in every form of a report."""
        return f"{self.a.name} {SIGNS[self.kind]} {self.b.name}"


SIGNS: Mapping[LeakKind, str] = {
    LeakKind.EXACT: "==",
    LeakKind.NEAR: "~",
    LeakKind.CONTAINMENT: "inside",
    LeakKind.INTRA_SPLIT: "==",
}


@dataclass(frozen=True, slots=True)
class LeakRate:
    """Distinct records of `target` that a finding joins with `source`, of all of `target`."""

    source: str
    target: str
    records: int
    of: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.records, self.of)

    def exceeds(self, limit: Decimal) -> bool:
        """Whether more than `limit` per cent are touched; exactly the limit does not exceed it."""
        return self.share * 100 > Fraction(limit)


def plain(threshold: Fraction) -> str:
    """A decimal as it was given, with two decimals at least: 0.60, 0.875, 1.00."""
    digits, value = 2, threshold * 100
    while value.denominator != 1 and digits < 30:
        digits, value = digits + 1, value * 10
    whole = round(value)
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
