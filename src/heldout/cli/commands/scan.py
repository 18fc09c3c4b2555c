"""`heldout scan`: compare datasets on demand (B43)."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.engine_options import Engine, EngineOption, MasterOption, SparkConfOption, spark_options
from heldout.cli.forms import FormOption, deliver, session_for
from heldout.cli.memory import Memory, asked_bytes
from heldout.cli.session import Json, Quiet
from heldout.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from heldout.services.progress import Progress
    from heldout.services.scan import ScanReport
    from heldout.services.scanning import Matcher
    from heldout.services.spark.session import SparkOptions


def scan(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]", autocompletion=subjects, help="NAME (working copy), NAME@vX.Y.Z or NAME@COMMIT."
        ),
    ] = None,
    all_versions: Annotated[
        bool, typer.Option("--all", help="Scan whatever keeps a version from being covered.")
    ] = False,
    commit: Annotated[bool, typer.Option("--commit", help="Commit the records, and nothing else.")] = False,
    memory: Memory = None,
    engine: EngineOption = Engine.LOCAL,
    master: MasterOption = None,
    spark_conf: SparkConfOption = None,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for leakage; what is missing here is fetched through DVC.

    A working copy is scanned for advice only: nothing is recorded. Records of committed states are written below
    datasets/, for you to commit, or committed with --commit. Exit 1 when a holdout is contaminated, 3 when something
    could not be compared.

    Example: heldout scan --all --commit
    """
    from heldout.reports.adapters.scan import scan_report
    from heldout.reports.scan import sweep_json, sweep_lines
    from heldout.services import scan as service
    from heldout.services.locating import Places

    if (subject is None) == (not all_versions):
        raise UsageError("scan-what", "name one subject, or give --all", hint="heldout scan --all")
    session = session_for(form, as_json=as_json, quiet=quiet)
    session.workspace.memory = asked_bytes(memory)
    with _matcher(spark_options(engine, master, spark_conf), session.progress) as matcher:
        session.workspace.matcher = matcher
        if subject is None:
            report = service.scan_all(session.workspace, session.progress, commit=commit)
        else:
            report = service.scan_subject(session.workspace, subject, session.progress, commit=commit)
    session.progress.close()
    parts = (report.scans, report.failed, report.recorded, report.advisory)
    deliver(
        session,
        lines=lambda: sweep_lines(*parts),
        data=lambda: sweep_json(*parts),
        report=lambda: scan_report(*parts, Places(session.workspace).data),
    )
    session.end(_code(report))


def _matcher(spark: SparkOptions | None, progress: Progress) -> AbstractContextManager[Matcher | None]:
    if spark is None:
        return nullcontext()
    from heldout.services.spark.scan import SparkMatcher

    return closing(SparkMatcher(spark, progress))


def _code(report: ScanReport) -> ExitCode:
    if any(scan.record.contaminations for scan in report.scans):
        return ExitCode.FOUND
    if report.failed or any(scan.left_out or scan.record.incomplete for scan in report.scans):
        return ExitCode.UNKNOWN
    return ExitCode.CLEAN
