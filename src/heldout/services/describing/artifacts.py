"""DVC's entries about a dataset: `artifacts:` in the topmost dvc.yaml, and `meta:` in the .dvc files of its data."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from heldout.domain.describing.description import Description
from heldout.domain.example import JSON
from heldout.errors import UsageError
from heldout.services.workspace import Located, Workspace
from heldout.storage.working_files import require_own_place, write_own_files
from heldout.storage.yaml.amending import amended

PROJECT_FILE = "dvc.yaml"


def artifact_path(located: Located) -> str:
    """Where DVC finds the data: the one output that has all of it, or the dataset's folder."""
    state = located.state
    paths = state.spec.tracked_paths()
    outputs = {state.outputs[paths.index(item.path)].path for item in state.spec.data}
    return next(iter(outputs)) if len(outputs) == 1 else state.folder


def splits_by_pointer(located: Located, about: Description) -> Mapping[str, Counter[str]]:
    """Examples by split in the data that each .dvc file tracks; pipelines' outputs have no file of their own."""
    state = located.state
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for output in state.outputs:
        if not output.pointer.endswith(".dvc"):
            continue
        for file in about.files:
            if output.covers(posixpath.normpath(posixpath.join(state.folder, file.path))):
                found[output.pointer] |= Counter(file.by_split)
    return found


def write_entries(
    workspace: Workspace, located: Located, entry: Mapping[str, Any], metas: Mapping[str, Mapping[str, Any]]
) -> dict[str, bytes]:
    """Write them into the working copy; the files that changed, by path. Every file is read before one is written.

    Raises UsageError (slug working-copy-only) for another state: its files are history. ConfigError: bad-yaml,
    wrong-type.
    """
    if located.commit is not None:
        message = f"{located.subject} is history: entries are written into the working copy"
        raise UsageError("working-copy-only", message, hint=f"heldout export {located.state.name} --as dvc-artifacts")
    plan: dict[str, tuple[tuple[str, ...], JSON]] = {
        PROJECT_FILE: (("artifacts", located.state.name), dict(entry)),
        **{path: (("meta", "heldout"), dict(meta)) for path, meta in metas.items()},
    }
    written = {}
    for path, (place, value) in plan.items():
        file = require_own_place(workspace.git.top, path)
        before = file.read_bytes() if file.exists() else b""
        after = amended(before, path, {place: value})
        if after != before:
            written[path] = after
    write_own_files(workspace.git.top, written)
    return written
