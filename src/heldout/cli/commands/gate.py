"""`heldout gate`: may this holdout be trusted?"""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session, code_of


def gate(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="NAME@vX.Y.Z; a working copy is never clean.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer clean (exit 0), contaminated (1) or unknown (3) for a version.

    Example: heldout gate support@v1.2.0 --json
    """
    from heldout.reports.gate import gate_json, gate_lines
    from heldout.services.gate import gate as ask

    session = Session(as_json=as_json, quiet=quiet)
    found = ask(session.workspace, subject)
    report = (str(found.subject), found.answer, found.retired, found.as_of)
    session.emit(gate_lines(*report), gate_json(*report))
    session.end(code_of(found.answer))
