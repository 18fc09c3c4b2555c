"""The draw: which units a design takes out of a frame. No clock, machine or order of rows has a say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from heapq import nsmallest
from typing import Final

from heldout.domain.canonical import canonical_json, digest
from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design
from heldout.domain.sampling.frame import Frame

PROCEDURE: Final = "sha256-lowest@1"
"""In each stratum the units with the lowest sha256 of canonical JSON [stream, seed, id]; ties by id."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A unit that was drawn. Its weight is one over its probability."""

    name: str
    stratum: str
    probability: Fraction


@dataclass(frozen=True, slots=True)
class Draw:
    """The selection event, written down before anybody labels: bound to one frame and one design by their digests.

    `selected_at` is a time in UTC as ISO 8601 writes it: the only part that frame and design do not decide.
    """

    frame: str
    design: str
    procedure: str
    selected_at: str
    selected: tuple[Selected, ...]

    def as_json(self) -> dict[str, JSON]:
        return {
            "frame": self.frame,
            "design": self.design,
            "procedure": self.procedure,
            "selected_at": self.selected_at,
            "selected": [
                {"id": each.name, "stratum": each.stratum, "probability": str(each.probability)}
                for each in self.selected
            ],
        }

    @property
    def digest(self) -> str:
        return digest(self.as_json())

    @property
    def by_name(self) -> Mapping[str, Selected]:
        return {each.name: each for each in self.selected}


def select(frame: Frame, design: Design) -> tuple[Selected, ...]:
    """Strata in order of name, in each the units in the order of their hash."""
    return tuple(
        Selected(name, plan.name, plan.probability)
        for plan in sorted(design.strata, key=lambda plan: plan.name)
        for name in _lowest(frame.strata[plan.name], plan.draw, design)
    )


def _lowest(names: tuple[str, ...], count: int, design: Design) -> list[str]:
    def rank(name: str) -> tuple[bytes, str]:
        return sha256(canonical_json([design.stream, design.seed, name])).digest(), name

    return nsmallest(count, names, key=rank)
