"""Making a dataset's canary, and looking for canaries in files that may have been trained on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from heldout.domain.exposing.canary import Canary, Searched, new_canary
from heldout.errors import UsageError
from heldout.services.exposing.canary_search import search
from heldout.services.workspace import Workspace
from heldout.storage.corpora.files import find_files
from heldout.storage.people.canary_file import canary_path, parse_canary, render_canary
from heldout.storage.trees import FolderTree
from heldout.storage.working_files import write_own_file


@dataclass(frozen=True, slots=True)
class Made:
    """A new canary, where it was recorded, and the commit where it was committed at once."""

    canary: Canary
    path: str
    commit: str | None = None


def make(workspace: Workspace, dataset: str, note: Callable[[str], None], *, commit: bool) -> Made:
    """Raises UsageError: unknown-dataset; canary-exists, as pages and files out there already carry it."""
    name = workspace.working_copy.spec(dataset).name
    path = canary_path(name)
    head = workspace.git.head()
    data = FolderTree(workspace.git.top).read(path) or (workspace.tree(head).read(path) if head else None)
    if data is not None:
        text = parse_canary(data, path).text
        raise UsageError("canary-exists", f"{name} has the canary {text}", hint="embed that one; it never changes")
    canary = new_canary(name, os.urandom(16))
    content = render_canary(canary)
    if not commit:
        write_own_file(workspace.git.top, path, content)
        return Made(canary, path)
    message = f"heldout: a canary for {name}\n"
    return Made(canary, path, workspace.git.commit_files({path: content}, message, head, note))


def canaries_of(workspace: Workspace, names: Sequence[str]) -> tuple[Canary, ...]:
    """Those of the named datasets, or of all. Raises UsageError: no-canary."""
    found = []
    tree = FolderTree(workspace.git.top)
    known = workspace.working_copy.names
    for name in names or known:
        data = tree.read(canary_path(name))
        if data is not None:
            found.append(parse_canary(data, canary_path(name)))
        elif names:
            workspace.working_copy.spec(name)
            raise UsageError("no-canary", f"{name} has no canary", hint=f"heldout canary new {name}")
    return tuple(found)


def scan(files: Sequence[str], canaries: Sequence[Canary]) -> Searched:
    """Raises UsageError (no-canary, no-shards) and DataError (no-such-file)."""
    if not canaries:
        hint = "heldout canary new NAME makes one; --string TEXT looks for any other"
        raise UsageError("no-canary", "there is no canary to look for", hint=hint)
    return search(find_files(files).files, canaries)


def given(strings: Sequence[str]) -> Iterator[Canary]:
    """Canaries that others published. Short ones would be found everywhere."""
    for text in strings:
        if len(text.strip()) < _SHORTEST:
            message = f"{text!r} is too short to tell anything apart"
            raise UsageError("canary-too-short", message, hint=f"{_SHORTEST} characters at least")
        yield Canary(text, text)


_SHORTEST = 8
