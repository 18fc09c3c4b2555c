"""A split that is locked: what was held out, by digest, so that a later edit of it is seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.case import HELD_OUT, CaseSet


class Change(StrEnum):
    """What became of a locked example, in the order in which it is asked; `ADDED` was never locked."""

    REMOVED = "removed"
    MOVED = "moved"
    EDITED = "edited"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock of a case file: the digests (`heldout.domain.case.DIGEST_ID`) of its held-out cases by id."""

    dataset_name: str
    held_out: Mapping[str, str]

    @classmethod
    def of(cls, cases: CaseSet) -> Lock:
        return cls(cases.name, {case.id: case.digest for case in cases.of_split(HELD_OUT)})


@dataclass(frozen=True, slots=True)
class Present:
    """A locked or held-out example as the data has it now."""

    name: str
    held_out: bool
    digest: str


def lock_changes(locked: Mapping[str, str], present: Iterable[Present]) -> Iterator[tuple[str, Change]]:
    """(name, change) for each locked example that is not as it was, in the lock's order, then those that were added."""
    now = {item.name: item for item in present}
    for name, digest in locked.items():
        item = now.get(name)
        if item is None:
            yield name, Change.REMOVED
        elif not item.held_out:
            yield name, Change.MOVED
        elif item.digest != digest:
            yield name, Change.EDITED
    for item in now.values():
        if item.held_out and item.name not in locked:
            yield item.name, Change.ADDED


def case_changes(lock: Lock, cases: CaseSet) -> Iterator[tuple[str, Change]]:
    return lock_changes(lock.held_out, (Present(case.id, case.held_out, case.digest) for case in cases.cases))
