"""`heldout leak check TRAIN EVAL`: how much of one split another one covers, against a limit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from heldout.domain.leaks.leak import ACROSS, LeakRate, LeakSettings
from heldout.domain.leaks.leaks import Leaks
from heldout.errors import ExitCode, UsageError
from heldout.services.leaks.matching import find_leaks
from heldout.services.leaks.read import LeakRequest, read_records
from heldout.services.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """`rate` is of the evaluation split's records, `limit` in per cent; exactly the limit is within it (A26)."""

    leaks: Leaks
    rate: LeakRate
    limit: Decimal
    notes: tuple[str, ...]

    @property
    def exceeded(self) -> bool:
        return self.rate.exceeds(self.limit)

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.FOUND if self.exceeded else ExitCode.CLEAN


def check_pair(
    request: LeakRequest, settings: LeakSettings, limit: Decimal = Decimal(0), progress: Progress = SILENT
) -> LeakCheck:
    """Compare the second file, the evaluation split, with the first. Repeats inside a split are not looked for.

    Raises UsageError (slug not-one-pair) where the files hold more or fewer than one split each.
    """
    if len(request.files) != 2:
        hint = "heldout leak report TRAIN EVAL ... compares any number of splits"
        raise UsageError("not-one-pair", f"check compares two files, {len(request.files)} were given", hint=hint)
    found = read_records(request, progress)
    splits = list(dict.fromkeys(record.split for record in found.records))
    sides = {(record.split, _side(record.file, request.files)) for record in found.records}
    if len(splits) != 2 or len(sides) != 2:
        message = f"check compares one split with one other, these files hold {', '.join(map(repr, splits))}"
        hint = "heldout leak report compares any number of splits; --split FILE=NAME renames a file's"
        raise UsageError("not-one-pair", message, hint=hint)
    train, evaluation = splits
    leaks = find_leaks(found, settings, progress, ACROSS)
    (rate,) = (rate for rate in leaks.rates() if (rate.source, rate.target) == (train, evaluation))
    return LeakCheck(leaks, rate, limit, tuple(found.notes))


def _side(file: str, files: tuple[str, ...]) -> bool:
    """Whether a file is, or is in the folder that is, the first of the two."""
    return file == files[0] or file.startswith(f"{files[0].rstrip('/')}/")
