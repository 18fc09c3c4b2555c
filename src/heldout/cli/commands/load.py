"""`heldout load`: examples of a version, through the gate."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.services.load import Loaded


class Allowed(StrEnum):
    """Verdicts that somebody may put up with."""

    CONTAMINATED = "contaminated"
    UNKNOWN = "unknown"


def load(
    subject: Annotated[
        str,
        typer.Argument(metavar="SUBJECT", autocompletion=subjects, help="NAME@vX.Y.Z; others need --allow unknown."),
    ],
    split: Annotated[list[str] | None, typer.Option("--split", "-s", help="Only this split; may be repeated.")] = None,
    slice_text: Annotated[
        str | None, typer.Option("--slice", metavar="NAME[#N]", help="Only the examples of this slice.")
    ] = None,
    allow: Annotated[
        list[Allowed] | None,
        typer.Option("--allow", help="Load although the answer is this; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="Write a file, whole or not at all.")
    ] = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="Log that held-out examples go out, and what for.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the examples of a version as JSONL, keys filled in; missing data is fetched through DVC.

    A contaminated version is refused with exit 1, one of which nobody knows with exit 3, unless --allow says so.
    Every row is read before the first one is printed. With --json the examples go to a file and the object tells of it.

    With --note, or where heldout.yaml says exposure.record_exports, the log of exposures says what went out.

    Example: heldout load support@v1.2.0 --split test -o test.jsonl
    """
    from heldout.services.load import load as run

    if as_json and output is None:
        raise UsageError(
            "json-needs-output", "the examples themselves are JSONL; --json tells of a file", hint="add -o FILE"
        )
    session = Session(as_json=as_json, quiet=quiet)
    loaded = run(
        session.workspace,
        subject,
        splits=split or (),
        allow=allow or (),
        slice_text=slice_text,
        output=output,
        progress=session.progress,
    )
    if loaded.selection is not None:
        from heldout.reports.slicing.slices import selection_notes

        for text in selection_notes(str(loaded.chosen), loaded.selection.counted):
            session.note(text)
    if loaded.allowed is not None:
        from heldout.reports.load import allowed_line

        session.note(allowed_line(subject, loaded.answer.answer, loaded.allowed))
    _record(session, subject, loaded, note, to_file=output is not None)
    if output is None:
        for line in loaded.lines():
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    else:
        _write(session, loaded, output)
    session.progress.close()


def _record(session: Session, subject: str, loaded: Loaded, note: str | None, *, to_file: bool) -> None:
    """Before the first example is handed out, so that none leaves unrecorded."""
    from heldout.domain.exposing.exposure import How
    from heldout.services.exposing.exports import record_export

    members = ((example.split, str(example.key)) for example in loaded.examples())
    how = How.EXPORT if to_file else How.ACCESS
    path = record_export(session.workspace, subject, members, how, note, session.progress)
    if path is not None:
        session.note(f"logged in {path}: commit it")


def _write(session: Session, loaded: Loaded, output: Path) -> None:
    from heldout.reports.load import load_json, load_lines

    loaded.write(output)
    subject, answer = str(loaded.answer.subject), loaded.answer.answer
    session.emit(
        load_lines(subject, loaded.by_split, str(output)),
        load_json(subject, answer, loaded.allowed, loaded.by_split, str(output), loaded.chosen),
    )
