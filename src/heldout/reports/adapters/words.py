"""One sentence for each kind of finding, for people who meet it in a pull request and never saw Heldout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from heldout.domain.finding import Finding, Side
from heldout.domain.kind import Kind, is_no_dataset


@dataclass(frozen=True, slots=True)
class Named:
    """An example by the words that people find it by, and whether it is held out."""

    name: str
    held_out: bool = False

    def __str__(self) -> str:
        return f"held-out {self.name}" if self.held_out else self.name


SENTENCES: Mapping[Kind, str] = {
    Kind.EXACT: "{a} has the same input as {b}",
    Kind.NEAR: "{a} is nearly the same as {b}{alike}",
    Kind.MOVED: "{a} is {b} in another version or file",
    Kind.CONTAINMENT: "{short} stands whole inside {long}",
    Kind.INTRA_SPLIT: "{a} repeats {b}{alike} in its split",
    Kind.SOURCE_CROSSES_SPLIT: "{a} and {b} are an example and what it was made from, in two splits",
    Kind.EXPOSED: "{held} was shown to something: {other.split}, {other.key} of the log",
    Kind.GROUP_CROSSES_SPLIT: "{a} and {b} are of one {group}, in two splits",
    Kind.LOCK_CHANGED: "{held} was {other.split} since the split was locked",
    Kind.LABEL_CONFLICT: "{a} and {b} have one input, or nearly{alike}, and different expected outputs",
    Kind.PROMPT_EXCERPT: "{held} is quoted in {other.key}",
    Kind.SEMANTIC: "{a} and {b} seem to ask the same in other words",
}
"""`other` is the side that stands for a log, a lock or a prompt, and `held` names the one that is an example."""


def sentence(finding: Finding, first: Side, a: Named, b: Named) -> str:
    """`a` names the side `first`, `b` the other one."""
    second = finding.b if first.identity() == finding.a.identity() else finding.a
    held, other = (b, first) if is_no_dataset(first.dataset) else (a, second)
    inside = finding.containment
    short = finding.b if inside is not None and inside.short == "b" else finding.a
    pair = (a, b) if short.identity() == first.identity() else (b, a)
    return SENTENCES[finding.kind].format(
        a=a,
        b=b,
        short=pair[0],
        long=pair[1],
        held=held,
        other=other,
        group=finding.group or "group",
        alike=f" ({alike_by(finding.similarity)}{_also(finding)})" if finding.similarity is not None else "",
    )


def alike_by(similarity: Fraction) -> str:
    """Two decimals, downwards: only equal sets are 1.00."""
    return f"{similarity.numerator * 100 // similarity.denominator / 100:.2f} alike"


def _also(finding: Finding) -> str:
    if Kind.CONTAINMENT in finding.also:
        return ", and one stands whole inside the other"
    return "".join(f", and {kind.value}" for kind in finding.also)
