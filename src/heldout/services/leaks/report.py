"""`heldout leak report`, `exact` and `near`: one run of the detectors over any number of splits."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from heldout.domain.leaks.leak import LeakKind, LeakSettings
from heldout.domain.leaks.leaks import Leaks
from heldout.errors import ExitCode, UsageError
from heldout.services.leaks.matching import find_leaks
from heldout.services.leaks.read import LeakInput, LeakRequest, read_records
from heldout.services.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class LeakAnswer:
    """What was found, and how files were read."""

    leaks: Leaks
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Any finding of the detectors that ran is a reason to stop (E35)."""
        return ExitCode.FOUND if self.leaks.found else ExitCode.CLEAN


def leak(
    request: LeakRequest,
    settings: LeakSettings,
    kinds: Collection[LeakKind] = tuple(LeakKind),
    progress: Progress = SILENT,
) -> LeakAnswer:
    """Run some or all detectors. Raises UsageError (slug one-split) where there is nothing to compare across."""
    found = read_records(request, progress)
    require_splits(found)
    return LeakAnswer(find_leaks(found, settings, progress, kinds), tuple(found.notes))


def require_splits(found: LeakInput) -> None:
    splits = found.splits()
    if len(splits) < 2:
        message = f"all records are in the split {next(iter(splits))!r}: nothing can be shared across splits"
        raise UsageError("one-split", message, hint="name a second file, --split FILE=NAME, or --split-field COLUMN")
