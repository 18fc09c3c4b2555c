"""Where a dataset's bytes come from: DVC's store for a committed state, plain files for a working copy or `check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from heldout.storage.catalog import DatasetState
from heldout.storage.dvc.store import DvcStore
from heldout.storage.pointers import Output
from heldout.storage.regular_files import Identity, files_below, is_folder, opened


class DataSource(Protocol):
    """`open` yields (name for messages, stream) for each file that a path of dataset.yaml stands for, in order."""

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]: ...


@dataclass(frozen=True, slots=True)
class StoredData:
    """A committed state's bytes out of the DVC cache, each checked against its md5 while it is read."""

    state: DatasetState
    store: DvcStore

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        for output in self._outputs(path):
            with self.store.open(output) as stream:
                yield output.path, stream

    def missing(self) -> tuple[Output, ...]:
        """Objects of the state that are not on this machine."""
        return self.store.missing(self.state.outputs)

    def _outputs(self, path: str) -> tuple[Output, ...]:
        paths = self.state.spec.tracked_paths()
        output = self.state.outputs[paths.index(path)]
        return self.store.expand(output, self.state.repo_path(path))


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """Files and folders on disk. Names in messages are the paths as they were given.

    A file that changes before its reader is done with it is refused (slug changed-while-reading).
    """

    folder: Path

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        for _, name, stream, _ in open_files(self.folder / path, path):
            yield name, stream


def open_files(place: Path, shown: str) -> Iterator[tuple[Path, str, BinaryIO, Identity]]:
    """A file, or the files of a folder one after the other: (path, name for messages, stream, what it is)."""
    for file, name in files_below(place, shown) if is_folder(place, shown) else [(place, shown)]:
        with opened(file, name) as (stream, identity):
            yield file, name, stream, identity
