"""`heldout diff`: what changed between two states of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.reports.diff import Compared, DiffReport
    from heldout.services.compare import Comparison
    from heldout.services.reading import Reading
    from heldout.services.workspace import Located


def diff(
    first: Annotated[
        str, typer.Argument(metavar="A", autocompletion=subjects, help="NAME, NAME@vX.Y.Z or NAME@COMMIT.")
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", autocompletion=subjects, help="Another state of the same dataset.")
    ],
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="Examples listed of each kind.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what was added, removed, changed, moved and relabelled, by key and split.

    Examples are compared by their content, so row order, sharding and file format make no difference. Data that is
    not here is fetched through DVC. Always exits 0: a difference is no finding.

    Example: heldout diff support@v1.0.0 support
    """
    from heldout.reports.diff import diff_json, diff_lines
    from heldout.services.compare import compare

    session = Session(as_json=as_json, quiet=quiet)
    found = compare(session.workspace, first, second, session.progress)
    session.progress.close()
    report = _report(found, limit)
    session.emit(diff_lines(report), diff_json(report))


def _report(found: Comparison, limit: int | None) -> DiffReport:
    from heldout.reports.diff import DiffReport

    return DiffReport(
        dataset=found.first.state.name,
        before=_side(found.first, found.before),
        after=_side(found.second, found.after),
        diff=found.diff,
        holdout=tuple(sorted({*found.before.holdout_splits, *found.after.holdout_splits})),
        part=found.part,
        suggested=found.suggested,
        limit=limit,
    )


def _side(located: Located, reading: Reading) -> Compared:
    from heldout.reports.diff import Compared

    return Compared(str(located.subject), located.commit, reading.source, reading.content, len(reading.members))
