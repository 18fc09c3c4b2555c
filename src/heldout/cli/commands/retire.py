"""`heldout retire` and `heldout unfreeze`: no state blocks a team for ever."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import versions
from heldout.cli.session import Json, Quiet, Session

Reason = Annotated[str, typer.Option("--reason", help="Why; read by everyone who asks about this dataset.")]
VersionArgument = Annotated[str, typer.Argument(metavar="VERSION", autocompletion=versions, help="NAME@vX.Y.Z")]


def retire(
    version: VersionArgument,
    reason: Reason,
    reviewer: Annotated[str | None, typer.Option("--reviewer", help="Who else looked at this.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Commit that a version takes part in no comparison any more; no data is needed, and every answer lists it.

    For a version that was pushed: nothing was trained on it, or its data is gone.

    Example: heldout retire support@v1.0.0 --reason "never used for training; leaked copies fixed in v2.0.0"
    """
    from heldout.services.deciding import retire as service

    session = Session(as_json=as_json, quiet=quiet)
    done = service.retire(session.workspace, service.parse_version(version), reason, reviewer, session.note)
    record = done.retirement
    session.emit(
        [f"{record.version} is retired ({record.reason}); committed as {done.commit[:10]}"],
        {
            "format": "heldout/retire@1",
            "version": str(record.version),
            "source": record.source,
            "reason": record.reason,
            "by": record.by,
            "reviewer": record.reviewer,
            "commit": done.commit,
        },
    )


def unfreeze(version: VersionArgument, reason: Reason, as_json: Json = False, quiet: Quiet = False) -> None:
    """Delete the tag of a version that no remote has yet.

    Example: heldout unfreeze support@v1.0.0 --reason "frozen with leaked copies"
    """
    from heldout.services.deciding import retire as service

    session = Session(as_json=as_json, quiet=quiet)
    gone = service.unfreeze(session.workspace, service.parse_version(version), reason, session.note)
    session.emit(
        [f"{gone.name} is no version any more (it named {gone.commit[:10]}): {reason}"],
        {"format": "heldout/unfreeze@1", "version": str(gone.name), "commit": gone.commit, "reason": reason},
    )
