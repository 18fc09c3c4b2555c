"""`heldout status`: where everything stands. What `heldout` alone shows, too."""

from __future__ import annotations

from heldout.cli.session import Json, Quiet, Session


def status(as_json: Json = False, quiet: Quiet = False) -> None:
    """Show each dataset's working copy, record, versions and the next sensible step.

    Example: heldout status
    """
    from heldout.reports.status import status_json, status_lines
    from heldout.services.status import status as look

    session = Session(as_json=as_json, quiet=quiet)
    found = look(session.workspace)
    session.emit(status_lines(found), status_json(found))
