"""The rules of leakage by brute force: every version's every row against every other, one requirement a line.

Written from the requirements alone (B38-B41, A28, A29, A32, A51) and slow on purpose: it shares nothing with
`heldout.domain.overlap` but the plain values that go in.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Identity = tuple[str, str, str, str]
"""(dataset, split, key, input digest)."""

ORDER = ("exact", "near", "moved", "containment")
CONTAMINATING = {"exact", "near", "moved"}


@dataclass(frozen=True)
class Row:
    """One example of one version."""

    version: str
    dataset: str
    split: str
    key: str
    input: str
    derived: bool
    held: bool

    @property
    def identity(self) -> Identity:
        return (self.dataset, self.split, self.key, self.input)


@dataclass(frozen=True)
class Links:
    """Facts about inputs: `near` by unordered pair, `contained` by (short, long)."""

    near: Mapping[frozenset[str], Fraction] = field(default_factory=dict)
    contained: frozenset[tuple[str, str]] = frozenset()

    def kinds(self, e: Row, f: Row) -> set[str]:
        kinds = set()
        if e.input == f.input:
            kinds.add("exact")
        if frozenset((e.input, f.input)) in self.near:
            kinds.add("near")
        if {(e.input, f.input), (f.input, e.input)} & self.contained:
            kinds.add("containment")
        if e.dataset == f.dataset and e.key == f.key and e.split != f.split and not e.derived and not f.derived:
            kinds.add("moved")
        return kinds


@dataclass
class Expected:
    """What a finding about one pair of examples has to say."""

    sides: frozenset[Identity]
    kinds: set[str] = field(default_factory=set)
    across: bool = False
    held: dict[Identity, set[str]] = field(default_factory=dict)
    open: dict[Identity, set[str]] = field(default_factory=dict)
    similarity: Fraction | None = None
    pairs: list[tuple[Row, Row]] = field(default_factory=list)

    @property
    def named(self) -> tuple[str, ...]:
        return tuple(kind for kind in ORDER if kind in self.kinds) if self.across else ("intra_split",)

    @property
    def one_sided(self) -> bool:
        x, y = self.sides
        return bool((self.held[x] and self.open[y]) or (self.held[y] and self.open[x]))

    @property
    def contaminates(self) -> bool:
        return self.one_sided and bool(CONTAMINATING & set(self.named))

    @property
    def severity(self) -> str:
        x, y = self.sides
        if not self.across or (x[0] != y[0] and not self.one_sided):
            return "note"
        return "block" if CONTAMINATING & self.kinds else "review"

    @property
    def id(self) -> str:
        text = json.dumps([self.named[0], *sorted(map(list, self.sides))], ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def summary(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kinds": self.named,
            "severity": self.severity,
            "contaminates": self.contaminates,
            "similarity": self.similarity,
            "held": {side: frozenset(self.held[side]) for side in self.sides},
            "open": {side: frozenset(self.open[side]) for side in self.sides},
        }


def overlap(e: Row, f: Row, subject: str, links: Links) -> str | None:
    """Whether two rows are `across` (a leak), `intra` (a repeat inside a split of the subject), or nothing."""
    kinds = links.kinds(e, f)
    if not kinds:
        return None
    if (e.dataset, e.split) != (f.dataset, f.split):
        return "across"  # B38, B40
    if e.key == f.key:
        return None  # B39, A28: a revision
    if e.held != f.held:
        return "across"  # B41: one split, held out in one version only
    if e.version == f.version == subject and kinds & {"exact", "near"}:
        return "intra"
    return None


def expected(rows: Sequence[Row], subject: str, links: Links) -> dict[frozenset[Identity], Expected]:
    """Every finding of a scan of `subject`, by its two sides."""
    scanned = {row.identity for row in rows if row.version == subject}
    found: dict[frozenset[Identity], Expected] = {}
    for e, f in itertools.combinations(rows, 2):
        if e.identity == f.identity or not scanned & {e.identity, f.identity}:
            continue
        how = overlap(e, f, subject, links)
        if how is None:
            continue
        sides = frozenset((e.identity, f.identity))
        finding = found.setdefault(sides, Expected(sides))
        finding.across = finding.across or how == "across"
        finding.kinds |= links.kinds(e, f)
        finding.pairs.append((e, f))
    for finding in found.values():
        for side in finding.sides:
            finding.held[side] = {row.version for row in rows if row.identity == side and row.held}
            finding.open[side] = {row.version for row in rows if row.identity == side and not row.held}
        x, y = finding.sides
        finding.similarity = Fraction(1) if x[3] == y[3] else links.near.get(frozenset((x[3], y[3])))
    return found


def exposures(rows: Sequence[Row], compared: Sequence[tuple[str, str]], links: Links) -> Iterator[tuple[Row, Row]]:
    """(held-out row, row that gives it away) of the pairs of versions that were compared (A29)."""
    pairs = {*compared, *((w, v) for v, w in compared)}
    for e, f in itertools.permutations(rows, 2):
        if (e.version, f.version) not in pairs or e.identity == f.identity:
            continue
        if e.held and not f.held and overlap(e, f, "", links) == "across" and links.kinds(e, f) & CONTAMINATING:
            yield e, f
