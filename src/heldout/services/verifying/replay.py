"""Making a record again from the data, to compare it byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum

from heldout.domain.record import ScanRecord
from heldout.domain.verification import Level, Problem
from heldout.errors import DataError, MissingDataError, TamperedError
from heldout.services.progress import Progress
from heldout.services.reading import Reading
from heldout.services.scanner import Scanner
from heldout.services.scanning import scan
from heldout.services.workspace import Workspace
from heldout.storage.catalog import DatasetState
from heldout.storage.trees import FileTree


class ReplayResult(Enum):
    SAME = "the same bytes"
    DIFFERENT = "other bytes"
    OTHER_METHOD = "it is of another method"
    NO_STATE = "a version it was compared with is not in this clone"
    NO_DATA = "data is missing here and could not be fetched"
    BAD_DATA = "its data is not what its digest says, or cannot be read"


class Replay:
    """Replays records of one repository; each version's data is read once.

    `damaged` collects, as (path of the dataset, what is wrong, slug), data that is here and not right.
    """

    def __init__(
        self, workspace: Workspace, states: dict[str, DatasetState], progress: Progress, *, fetch: bool = True
    ) -> None:
        self.damaged: list[tuple[str, str, str]] = []
        self._workspace = workspace
        self._progress = progress
        self._scanner = Scanner(workspace, fetch=fetch, progress=progress, cached=False)
        self._states: dict[str, tuple[DatasetState, str | None]] = {
            source: (state, None) for source, state in states.items()
        }
        for version in workspace.knowledge().versions:
            if version.source not in self._states and not version.source.startswith("unreadable:"):
                state = workspace.catalog(version.commit).state(version.dataset)
                self._states[version.source] = (state, version.commit)

    def run(self, record: ScanRecord, path: str, tree: FileTree) -> ReplayResult:
        """`path` is where its scan.yaml lies in `tree`."""
        method = self._workspace.settings.method
        if record.method_digest != method.digest:
            return ReplayResult.OTHER_METHOD
        wanted = [record.source, *(item.source for item in record.compared)]
        if any(source not in self._states for source in wanted):
            return ReplayResult.NO_STATE
        readings = []
        for source in wanted:
            try:
                readings.append(self._reading(source))
            except MissingDataError as error:
                self._progress.note(str(error))
                return ReplayResult.NO_DATA
            except (TamperedError, DataError) as error:
                problem = (self._states[source][0].folder, str(error), error.slug)
                if problem not in self.damaged:
                    self.damaged.append(problem)
                return ReplayResult.BAD_DATA
        subject, *others = readings
        made = scan(subject, others, method, self._progress, self._scanner.texts).files()
        same = all(tree.read(file) == data for file, data in made.items()) and path in made
        return ReplayResult.SAME if same else ReplayResult.DIFFERENT

    def _reading(self, source: str) -> Reading:
        state, commit = self._states[source]
        return self._scanner.reading(state, commit)


def replay_all(
    replayer: Replay, records: Mapping[str, tuple[ScanRecord, FileTree]], live: Collection[str]
) -> tuple[list[Problem], int]:
    """What is wrong with records, given by path with the tree each is in, and how many of them could be made again.

    A record that cannot be made again (one version it names is gone) is no worry where others that can be say all that
    it says about versions that are still here: `live` are the contents answers are given for.
    """
    results = {path: replayer.run(record, path, tree) for path, (record, tree) in records.items()}
    claims = {path: _claims(record, live) for path, (record, _) in records.items()}
    proven = {claim for path, result in results.items() if result is ReplayResult.SAME for claim in claims[path]}
    problems = []
    for path, result in results.items():
        if result is ReplayResult.DIFFERENT:
            problems.append(Problem(Level.FAILED, path, "is not what its data and method give", "record-forged"))
        elif result is not ReplayResult.SAME and not claims[path] <= proven:
            text = f"could not be made again: {result.value}"
            problems.append(Problem(Level.UNKNOWN, path, text, "record-not-replayed"))
    problems += [Problem(Level.FAILED, place, text, slug) for place, text, slug in replayer.damaged]
    made = sum(result in (ReplayResult.SAME, ReplayResult.DIFFERENT) for result in results.values())
    return problems, made


def _claims(record: ScanRecord, live: Collection[str]) -> set[frozenset[str]]:
    """Pairs of contents that answers take from a record: its own with itself, and with each compared one still here."""
    return {
        frozenset({record.source, other})
        for other in (record.source, *(item.source for item in record.compared))
        if other in live
    }
