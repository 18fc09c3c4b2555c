"""What leaves so that two sides of a split share nothing, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from heldout.domain.checked import Place


@dataclass(frozen=True, slots=True)
class Removed:
    """A row that left. `kind` says what it shared with `partner`, which stays: exact, near, moved, containment,
    group_crosses_split. `key` is None where people gave none; then the input's digest names it."""

    place: Place
    split: str
    key: str | None
    input: str
    kind: str
    partner: Place
    partner_split: str
    similarity: Fraction | None = None


@dataclass(frozen=True, slots=True)
class CleanFile:
    """One file that was written. `source` is where its rows come from."""

    source: str
    path: str
    kept: int
    removed: int


@dataclass(frozen=True, slots=True)
class Cleaned:
    """`remaining` counts the blocking findings of a check of the written files: 0 says that they are clean. `rows` are
    those of the side that was to be cleaned, by split."""

    holdout: tuple[str, ...]
    from_holdout: bool
    files: tuple[CleanFile, ...]
    removed: tuple[Removed, ...]
    rows: Mapping[str, int]
    listed: str
    remaining: int

    def by_kind(self) -> dict[str, int]:
        return dict(sorted(Counter(item.kind for item in self.removed).items()))

    def by_split(self) -> dict[str, int]:
        return dict(sorted(Counter(item.split for item in self.removed).items()))
