"""`heldout scans`: every committed scan record."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.session import Json, Quiet, Session


def scans(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=datasets, help="One dataset; default: all.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List scan records: version, status, how many versions compared, findings by kind.

    Example: heldout scans support
    """
    from heldout.reports.scans import scans_json, scans_lines
    from heldout.services.listing import list_scans

    session = Session(as_json=as_json, quiet=quiet)
    listing = list_scans(session.workspace, name)
    session.emit(scans_lines(listing, name), scans_json(listing))
