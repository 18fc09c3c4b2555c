"""One sentence for each kind of finding, for people who meet it in a pull request and never saw Heldout."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from heldout.domain.finding import Containment, Finding, Side
from heldout.domain.kind import Kind


@dataclass(frozen=True, slots=True)
class Named:
    """An example by the words that people find it by, and whether it is held out."""

    name: str
    held_out: bool = False

    def __str__(self) -> str:
        return f"held-out {self.name}" if self.held_out else self.name


def sentence(finding: Finding, first: Side, a: Named, b: Named) -> str:
    """`a` names the side `first`, `b` the other one."""
    alike = f" ({alike_by(finding.similarity)}{_also(finding)})" if finding.similarity is not None else ""
    if finding.kind.value == "lock_changed":
        return f"{a} was {finding.b.split} since the split was locked"
    match finding.kind:
        case Kind.EXACT:
            return f"{a} has the same input as {b}"
        case Kind.NEAR:
            return f"{a} is nearly the same as {b}{alike}"
        case Kind.MOVED:
            return f"{a} is {b} in another version or file"
        case Kind.CONTAINMENT:
            short, long = (a, b) if _is_short(finding.containment, finding, first) else (b, a)
            return f"{short} stands whole inside {long}"
        case Kind.INTRA_SPLIT:
            same = finding.a.input == finding.b.input
            return f"{a} and {b}, of one split, have the same input" if same else f"{a} repeats {b}{alike} in its split"
        case Kind.SOURCE_CROSSES_SPLIT:
            return f"{a} and {b} are an example and what it was made from, in two splits"
        case Kind.GROUP_CROSSES_SPLIT:
            return f"{a} and {b} are of one {finding.group or 'group'}, in two splits"
        case Kind.EXPOSED:
            return f"{a} was shown to something: {b}"
    return f"{a} and {b}: {finding.kind.value}"


def alike_by(similarity: Fraction) -> str:
    """Two decimals, downwards: only equal sets are 1.00."""
    return f"{similarity.numerator * 100 // similarity.denominator / 100:.2f} alike"


def _also(finding: Finding) -> str:
    if Kind.CONTAINMENT in finding.also:
        return ", and one stands whole inside the other"
    return "".join(f", and {kind.value}" for kind in finding.also)


def _is_short(inside: Containment | None, finding: Finding, first: Side) -> bool:
    short = finding.b if inside is not None and inside.short == "b" else finding.a
    return first.identity() == short.identity()
