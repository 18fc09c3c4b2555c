"""The examples of one subject: a version's or commit's out of DVC's store, a working copy's from its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from heldout.domain.example import Example
from heldout.errors import DataError
from heldout.services.payloads import inline_outputs
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading, examples, read_version
from heldout.services.sources import DataSource, PlainFiles, StoredData
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import DatasetState
from heldout.storage.regular_files import changed


@dataclass(frozen=True, slots=True)
class WorkingFiles:
    """A working copy: files as they lie there, edits that DVC has not seen included; one that is absent from the store.

    So a clone that never ran `dvc checkout` can be read like any other.
    """

    state: DatasetState
    files: PlainFiles
    stored: StoredData

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        place = self.state.repo_path(path)
        if (self.files.folder / place).exists():
            yield from self.files.open(place)
        else:
            yield from self.stored.open(path)


def open_data(workspace: Workspace, located: Located, progress: Progress = SILENT) -> DataSource:
    """The subject's data, what is missing here fetched through DVC first and said; save inputs kept outside.

    Raises MissingDataError (slug fetch-failed) when no remote has it.
    """
    state = located.state
    stored = StoredData(state, workspace.store)
    wanted = inline_outputs(state)
    if located.commit is None:
        wanted = tuple(output for output in wanted if not (workspace.git.top / output.path).exists())
    if wanted:
        workspace.store.fetch(wanted, rev=located.commit, report=progress.note)
    return stored if located.commit else WorkingFiles(state, PlainFiles(workspace.git.top), stored)


def read_members(workspace: Workspace, located: Located, progress: Progress = SILENT) -> Reading:
    """Every example by its digests, without keeping any text."""
    data = open_data(workspace, located, progress)
    return read_version(located.state.spec, located.state.source, data, keep_texts=False, progress=progress)


@dataclass(frozen=True, slots=True)
class Contents:
    """A subject that was read once to its end, so every row is known to be readable and every key to be unique."""

    reading: Reading
    data: DataSource

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(sorted(self.reading.by_split))

    def examples(self) -> Iterator[Example]:
        """Every example with its key, in the order of the files, read a second time and never held in memory.

        Raises DataError (slug changed-while-reading) when a file of a working copy is not what it was.
        """
        rows = examples(self.reading.spec, self.data, self._skip if self.reading.skipped else None)
        members = iter(self.reading.members)
        for file, example in rows:
            member = next(members, None)
            if member is None or (example.split, example.key or member.key) != (member.split, member.key):
                raise changed(file)
            yield replace(example, key=member.key)
        if next(members, None) is not None:
            raise changed(self.reading.spec.name)

    def _skip(self, error: DataError) -> None:
        """Skipped rows were counted when the subject was read the first time."""


def read_contents(workspace: Workspace, located: Located, progress: Progress = SILENT) -> Contents:
    data = open_data(workspace, located, progress)
    state = located.state
    return Contents(read_version(state.spec, state.source, data, keep_texts=False, progress=progress), data)
