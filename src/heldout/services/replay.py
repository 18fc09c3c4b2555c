"""Making a record again from the data, to compare it byte for byte."""

from __future__ import annotations

from enum import Enum

from heldout.domain.record import ScanRecord
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
        self._scanner = Scanner(workspace, fetch=fetch, progress=progress)
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
        made = scan(subject, others, method, self._progress).files()
        same = all(tree.read(file) == data for file, data in made.items()) and path in made
        return ReplayResult.SAME if same else ReplayResult.DIFFERENT

    def _reading(self, source: str) -> Reading:
        state, commit = self._states[source]
        return self._scanner.reading(state, commit)
