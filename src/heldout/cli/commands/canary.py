"""`heldout canary`: a string that shows whether a corpus has a benchmark in it."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode

HELP = "Make a dataset's canary string, or look for canaries in files: canary new NAME, canary scan FILE..."


def canary_new(
    dataset: Annotated[
        str, typer.Argument(metavar="NAME", autocompletion=datasets, help="A dataset of the working copy.")
    ],
    commit: Annotated[bool, typer.Option("--commit", help="Commit it at once, and nothing else.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a canary, record it in datasets/NAME/canary.yaml, and say how to put it into files and pages.

    It is a version 4 UUID of the system's randomness; a dataset keeps its first one for good.

    Example: heldout canary new support --commit
    """
    from heldout.reports.canary import made_json, made_lines
    from heldout.services.exposing.canary import make

    session = Session(as_json=as_json, quiet=quiet)
    made = make(session.workspace, dataset, session.note, commit=commit)
    parts = (made.canary, made.path, made.commit)
    session.emit(made_lines(*parts), made_json(*parts))


def canary_scan(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, folders, globs or URLs.")],
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="NAME|all", help="Whose canaries; default: all here.")
    ] = None,
    strings: Annotated[
        list[str] | None, typer.Option("--string", metavar="TEXT", help="A canary that others published; repeatable.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search files, also packed by gzip or Zstandard, and the texts of Parquet files; archives are named, not opened.

    Exits 1 when a canary was found, 3 when a file could not be searched. With --string alone no repository is needed.

    Example: heldout canary scan corpus/*.jsonl.zst --against support
    """
    from heldout.reports.canary import searched_json, searched_lines
    from heldout.services.exposing.canary import canaries_of, given, scan

    session = Session(as_json=as_json, quiet=quiet)
    wanted = tuple(given(strings or ()))
    if against or not wanted:
        names = [] if not against or "all" in against else against
        wanted += canaries_of(session.workspace, names)
    found = scan(files, wanted)
    session.emit(searched_lines(found, len(wanted)), searched_json(found, wanted))
    if found.counts:
        session.end(ExitCode.FOUND)
    session.end(ExitCode.UNKNOWN if found.left_out else ExitCode.CLEAN)
