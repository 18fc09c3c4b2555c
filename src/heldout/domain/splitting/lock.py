"""A split that is locked: what was held out, by digest, so that a later edit of it is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from heldout.domain.members import Member
from heldout.domain.splitting.case import HELD_OUT, CaseSet

Name = TypeVar("Name", bound="str | tuple[str, str]")


class Change(StrEnum):
    """What became of a locked example, in the order in which it is asked; `ADDED` was never locked."""

    REMOVED = "removed"
    MOVED = "moved"
    EDITED = "edited"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock of a case file: the digests (`heldout.domain.splitting.case.DIGEST_ID`) of its held-out cases by id."""

    dataset_name: str
    held_out: Mapping[str, str]

    @classmethod
    def of(cls, cases: CaseSet) -> Lock:
        return cls(cases.name, {case.id: case.digest for case in cases.of_split(HELD_OUT)})


@dataclass(frozen=True, slots=True)
class Present(Generic[Name]):
    """A locked or held-out example as the data has it now."""

    name: Name
    held_out: bool
    digest: str


def lock_changes(locked: Mapping[Name, str], present: Iterable[Present[Name]]) -> Iterator[tuple[Name, Change]]:
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


@dataclass(frozen=True, slots=True)
class DatasetLock:
    """A lock of a dataset of any shape: for each holdout split the example digests (A1's form) by key."""

    dataset: str
    held_out: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, dataset: str, members: Iterable[Member], holdout: Collection[str]) -> DatasetLock:
        held: dict[str, dict[str, str]] = {split: {} for split in sorted(holdout)}
        for member in members:
            if member.split in held:
                held[member.split][member.key] = member.example
        return cls(dataset, {split: dict(sorted(keys.items())) for split, keys in held.items()})


def dataset_changes(
    lock: DatasetLock, members: Iterable[Member], holdout: Collection[str]
) -> list[tuple[str, str, Change]]:
    """(split, key, change), in the order of `lock_changes`. An example whose key stands in another split only has moved
    there, held out or not. Keys derived from inputs change with them: an edit is then a removal and an addition."""
    now = {(member.split, member.key): member.example for member in members}
    elsewhere = {key for _, key in now}
    locked = {(split, key): digest for split, keys in lock.held_out.items() for key, digest in keys.items()}
    present = [Present((split, key), split in holdout, digest) for (split, key), digest in now.items()]
    present += [Present(name, False, "") for name in locked if name not in now and name[1] in elsewhere]
    return [(split, key, change) for (split, key), change in lock_changes(locked, present)]
