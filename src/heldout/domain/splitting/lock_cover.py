"""What locks of splits mean for a version: part of the gate's answer.

A lock is a person's word that a holdout is exactly these examples. Content that lies beside a lock and is something
else is contaminated: a score on it is no score on what was locked. Where the change is meant, people lock anew, and the
new lock beside the same content settles it; so does an accepted finding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from heldout.domain.answer import Accepted, Contamination, Gap, GapKind
from heldout.domain.canonical import digest
from heldout.domain.deciding.review import Reviews, parted
from heldout.domain.finding import Finding, Side
from heldout.domain.kind import LOCK, Kind, Severity
from heldout.domain.splitting.lock import Change

METHOD: Final = digest({"id": "lock_changed", "compares": "example digests by split and key"})
"""Stands where a finding's decision names the method that found it: no parameter of a scan changes what a lock says."""


@dataclass(frozen=True, slots=True, order=True)
class LockedChange:
    """One example that is not as it was locked; `now` and `locked` are example digests, empty where there is none."""

    split: str
    key: str
    change: Change
    now: str
    locked: str

    def sentence(self) -> str:
        return f"{self.split}/{self.key} was {self.change.value} since the split was locked"

    def finding(self, dataset: str, source: str, lock: str) -> Finding:
        """In the shape of a finding between versions: the lock stands where the other example would. Both sides carry
        digests of whole examples, so that a decision is about this change and no other."""
        held = Side(dataset, self.split, self.key, self.now or self.locked, held_out_in=(source,))
        other = Side(LOCK, self.change.value, self.key, self.locked or lock, open_in=(lock,))
        return Finding(Kind.LOCK_CHANGED, Severity.BLOCK, held, other)


@dataclass(frozen=True, slots=True)
class LockCheck:
    """What somebody with the data found: how a content differs from a lock, named by the digest of its file."""

    dataset: str
    source: str
    lock: str
    changes: tuple[LockedChange, ...]


@dataclass(frozen=True)
class LockCover:
    """`beside` are the digests of the locks that lie beside a content, by (dataset, source), in the commits of versions
    and wherever decisions count; `checks` what was found by comparing them."""

    beside: Mapping[tuple[str, str], Collection[str]]
    checks: Sequence[LockCheck]

    def gaps(self, dataset: str, source: str) -> Iterator[Gap]:
        """A lock that nobody has held against the content, unless another one fits it."""
        found = self._found(dataset, source)
        if _fits(found) or all(found.values()):
            return
        text = "nobody has looked whether it is as it was locked (heldout scan --all --commit)"
        yield Gap(GapKind.LOCK_NOT_CHECKED, text)

    def judged(
        self, dataset: str, source: str, reviews: Reviews
    ) -> tuple[tuple[Contamination, ...], tuple[Accepted, ...]]:
        """Examples that are not as they were locked, open and accepted; nothing where some lock of the content fits."""
        return parted(self._hits(dataset, source), reviews)

    def findings(self, dataset: str, source: str) -> Iterator[tuple[Finding, str]]:
        """(finding, method) of every change."""
        return ((hit.finding, method) for hit, method in self._hits(dataset, source))

    def _hits(self, dataset: str, source: str) -> Iterator[tuple[Contamination, str]]:
        found = self._found(dataset, source)
        if _fits(found):
            return
        told = {change.finding(dataset, source, lock) for lock, checks in found.items() for change in _changes(checks)}
        for finding in sorted(told, key=lambda item: (item.a.identity(), item.b.identity())):
            yield Contamination(finding, finding.a, finding.b), METHOD

    def _found(self, dataset: str, source: str) -> dict[str, list[LockCheck]]:
        """Checks of the content by lock; an empty list where nobody looked. Copies that differ all count."""
        mine = [check for check in self.checks if (check.dataset, check.source) == (dataset, source)]
        locks = sorted(self.beside.get((dataset, source), ()))
        return {lock: [check for check in mine if check.lock == lock] for lock in locks}


def _fits(found: Mapping[str, Sequence[LockCheck]]) -> bool:
    return not found or any(checks and not any(_changes(checks)) for checks in found.values())


def _changes(checks: Sequence[LockCheck]) -> Iterator[LockedChange]:
    return (change for check in checks for change in check.changes)
