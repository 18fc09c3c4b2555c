"""One repository kept open for many requests, and the findings of all its records.

Git and DVC are asked by one thread at a time; what is indexed can be read by any. Everything is looked up anew when a
ref moves, and decisions when a file under reviews/ is another one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from heldout.domain.deciding.review_listing import ReviewRow
from heldout.domain.listing import FindingRow
from heldout.errors import UsageError
from heldout.services.browsing.finding_index import Decided, FindingIndex, Selected, Wanted
from heldout.services.browsing.shelf import Shelf
from heldout.services.deciding.listing import standings
from heldout.services.deciding.undo import Written
from heldout.services.findings import list_findings
from heldout.services.workspace import Workspace

_KEPT_SELECTIONS = 16
_AHEAD = 400
"""Findings after the shown one whose texts are read in the same pass."""


@dataclass
class Found:
    """The findings of one state of the repository, what was decided on them, and the filters asked for lately."""

    index: FindingIndex
    reviews: tuple[ReviewRow, ...] = ()
    selections: OrderedDict[Wanted, Selected] = field(default_factory=OrderedDict)

    @cached_property
    def decided(self) -> Decided:
        index = self.index
        by_cluster = [
            (row.standing.value, index.clusters.get(row.review.id, []))
            for row in self.reviews
            if row.review is not None and row.review.is_cluster
        ]
        own = [
            (row.standing.value, [index.places[row.review.id]])
            for row in self.reviews
            if row.review is not None and not row.review.is_cluster and row.review.id in index.places
        ]
        return Decided.of(index, [*by_cluster, *own])

    def select(self, wanted: Wanted) -> Selected:
        known = self.selections.get(wanted)
        if known is None:
            known = self.selections[wanted] = self.index.select(wanted, self.decided)
            if len(self.selections) > _KEPT_SELECTIONS:
                self.selections.popitem(last=False)
        return known

    def row(self, finding: str) -> FindingRow:
        """Raises UsageError (slug unknown-finding)."""
        place = self.index.places.get(finding)
        if place is None:
            raise UsageError("unknown-finding", f"no record here has a finding {finding!r}", hint="load the page again")
        return self.index.rows[place]

    def family(self, finding: str) -> int:
        """How many findings are about the same example, or of the same cluster."""
        return int(self.index.family_sizes[self.index.families[self.index.places[finding]]])

    def after(self, finding: str) -> list[FindingRow]:
        """The rows that come next: somebody who reads one will likely read them."""
        start = self.index.places[finding] + 1
        return list(self.index.rows[start : start + _AHEAD])


class Project:
    """The repository around a folder. `decisions` are those that were written from here, the last one last."""

    def __init__(self, start: Path, data: Path | None = None) -> None:
        self._lock = threading.RLock()
        self._data = data
        self._workspace = Workspace.open(start, data)
        self._refs = b""
        self._reviews: object = None
        self._found: Found | None = None
        self.shelf = Shelf()
        self.decisions: list[Written] = []

    @property
    def top(self) -> Path:
        return self._workspace.git.top

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """The repository as it is now, for one request at a time."""
        with self._lock:
            refs = self._read_refs()
            if refs != self._refs:
                self._workspace.forget()
                self._found = None
                self._refs = refs
            self._workspace = self._workspace.again()
            yield self._workspace

    def apart(self) -> Workspace:
        """A workspace of its own, for what reads records only and need not wait for anybody."""
        return Workspace.open(self.top, self._data)

    def wait(self, seconds: float) -> bool:
        """Whether the repository is free to be asked, now or within this time."""
        free = self._lock.acquire(timeout=seconds)
        if free:
            self._lock.release()
        return free

    def findings(self) -> Found:
        """Every finding of a version that takes part, or of HEAD: seconds for 100,000, once while no ref moves.

        While another thread is at work, as where texts are fetched, what was found a moment ago has to do.
        """
        known = self._found
        if not self._lock.acquire(blocking=known is None):
            assert known is not None
            return known
        try:
            with self.workspace() as workspace:
                return self._looked_up(workspace)
        finally:
            self._lock.release()

    def refreshed(self) -> Found:
        """As `findings`, and never what was found before: after a change of our own."""
        with self.workspace() as workspace:
            return self._looked_up(workspace)

    def _looked_up(self, workspace: Workspace) -> Found:
        reviews = _review_files(workspace)
        if self._found is None or self._reviews != reviews:
            index = self._found.index if self._found else FindingIndex(list_findings(workspace)).warm()
            by_id = {name: index.rows[place] for name, place in index.places.items()}
            by_cluster = {name: index.rows[places[0]] for name, places in index.clusters.items()}
            self._found = Found(index, tuple(standings(workspace, by_id, by_cluster)))
            self._reviews = reviews
        return self._found

    def _read_refs(self) -> bytes:
        git = self._workspace.git
        return (git.head() or "").encode() + git.run("for-each-ref", "--format=%(refname) %(objectname)")


def _review_files(workspace: Workspace) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the decisions in the working copy."""
    if workspace.git.bare:
        return ()
    found = []
    for file in (workspace.git.top / "datasets").glob("**/reviews/*.yaml"):
        with suppress(FileNotFoundError):  # somebody took it away meanwhile
            state = file.lstat()
            found.append((str(file), state.st_mtime_ns, state.st_size))
    return tuple(sorted(found))
