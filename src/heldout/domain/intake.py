"""What came in with `heldout add`: files, how they are read, and what was found in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.dataset import DatasetSpec
from heldout.errors import DataError


class Arrival(StrEnum):
    """What happens to a file that was named. Nobody's own file is ever moved or deleted."""

    COPIED = "copied"
    UPDATED = "updated"
    IN_PLACE = "in place"
    SAME = "unchanged"


@dataclass(frozen=True, slots=True)
class Arrived:
    """`path` is relative to the repository's top, `given` the file as it was named."""

    path: str
    given: str
    how: Arrival


@dataclass(frozen=True, slots=True)
class Intake:
    """`reasons` say why each field was taken. `skipped` are rows that could not be read and were left out.

    `created` is False where the dataset was there already; `described` says whether dataset.yaml is written.
    """

    spec: DatasetSpec
    files: tuple[Arrived, ...]
    by_split: Mapping[str, int]
    reasons: tuple[str, ...]
    skipped: tuple[DataError, ...]
    empty_splits: tuple[str, ...]
    created: bool
    described: bool

    @property
    def held_out(self) -> tuple[str, ...]:
        """Splits with examples that count as held out, declared or by their names."""
        return tuple(sorted(split for split in self.by_split if self.spec.is_holdout(split)))
