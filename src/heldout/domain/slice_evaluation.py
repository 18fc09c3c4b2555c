"""Does an example belong to a slice: yes, no, or nobody can say here (decision A13).

The third answer comes from a payload that is kept outside the data file: a `field` condition on its input cannot be
checked. Conditions join as in Kleene's strong logic: `all` is no as soon as one is no, `any` is yes as soon as one is
yes, and otherwise one unknown makes the whole unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from heldout.domain.example import JSON
from heldout.domain.slice_compiler import compile_check
from heldout.domain.slice_definition import Definition

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


def compile_definition(definition: Definition) -> Test:
    """A function that answers the whole definition, sample apart, for an example; made once, called for every row."""
    return compile_check(definition)


def count(definition: Definition, examples: Iterable[Checkable]) -> Tally:
    """One pass in constant memory. The sample is no part of it."""
    numbers = Counter(map(compile_definition(definition), examples))
    return Tally(numbers[True], numbers[False], numbers[UNKNOWN])
