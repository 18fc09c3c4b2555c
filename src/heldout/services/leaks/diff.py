"""`heldout leak diff`: two kept reports against each other."""

from __future__ import annotations

from heldout.domain.leaks.diff import LeakDiff, diff_reports
from heldout.errors import ExitCode, UsageError
from heldout.storage.leak_reports import read_report


def compare_reports(old: str, new: str) -> LeakDiff:
    """Read both, and compare. Raises UsageError (slug different-detectors) where one ran what the other did not."""
    before, after = read_report(old), read_report(new)
    if before.findings.keys() != after.findings.keys():
        ran = [", ".join(kind.value for kind in report.findings) for report in (before, after)]
        message = f"{old} is of the detectors {ran[0]}, {new} of {ran[1]}: what did not run found nothing"
        raise UsageError("different-detectors", message, hint="compare two reports of the same command")
    return diff_reports(before, after)


def diff_exit_code(diff: LeakDiff) -> ExitCode:
    """New findings stop, as findings do; removed ones are what a fix looks like."""
    return ExitCode.FOUND if diff.new else ExitCode.CLEAN
