"""`heldout show`: what a dataset or version is."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session


def show(
    subject: Annotated[
        str, typer.Argument(metavar="SUBJECT", autocompletion=subjects, help="NAME, NAME@vX.Y.Z or NAME@COMMIT.")
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show description, files, fields, splits, holdout, digests and records. Reads no data.

    Example: heldout show support@v1.2.0
    """
    from heldout.reports.show import show_json, show_lines
    from heldout.services.listing import show as look

    session = Session(as_json=as_json, quiet=quiet)
    shown = look(session.workspace, subject)
    session.emit(show_lines(shown), show_json(shown))
