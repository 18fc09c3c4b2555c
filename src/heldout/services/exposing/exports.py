"""Held-out examples that a command hands out: logged where policy wants it, or somebody says what they are for."""

from __future__ import annotations

from collections.abc import Iterable

from heldout.domain.exposing.exposure import How
from heldout.errors import UsageError
from heldout.services.exposing.exposures import Request, expose
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Workspace
from heldout.storage.people.exposure_log import log_path


def record_export(
    workspace: Workspace,
    subject: str,
    members: Iterable[tuple[str, str]],
    how: How,
    note: str | None,
    progress: Progress = SILENT,
) -> str | None:
    """Append to the log that these examples, by (split, key), go out of the repository; held-out ones only.

    Returns the log's path, None where there was nothing to record. Raises UsageError (slug note-missing) where policy
    wants a record and nobody said what the examples are for.
    """
    if note is None and not workspace.settings.record_exports:
        return None
    located = workspace.find(subject)
    held = located.state.spec.holdout_names()
    keys = tuple(dict.fromkeys(f"{split}/{key}" for split, key in members if split in held))
    if not keys:
        return None
    if note is None:
        raise UsageError(
            "note-missing",
            f"{len(keys):,} held-out examples would leave the repository, and heldout.yaml has such exports recorded",
            hint="--note says what they are for",
        )
    try:
        return expose(workspace, Request(subject, how, note, keys), progress.note, progress).path
    except UsageError as error:
        if error.slug != "already-logged":
            raise
        return log_path(located.state.name)
