"""`heldout doctor`: what is wrong with the set-up, and what mends it."""

from __future__ import annotations

from pathlib import Path

from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode


def doctor(as_json: Json = False, quiet: Quiet = False) -> None:
    """Check Git, DVC, hooks, files, data and records; exit 1 when something is to be fixed. Changes nothing.

    Example: heldout doctor
    """
    from heldout.domain.standing import CheckState
    from heldout.reports.setup import doctor_json, doctor_lines
    from heldout.services.doctor import examine

    session = Session(as_json=as_json, quiet=quiet)
    checks = examine(Path.cwd())
    session.emit(doctor_lines(checks), doctor_json(checks))
    bad = any(check.state is CheckState.PROBLEM for check in checks)
    session.end(ExitCode.FOUND if bad else ExitCode.CLEAN)
