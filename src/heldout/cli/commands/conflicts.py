"""`heldout conflicts`: the same input with different expected outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.forms import FormOption, deliver, from_top, session_for
from heldout.cli.memory import Memory
from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.reports.adapters.conflicts import Locate


def conflicts(
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="SUBJECT|FILE...", autocompletion=subjects, help="NAME, NAME@vX.Y.Z, or files of any format."
        ),
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
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List examples with the same or nearly the same input and different expected outputs.

    Inside each split and across them, with the pairs of labels counted. Exits 0: it is for people to look at, and no
    verdict rests on it.

    Example: heldout conflicts train.csv test.csv --expected category
    """
    from heldout.reports.adapters.conflicts import conflicts_report
    from heldout.reports.adapters.places import parsed_place
    from heldout.reports.splitting.conflicts import conflicts_json, conflicts_lines
    from heldout.services.checking.files import CheckRequest
    from heldout.services.matching.memory_limit import asked_limit
    from heldout.services.splitting.conflicts import conflicts_in_dataset, conflicts_in_files

    session = session_for(form, as_json=as_json, quiet=quiet)
    limited = None if memory is None else asked_limit(memory)
    if len(subjects) == 1 and expected is None and not Path(subjects[0]).exists():
        session.workspace.memory = None if limited is None else limited.size
        found = conflicts_in_dataset(session.workspace, subjects[0], session.progress)
        locate = _in_dataset(session, subjects[0])
    else:
        request = CheckRequest(
            tuple(subjects), text_field=text_field, expected=expected, records=records, encoding=encoding
        )
        found = conflicts_in_files(request, progress=session.progress, memory=limited)
        rebased = from_top()
        locate = lambda side: parsed_place(side.place, rebased)  # noqa: E731
    session.progress.close()
    deliver(
        session,
        lines=lambda: conflicts_lines(found, limit),
        data=lambda: {"format": "heldout/conflicts@1", **conflicts_json(found, limit)},
        report=lambda: conflicts_report(found, " ".join(subjects), limit, locate),
    )


def _in_dataset(session: Session, subject: str) -> Locate:
    """Examples of a dataset stand where its data does."""
    from heldout.domain.names import Subject
    from heldout.services.locating import Places

    places, name = Places(session.workspace), Subject.parse(subject).dataset
    return lambda side: places.data(name, side.side.split)
