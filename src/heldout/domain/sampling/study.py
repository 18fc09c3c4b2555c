"""What a replay of a stored study found."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.example import JSON


@dataclass(frozen=True, slots=True)
class Difference:
    """One entry of a study, by its path, that came out otherwise when it was computed again."""

    path: str
    stored: JSON
    computed: JSON


@dataclass(frozen=True, slots=True)
class Replayed:
    """`differences` is empty for a study that says what its inputs give."""

    file: str
    kind: str
    differences: tuple[Difference, ...]
