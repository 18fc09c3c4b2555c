"""Where a dataset's bytes come from: DVC's store for a committed state, plain files for a working copy or `check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from heldout.errors import DataError
from heldout.storage.catalog import DatasetState
from heldout.storage.dvc.store import DvcStore
from heldout.storage.pointers import Output


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
    """Files and folders on disk. Names in messages are the paths as they were given."""

    folder: Path

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:
        place = self.folder / path
        if place.is_dir():
            for file in sorted(item for item in place.rglob("*") if item.is_file()):
                with file.open("rb") as stream:
                    yield f"{path}/{file.relative_to(place).as_posix()}", stream
            return
        if not place.exists():
            raise DataError("no-such-file", "there is no such file", file=path, hint="check the path, or dvc pull")
        if not place.is_file():
            raise DataError("not-a-file", "this is no regular file", file=path)
        try:
            stream = place.open("rb")
        except OSError as error:
            raise DataError("unreadable-file", f"it cannot be opened: {error.strerror}", file=path) from error
        with stream:
            yield path, stream
