"""Inputs that are kept outside the data files: whether they can be read here, and putting them into their examples.

The store is one more file of the dataset that DVC tracks (`payloads` in dataset.yaml). It is readable where its object
is in the cache or its file in the working copy (decision A14). Scans need it like any other data, since a record must
not depend on who made it; counting takes what is here and never fetches; whoever hands out inputs tries to fetch them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

from heldout.domain.example import Example
from heldout.domain.paths import MISSING
from heldout.errors import MissingDataError
from heldout.services.progress import SILENT, Progress
from heldout.services.sources import DataSource
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import DatasetState
from heldout.storage.payload_store import PayloadStore
from heldout.storage.pointers import Output

Rows = Generator[tuple[str, Example], None, None]


def with_payloads(rows: Rows, path: str, data: DataSource) -> Iterator[tuple[str, Example]]:
    """The same examples, those whose input lies in a readable store with it; the others as they were.

    `rows` are closed at the end, whatever it is: an error's traceback would keep their file open. The store is opened
    when the first example asks for it. Raises DataError for a row of the store whose digest is not its input's.
    """
    store: PayloadStore | None = None
    is_here = True
    try:
        with closing(rows):
            for file, example in rows:
                if is_here and example.payload is not None and not example.has_input:
                    store = store or _opened(path, data)
                    is_here = store is not None
                yield file, example if store is None else _filled(example, store)
    finally:
        if store is not None:
            store.close()


def _opened(path: str, data: DataSource) -> PayloadStore | None:
    store = PayloadStore()
    try:
        for name, stream in data.open(path):
            store.read(path, name, stream)
    except MissingDataError:
        store.close()
        return None
    except BaseException:
        store.close()
        raise
    return store


def _filled(example: Example, store: PayloadStore) -> Example:
    if example.has_input or example.payload is None:
        return example
    found = store.find(example.payload)
    return example if found is MISSING else replace(example, input=found, has_input=True, from_payload=True)


def inline_outputs(state: DatasetState) -> tuple[Output, ...]:
    """The tracked files of a state without its store of payloads."""
    paths = state.spec.tracked_paths()
    return tuple(out for path, out in zip(paths, state.outputs, strict=True) if path != state.spec.payloads)


def fetch_payloads(workspace: Workspace, located: Located, progress: Progress = SILENT) -> None:
    """Bring a subject's store of payloads here where a remote has it; say so where none has, and go on without.

    Nobody who may not have the inputs is kept from the rest of the data.
    """
    state = located.state
    if state.spec.payloads is None:
        return
    output = state.outputs[state.spec.tracked_paths().index(state.spec.payloads)]
    if located.commit is None and (workspace.git.top / state.repo_path(state.spec.payloads)).exists():
        return
    try:
        workspace.store.fetch([output], rev=located.commit, report=progress.note)
    except MissingDataError as error:
        progress.note(f"inputs kept outside stay references: {error.message}")
