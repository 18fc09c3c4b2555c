"""Slices that a suite declares by name: what each needs of a case, and the values it tells cases apart by.

A slice of a run is `NAME=VALUE`, where the name is one of the kinds below, or several joined by ` x `.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from heldout.domain.results.scope import PREFIX

CROSS = " x "
MISSING_VALUE = "(missing)"
NONE_VALUE = "(none)"


class Kind(StrEnum):
    METADATA = "metadata"
    RELEVANT_POSITION = "relevant_position"
    CONTEXT_TRUNCATED = "context_truncated"
    FIRST_TOOL = "first_tool"
    REPEATED_ACTION = "repeated_action"
    ROUTE = "route"
    TRAJECTORY_LENGTH = "trajectory_length"
    CONFIDENCE = "confidence"
    DATASET = "slice"


NEEDS = {
    Kind.METADATA: "the key in the metadata of every case",
    Kind.RELEVANT_POSITION: "a RAG system (rag.top_k, and retrieval.retrieved on every row) and expected.relevant",
    Kind.CONTEXT_TRUNCATED: "a RAG system with a token budget (rag.token_budget, and retrieval.dropped on every row)",
    Kind.FIRST_TOOL: "a trajectory (agent_trajectory/v1) on every row",
    Kind.REPEATED_ACTION: "a trajectory (agent_trajectory/v1) on every row",
    Kind.ROUTE: "a trajectory (agent_trajectory/v1) whose steps name agents, or route, on every row",
    Kind.TRAJECTORY_LENGTH: "a trajectory (agent_trajectory/v1) on every row",
    Kind.CONFIDENCE: "a predictive block (confidence on every row)",
    Kind.DATASET: "a slice of the dataset",
}
"""What has to be there before a slice of a kind can be told (O3 to O10)."""

_KINDS = (
    "metadata.<key>, relevant_position, context_truncated, first_tool, repeated_action, route, "
    "trajectory_length:<bounds> or confidence:<bounds>"
)
_BINNED = (Kind.TRAJECTORY_LENGTH, Kind.CONFIDENCE)
_NUMBER = {
    Kind.TRAJECTORY_LENGTH: re.compile(r"[0-9]{1,9}"),
    Kind.CONFIDENCE: re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?"),
}


class SliceFault(ValueError):
    """Why a declaration is refused; `slug` is stable."""

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(message)
        self.slug = slug


@dataclass(frozen=True, slots=True)
class Part:
    """One kind with what it is asked about: a metadata key, or bounds as they were written."""

    kind: Kind
    key: str = ""
    bounds: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        if self.kind is Kind.METADATA:
            return f"metadata.{self.key}"
        return f"{self.kind}:{','.join(self.bounds)}" if self.bounds else self.key or self.kind.value

    def labels(self) -> tuple[str, ...]:
        """Half-open bins (A45): `<4`, `4-7`, `>=8` where whole numbers are counted, `[0.5,0.8)` between others."""
        pairs = pairwise(self.bounds)
        if self.kind is Kind.TRAJECTORY_LENGTH:
            middle = [low if int(high) - int(low) == 1 else f"{low}-{int(high) - 1}" for low, high in pairs]
        else:
            middle = [f"[{low},{high})" for low, high in pairs]
        return (f"<{self.bounds[0]}", *middle, f">={self.bounds[-1]}")

    def bin_of(self, value: float) -> int:
        return bisect_right([float(bound) for bound in self.bounds], value)


@dataclass(frozen=True, slots=True)
class Declared:
    """A slice, or a cross of several: each combination of their values that some case has."""

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        return CROSS.join(part.name for part in self.parts)

    @property
    def is_cross(self) -> bool:
        return len(self.parts) > 1


def parse_declared(text: str) -> Declared:
    """`metadata.lang`, `trajectory_length:4,8`, `metadata.lang x route`; `slice/NAME` is one of the dataset's own, for
    crosses. Raises SliceFault."""
    names = [name.strip() for name in text.split(CROSS)]
    if len(set(names)) < len(names):
        raise SliceFault("bad-slice-bounds", f"Configuration error: the cross '{text}' names a slice twice")
    return Declared(tuple(_part(name) for name in names))


def _part(text: str) -> Part:
    if text.startswith("metadata.") and len(text) > len("metadata."):
        return Part(Kind.METADATA, text.removeprefix("metadata."))
    if text.startswith(PREFIX) and len(text) > len(PREFIX):
        return Part(Kind.DATASET, text.removeprefix(PREFIX))
    name, colon, bounds = text.partition(":")
    plain = [kind for kind in Kind if kind not in (*_BINNED, Kind.METADATA, Kind.DATASET)]
    if not colon and name in plain:
        return Part(Kind(name))
    if colon and name in _BINNED:
        return _binned(Kind(name), text, tuple(bound.strip() for bound in bounds.split(",")))
    raise SliceFault("unknown-slice-kind", f"Configuration error: unknown slice '{text}'; declare {_KINDS}")


def _binned(kind: Kind, text: str, bounds: tuple[str, ...]) -> Part:
    what = "whole numbers" if kind is Kind.TRAJECTORY_LENGTH else "numbers"
    rising = all(_NUMBER[kind].fullmatch(bound) for bound in bounds) and all(
        float(low) < float(high) for low, high in pairwise(bounds)
    )
    if not rising:
        raise SliceFault("bad-slice-bounds", f"Configuration error: slice '{text}' needs rising bounds, {what}")
    return Part(kind, "", bounds)
