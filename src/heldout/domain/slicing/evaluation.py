"""Does an example belong to a slice: yes, no, or nobody can say here (decision A13).

The third answer comes from a payload that is kept outside the data file: a `field` condition on its input cannot be
checked. Conditions join as in Kleene's strong logic: `all` is no as soon as one is no, `any` is yes as soon as one is
yes, and otherwise one unknown makes the whole unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from heldout.domain.example import JSON, Example
from heldout.domain.slicing.compiler import Members, Samples, compile_check
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.sample import Draw

Truth: TypeAlias = "bool | None"
"""True, False, or None for unknown. Compare with `is`: None is not False."""

UNKNOWN: Final = None


class Checkable(Protocol):
    """The parts of an example that conditions look at; `heldout.domain.example.Example` has them all."""

    @property
    def split(self) -> str: ...
    @property
    def input(self) -> JSON: ...
    @property
    def expected(self) -> JSON: ...
    @property
    def metadata(self) -> Mapping[str, JSON]: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def source_kind(self) -> str | None: ...
    @property
    def review_status(self) -> str | None: ...
    @property
    def synthetic(self) -> bool | None: ...
    @property
    def has_input(self) -> bool: ...


Test: TypeAlias = Callable[[Checkable], Truth]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many examples match, do not, and cannot be checked; the three always add up to all of them."""

    matched: int = 0
    unmatched: int = 0
    unevaluable: int = 0

    @property
    def total(self) -> int:
        return self.matched + self.unmatched + self.unevaluable

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.matched + other.matched, self.unmatched + other.unmatched, self.unevaluable + other.unevaluable
        )


NO_SAMPLES: Final[Samples] = MappingProxyType({})


def compile_definition(definition: Definition, samples: Samples = NO_SAMPLES) -> Test:
    """A function that answers the whole definition, its own sample apart, for an example; made once, called for each.

    `samples` are those of slices it refers to; see `draw_samples`.
    """
    return compile_check(definition, samples)


def count(definition: Definition, examples: Iterable[Checkable], samples: Samples = NO_SAMPLES) -> Tally:
    """One pass in constant memory. The definition's own sample is no part of it."""
    numbers = Counter(map(compile_definition(definition, samples), examples))
    return Tally(numbers[True], numbers[False], numbers[UNKNOWN])


def draw_samples(definitions: Iterable[Definition], examples: Callable[[], Iterable[Example]]) -> Samples:
    """The samples that slices in these definitions refer to, a pass over the examples for each; keys filled in."""
    wanted = {item.digest: item for definition in definitions for item in definition.sampled_references()}
    samples: dict[str, Members] = {}
    for digest, item in wanted.items():
        assert item.sample is not None
        draw, check, unknown = Draw(item.sample), compile_definition(item, samples), 0
        for example in examples():
            truth = check(example)
            unknown += truth is None
            if truth:
                draw.add(example.split, str(example.key), example.metadata)
        samples[digest] = Members(frozenset(draw.result().members), unknown > 0)
    return samples
