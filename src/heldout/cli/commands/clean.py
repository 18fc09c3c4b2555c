"""`heldout clean`: files again, without the side that gives a holdout away."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.commands.split_make import Columns, Encoding, Key, Output, Records, TextField, Written
from heldout.cli.completion.names import datasets
from heldout.cli.memory import Memory
from heldout.cli.session import Json, Quiet, Session


class Side(StrEnum):
    """The side that rows leave: everything that is not held out, or the holdout."""

    TRAIN = "train"
    HOLDOUT = "holdout"


def clean(
    files: Annotated[
        list[str],
        typer.Argument(metavar="NAME|FILE...", autocompletion=datasets, help="A dataset's working copy, or files."),
    ],
    output: Output,
    holdout: Annotated[
        list[str] | None,
        typer.Option(metavar="SPLIT", help="A split that is held out; default: what dataset.yaml says."),
    ] = None,
    drop: Annotated[
        Side, typer.Option("--drop", "--from", help="Which side rows leave; train is all that is not held out.")
    ] = Side.TRAIN,
    group: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="Rows equal in it to one that stays leave, too.")
    ] = None,
    containment: Annotated[
        bool, typer.Option("--containment", help="Texts that hold one that stays, or stand in one, leave, too.")
    ] = False,
    text_field: TextField = None,
    format_: Annotated[Written, typer.Option("--format", help="same copies rows byte by byte.")] = Written.SAME,
    split_field: Annotated[
        str | None, typer.Option(metavar="PATH", help="The column that names a row's split.")
    ] = None,
    key: Key = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="FILE=SPLIT", help="A file's split, where its name is not it.")
    ] = None,
    records: Records = None,
    encoding: Encoding = "utf-8",
    columns: Columns = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write files again without the rows that give held-out examples away, and list what left and why.

    The training copy leaves: a holdout is changed only with --drop holdout. Rows that stay are copied as they are,
    removed.jsonl names the others without their texts. Exit 0 when a check of the written files finds nothing.

    Example: heldout clean train.csv test.csv --holdout test -o cleaned
    """
    from heldout.cli.commands.check import named_split
    from heldout.domain.names import name_problem
    from heldout.errors import ExitCode
    from heldout.reports.splitting.clean import clean_json, clean_lines
    from heldout.services.checking.files import CheckRequest
    from heldout.services.matching.memory_limit import asked_limit
    from heldout.services.splitting.clean import CleanRequest
    from heldout.services.splitting.clean import clean as cleaned_files

    session = Session(as_json=as_json, quiet=quiet)
    asked = CheckRequest(
        tuple(files),
        holdout=tuple(dict.fromkeys(holdout or ())),
        text_field=text_field,
        split_field=split_field,
        key=key,
        records=records,
        encoding=encoding,
        columns=tuple(columns.split(",")) if columns else (),
        splits=dict(named_split(text) for text in split or ()),
    )
    request = CleanRequest(asked, output, drop is Side.HOLDOUT, tuple(group or ()), containment, format_.value)
    if len(files) == 1 and not Path(files[0]).exists() and name_problem(files[0]) is None:
        from heldout.services.splitting.clean_dataset import planned_files

        asked, planned = planned_files(session.workspace, files[0], asked.holdout)
        request = replace(request, files=asked, planned=tuple(planned))
    cleaned = cleaned_files(request, progress=session.progress, memory=None if memory is None else asked_limit(memory))
    session.progress.close()
    session.emit(clean_lines(cleaned), clean_json(cleaned))
    session.end(ExitCode.FOUND if cleaned.remaining else ExitCode.CLEAN)
