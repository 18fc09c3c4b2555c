"""`heldout changes`: what a branch does to held-out examples, and approving it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode

if TYPE_CHECKING:
    from heldout.domain.deciding.governed import ChangeStanding
    from heldout.reports.deciding.changes import Row

HELP = "Show what happened to held-out examples since a base, or approve it: changes, changes approve NAME."

Base = Annotated[
    str | None, typer.Option("--base", metavar="REF", help="Since where this branch left REF; default: the remote's.")
]


def changes_list(
    dataset: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=datasets, help="One dataset; default: all.")
    ] = None,
    base: Base = None,
    working_copy: Annotated[
        bool, typer.Option("--working-copy", help="Up to the working copy instead of HEAD.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="Examples to list of each dataset.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List held-out examples that were added, removed, edited or moved, and who has to approve that.

    Policy is `holdout_changes` in heldout.yaml as the base has it. Exits 1 when an approval is missing, 3 when a change
    cannot be told because data is not here.

    Example: heldout changes support --base origin/main
    """
    from heldout.reports.deciding.changes import change_lines, changes_json
    from heldout.services.deciding import changes as service

    session = Session(as_json=as_json, quiet=quiet)
    start = service.start_of(session.workspace, base)
    head = None if working_copy else session.workspace.git.require_commit("HEAD")
    names = (dataset,) if dataset else ()
    found = service.changes(session.workspace, start, head, names, session.progress)
    session.progress.close()
    rows = [_row(item) for item in found.standings]
    session.emit(change_lines(start, rows, found.unread, limit), changes_json(start, head, rows, found.unread))
    if any(item.lacks for item in found.standings):
        session.end(ExitCode.FOUND)
    session.end(ExitCode.UNKNOWN if found.unread else ExitCode.CLEAN)


def changes_approve(
    dataset: Annotated[
        str, typer.Argument(metavar="NAME", autocompletion=datasets, help="The dataset whose holdout changed.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why it is right; read by everyone who verifies.")],
    base: Base = None,
    commit: Annotated[bool, typer.Option("--commit", help="Commit the approval at once, and nothing else.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Approve exactly what HEAD does to a holdout; any further change of it needs another approval.

    Example: heldout changes approve support --reason "two wrong answers corrected" --commit
    """
    from heldout.reports.deciding.changes import change_lines, changes_json
    from heldout.services.deciding import changes as service

    session = Session(as_json=as_json, quiet=quiet)
    start = service.start_of(session.workspace, base)
    standing, path, made = service.approve(
        session.workspace, dataset, start, reason, session.note, commit=commit, progress=session.progress
    )
    session.progress.close()
    rows = [_row(standing)]
    end = f", committed as {made[:10]}" if made else f"; next: git add {path} and commit"
    data = changes_json(start, session.workspace.git.head(), rows, ())
    session.emit([*change_lines(start, rows, (), None), f"  written to {path}{end}"], {**data, "path": path})


def _row(item: ChangeStanding) -> Row:
    return (item.change, item.authors, item.approved_by, item.lacks)
