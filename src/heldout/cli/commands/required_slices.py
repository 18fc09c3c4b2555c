"""`heldout required-slices`: what every suite that uses a dataset has to report on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.commands.slices import State
from heldout.cli.session import Json, Quiet, Session


def required(
    subject: State,
    check: Annotated[
        Path | None, typer.Option("--check", dir_okay=False, help="A result file (JSON) that has to report them.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what a suite has to report on its own: name, number and digest of each required slice.

    With --check a result file is refused (exit 1) that leaves one out, or used another definition.

    Example: heldout required-slices support@v1.2.0 --json
    """
    from heldout.reports.slicing.slices import required_json, required_lines
    from heldout.services.slicing.reporting import check_reported
    from heldout.services.slicing.use import find_target, required_slices

    session = Session(as_json=as_json, quiet=quiet)
    found = required_slices(find_target(session.workspace, subject))
    if check is not None:
        check_reported(found, check)
    session.emit(required_lines(subject, found), required_json(subject, found))
