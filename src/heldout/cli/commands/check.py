"""`heldout check`: any files, no repository; the first thing a newcomer runs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from heldout.cli.engine_options import Engine, EngineOption, MasterOption, SparkConfOption, spark_options
from heldout.cli.forms import FormOption, deliver, from_top, session_for
from heldout.cli.memory import Memory
from heldout.cli.session import Json, Quiet
from heldout.errors import UsageError


class BadRow(StrEnum):
    """What to do with a row that cannot be read exactly."""

    REFUSE = "refuse"
    SKIP = "skip"


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="csv, tsv, json, jsonl, parquet, txt; also .gz.")
    ],
    holdout: Annotated[list[str] | None, typer.Option(metavar="SPLIT", help="A split that is held out.")] = None,
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")] = None,
    split_field: Annotated[
        str | None, typer.Option(metavar="PATH", help="The column that names a row's split.")
    ] = None,
    expected: Annotated[str | None, typer.Option(metavar="PATH", help="The column of the label or answer.")] = None,
    key: Annotated[
        str | None, typer.Option(metavar="PATH", help="An id shared by files: also finds moved rows.")
    ] = None,
    records: Annotated[
        str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are; '{split}' stands for split names.")
    ] = None,
    file_format: Annotated[
        str | None, typer.Option("--file-format", metavar="NAME", help="Instead of by the suffix.")
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of text files.")] = "utf-8",
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Column names, for files without a header line.")
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(metavar="FILE=SPLIT", help="A file's split, where its name is not it.")
    ] = None,
    on_bad_row: Annotated[BadRow, typer.Option(help="Skipped rows are counted; exit 3 if all else is clean.")] = (
        BadRow.REFUSE
    ),
    memory: Memory = None,
    engine: EngineOption = Engine.LOCAL,
    master: MasterOption = None,
    spark_conf: SparkConfOption = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Findings to list; default 10, with --json all.")] = None,
    show_text: Annotated[
        bool, typer.Option("--show-text", "--with-text", help="Show both texts of each finding listed.")
    ] = False,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare files with each other: exact, near and contained texts, across splits and inside each.

    Each file is a split called like the file (train.csv is train), unless its rows say which split they are in.
    Exit 1 when a finding blocks: exact, near or moved across splits.

    Example: heldout check train.csv test.csv --holdout test
    """
    from heldout.reports.adapters.check import check_report
    from heldout.reports.check import check_json, check_lines
    from heldout.services.checking import check as service
    from heldout.services.checking.files import CheckRequest
    from heldout.services.matching.memory_limit import asked_limit

    session = session_for(form, as_json=as_json, quiet=quiet)
    request = CheckRequest(
        files=tuple(files),
        holdout=tuple(holdout or ()),
        text_field=text_field,
        split_field=split_field,
        expected=expected,
        key=key,
        records=records,
        format=file_format,
        encoding=encoding,
        columns=tuple(columns.split(",")) if columns else (),
        splits=dict(named_split(text) for text in split or ()),
        skip_bad_rows=on_bad_row is BadRow.SKIP,
    )
    checked = service.check(
        request,
        progress=session.progress,
        memory=None if memory is None else asked_limit(memory),
        spark=spark_options(engine, master, spark_conf),
    )
    session.progress.close()
    deliver(
        session,
        lines=lambda: check_lines(checked, limit=limit, show_text=show_text),
        data=lambda: check_json(checked, limit=limit, show_text=show_text),
        report=lambda: check_report(checked, limit, from_top(), with_text=show_text),
    )
    session.end(service.exit_code(checked))


def named_split(text: str) -> tuple[str, str]:
    file, equals, name = text.rpartition("=")
    if not (file and equals and name.strip()):
        raise UsageError("bad-split-option", f"--split {text}: expected FILE=SPLIT", hint="--split data/a.csv=train")
    return file, name
