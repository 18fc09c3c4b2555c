"""`heldout versions`: what is frozen, and how each version stands."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.session import Json, Quiet, Session


def versions(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=datasets, help="One dataset; default: all.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List frozen versions with their commit, kind of tag and answer. Always exits 0: `gate` gives a verdict.

    Example: heldout versions support
    """
    from heldout.reports.versions import versions_json, versions_lines
    from heldout.services.listing import list_versions

    session = Session(as_json=as_json, quiet=quiet)
    rows = list_versions(session.workspace, name)
    session.emit(versions_lines(rows, name), versions_json(rows))
