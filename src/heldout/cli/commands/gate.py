"""`heldout gate`: may this holdout be trusted?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.forms import FormOption, deliver, session_for
from heldout.cli.session import Json, Quiet, code_of

if TYPE_CHECKING:
    from heldout.cli.session import Session
    from heldout.domain.reporting import Report
    from heldout.services.gate import GateAnswer


def gate(
    subject: Annotated[
        str,
        typer.Argument(metavar="SUBJECT", autocompletion=subjects, help="NAME@vX.Y.Z; a working copy is never clean."),
    ],
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer clean (exit 0), contaminated (1) or unknown (3) for a version.

    Example: heldout gate support@v1.2.0 --json
    """
    from heldout.reports.gate import gate_json, gate_lines
    from heldout.services.gate import gate as ask

    session = session_for(form, as_json=as_json, quiet=quiet)
    found = ask(session.workspace, subject)
    parts = (str(found.subject), found.answer, found.retired, found.as_of)
    deliver(
        session,
        lines=lambda: gate_lines(*parts),
        data=lambda: gate_json(*parts),
        report=lambda: _report(session, found),
    )
    session.end(code_of(found.answer))


def _report(session: Session, found: GateAnswer) -> Report:
    from heldout.reports.adapters.gate import gate_report
    from heldout.services.locating import Places

    places = Places(session.workspace, found.answer.source)
    nowhere = places.data(found.answer.dataset)
    return gate_report(str(found.subject), found.answer, found.retired, found.as_of, places.finding, nowhere)
