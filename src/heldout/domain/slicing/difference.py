"""What one definition of a slice says that another does not, in the one-line form of conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from heldout.domain.slicing.definition import Definition, Sample
from heldout.domain.slicing.language import render_condition

Sign = Literal["+", "-", " "]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a definition: new, gone, or in both."""

    sign: Sign
    text: str


def difference(before: Definition | None, after: Definition) -> tuple[Line, ...]:
    """Lines of `after` with those of `before` that are gone. Order is no difference: a digest does not see it."""
    return (
        *_one(None if before is None else _match(before), _match(after)),
        *_conditions(before, after),
        *_one(None if before is None else _sample(before.sample), _sample(after.sample)),
    )


def _one(before: str | None, after: str) -> Iterator[Line]:
    if before == after:
        if after:
            yield Line(" ", after)
        return
    if before:
        yield Line("-", before)
    if after:
        yield Line("+", after)


def _conditions(before: Definition | None, after: Definition) -> Iterator[Line]:
    old = [render_condition(item) for item in before.conditions] if before else []
    left = list(old)
    for item in after.conditions:
        text = render_condition(item)
        if text in left:
            left.remove(text)
            yield Line(" ", text)
        else:
            yield Line("+", text)
    yield from (Line("-", text) for text in left)


def _match(definition: Definition) -> str:
    if not definition.conditions:
        return "every example"
    return "all of" if definition.match == "all" else "any of"


def _sample(sample: Sample | None) -> str:
    if sample is None:
        return ""
    shared = f", shared by metadata.{sample.stratify}" if sample.stratify else ""
    return f"sample of {sample.size:,}, seed {sample.seed!r}{shared}"
