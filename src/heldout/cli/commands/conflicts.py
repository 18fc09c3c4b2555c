"""`heldout conflicts`: the same input with different expected outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.memory import Memory
from heldout.cli.session import Json, Quiet, Session


def conflicts(
    subjects: Annotated[
        list[str], typer.Argument(metavar="SUBJECT|FILE...", help="NAME, NAME@vX.Y.Z, or files of any format.")
    ],
    expected: Annotated[
        str | None, typer.Option(metavar="PATH", help="Of files: the column of the label or answer.")
    ] = None,
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="Of files: the column of the text.")] = None,
    records: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are; '{split}' stands for split names.")
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of text files.")] = "utf-8",
    limit: Annotated[int | None, typer.Option(min=0, help="Conflicts to list; default 10, with --json all.")] = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List examples with the same or nearly the same input and different expected outputs.

    Inside each split and across them, with the pairs of labels counted. Exits 0: it is for people to look at, and no
    verdict rests on it.

    Example: heldout conflicts train.csv test.csv --expected category
    """
    from heldout.reports.splitting.conflicts import conflicts_json, conflicts_lines
    from heldout.services.checking.files import CheckRequest
    from heldout.services.matching.memory_limit import asked_limit
    from heldout.services.splitting.conflicts import conflicts_in_dataset, conflicts_in_files

    session = Session(as_json=as_json, quiet=quiet)
    limited = None if memory is None else asked_limit(memory)
    if len(subjects) == 1 and expected is None and not Path(subjects[0]).exists():
        session.workspace.memory = None if limited is None else limited.size
        found = conflicts_in_dataset(session.workspace, subjects[0], session.progress)
    else:
        request = CheckRequest(
            tuple(subjects), text_field=text_field, expected=expected, records=records, encoding=encoding
        )
        found = conflicts_in_files(request, progress=session.progress, memory=limited)
    session.progress.close()
    session.emit(conflicts_lines(found, limit), {"format": "heldout/conflicts@1", **conflicts_json(found, limit)})
