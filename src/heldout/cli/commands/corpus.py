"""`heldout corpus`: files that DVC does not track, scanned once against the holdouts of frozen versions."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.commands.check import BadRow
from heldout.cli.engine_options import Engine, EngineOption, MasterOption, SparkConfOption, spark_options
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError

HELP = "Scan training corpora, which need not be in Git or DVC, for held-out examples: scan, list, show."


def corpus_scan(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Files, folders, globs in quotes, or URLs (s3://, gs://, https://, hf://): jsonl, json, csv, tsv, "
            "txt, parquet; also .gz and .zst.",
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="VERSION", help="NAME@vX.Y.Z, repeatable; or all-holdouts for every frozen version."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the corpus is called; default: from the path.")
    ] = None,
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")] = None,
    records: Annotated[str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are.")] = None,
    format_: Annotated[
        str | None, typer.Option("--file-format", metavar="NAME", help="Instead of by the suffix.")
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of text files.")] = "utf-8",
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Column names, for files without a header line.")
    ] = None,
    on_bad_row: Annotated[BadRow, typer.Option(help="Skipped rows are counted and make the record incomplete.")] = (
        BadRow.REFUSE
    ),
    jobs: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes; default: one a processor where it is worth it.")
    ] = None,
    engine: EngineOption = Engine.LOCAL,
    master: MasterOption = None,
    spark_conf: SparkConfOption = None,
    record: Annotated[bool, typer.Option("--record/--no-record", help="Write the record, or only print.")] = True,
    commit: Annotated[bool, typer.Option("--commit", help="Commit the record, and nothing else.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for held-out examples in files of any size; a run that was ended goes on where it was.

    The record is written below corpora/, for you to commit, or committed with --commit. It names rows by file, line and
    digest, never by text. Exit 1 when a held-out example is given away, 3 when something could not be compared.

    Example: heldout corpus scan 'crawl/*.jsonl.zst' --against support@v1.2.0
    """
    from heldout.domain.corpora.corpus import CorpusReading
    from heldout.reports.corpus import scan_json, scan_lines
    from heldout.services.corpora import use as service

    if not against:
        message = "against which held-out examples? A frozen version, or all of them"
        raise UsageError("bad-value", message, hint="--against all-holdouts")
    if commit and not record:
        raise UsageError("bad-value", "--commit and --no-record exclude each other")
    session = Session(as_json=as_json, quiet=quiet)
    reading = CorpusReading(
        text_field=text_field,
        format=format_,
        records=records,
        columns=tuple(columns.split(",")) if columns else (),
        encoding=encoding,
        skip_bad_rows=on_bad_row is BadRow.SKIP,
    )
    request = service.CorpusRequest(
        tuple(files),
        tuple(against),
        reading,
        name=name,
        jobs=jobs,
        record=record,
        commit=commit,
        spark=spark_options(engine, master, spark_conf),
    )
    made = service.scan(session.workspace, request, session.progress)
    session.progress.close()
    session.emit(
        scan_lines(
            made.record,
            made.findings,
            made.left_out,
            resumed=made.resumed,
            reason=made.text_field_reason,
            recorded=made.recorded,
        ),
        scan_json(made.record, made.findings, made.left_out, resumed=made.resumed, recorded=made.recorded),
    )
    session.end(made.exit_code)


def corpus_list(as_json: Json = False, quiet: Quiet = False) -> None:
    """List the scans of corpora that this repository has records of.

    Example: heldout corpus list
    """
    from heldout.reports.corpus import list_json, list_lines
    from heldout.services.corpora import use as service

    session = Session(as_json=as_json, quiet=quiet)
    rows = [(item.record, item.committed, item.against) for item in service.list_corpora(session.workspace)]
    session.emit(list_lines(rows), list_json(rows))


def corpus_show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A corpus of `heldout corpus list`.")],
    limit: Annotated[
        int | None, typer.Option(min=0, help="Held-out examples to list a scan; default 10, with --json all.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show which held-out examples a corpus holds, and in which files and rows.

    Example: heldout corpus show crawl --limit 50
    """
    from heldout.reports.corpus import show_json, show_lines
    from heldout.services.corpora import use as service

    session = Session(as_json=as_json, quiet=quiet)
    found = service.show(session.workspace, name)
    rows = [((item.record, item.committed, item.against), findings) for item, findings in found]
    session.emit(show_lines(rows, 10 if limit is None else limit), show_json(rows, limit))
