"""`heldout findings`: list what scans found, and read one finding side by side."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.forms import FormOption, deliver, session_for
from heldout.cli.session import Json, Quiet, Session
from heldout.domain.kind import Kind

if TYPE_CHECKING:
    from heldout.domain.listing import FindingListing
    from heldout.domain.reporting import Report

HELP = "List findings of committed records, or show one side by side: findings [SUBJECT], findings show ID."


def findings_list(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]", autocompletion=subjects, help="NAME, NAME@vX.Y.Z or NAME@COMMIT; default: everything."
        ),
    ] = None,
    holdout_only: Annotated[
        bool, typer.Option("--holdout-only", help="Only those that contaminate a holdout.")
    ] = False,
    kind: Annotated[list[Kind] | None, typer.Option("--kind", help="Only this kind; may be repeated.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="List at most this many.")] = None,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List findings with the versions that contain either example. A is the example of the subject.

    Reads committed records, never data. A working copy is listed by the record of its content; where there is none,
    `heldout scan NAME` looks, for advice. Exits 0, or 3 when nothing was recorded: an empty list then says nothing.

    Example: heldout findings support@v1.2.0 --holdout-only
    """
    from heldout.errors import ExitCode
    from heldout.reports.finding_list import findings_json, findings_lines
    from heldout.services.findings import list_findings

    session = session_for(form, as_json=as_json, quiet=quiet)
    listing = list_findings(session.workspace, subject, holdout_only=holdout_only, kinds=kind or ())
    deliver(
        session,
        lines=lambda: findings_lines(listing, limit),
        data=lambda: findings_json(listing, limit),
        report=lambda: _report(session, listing, limit),
    )
    session.end(ExitCode.CLEAN if listing.recorded else ExitCode.UNKNOWN)


def _report(session: Session, listing: FindingListing, limit: int | None) -> Report:
    from heldout.reports.adapters.findings import findings_report
    from heldout.services.locating import Places

    places = Places(session.workspace, listing.source)
    nowhere = places.data(listing.subject.dataset) if listing.subject else places.top()
    return findings_report(listing, limit, places.finding, nowhere)


def findings_show(
    finding: Annotated[str, typer.Argument(metavar="ID", help="A finding's id, or the start of it.")],
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]", autocompletion=subjects, help="Whose findings to search, and the data to read first."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show both texts of a finding from the data, with the words that differ, and what to do.

    Missing data is fetched through DVC. The texts go to the screen (and into --json); nothing is stored.

    Example: heldout findings show 3f2a9c support@v1.2.0
    """
    from heldout.reports.finding_show import Screen, finding_lines, finding_show_json
    from heldout.services.findings import exhibit

    session = Session(as_json=as_json, quiet=quiet)
    found = exhibit(session.workspace, finding, subject, session.progress)
    session.progress.close()
    parts = (found.row, found.a, found.b, found.names, found.frozen)
    screen = Screen(shutil.get_terminal_size((100, 24)).columns, session.colour)
    session.emit(finding_lines(*parts, screen), finding_show_json(*parts))
