"""`heldout signatures`: what may be known of a sealed holdout where its texts may not be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.commands.check import BadRow
from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode, HeldoutError

if TYPE_CHECKING:
    from heldout.services.workspace import Workspace

HELP = "Sealed holdouts: publish signatures of texts that others may not read, and check training data against them."

SecretFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Digests are keyed (HMAC) by the secret in this file; keep it out of Git."),
]


def signatures_export(
    subject: Annotated[
        str,
        typer.Argument(metavar="NAME[@VERSION]", autocompletion=subjects, help="A dataset, or a frozen version of it."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write there; default: in its folder, tracked by DVC."),
    ] = None,
    all_splits: Annotated[bool, typer.Option("--all-splits", help="Not only what is held out.")] = False,
    digests_only: Annotated[
        bool, typer.Option("--digests-only", help="No signatures: only exact copies can be told.")
    ] = False,
    secret_file: SecretFile = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="Log that these go out, and what for.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Publish digests and signatures of held-out examples, without any text.

    The same content gives the same file. What it gives away is in docs/sealed.md.

    Example: heldout signatures export support@v1.2.0
    """
    from heldout.reports.signatures import export_json, export_lines
    from heldout.services.sealing import export as service

    session = Session(as_json=as_json, quiet=quiet)
    secret = None if secret_file is None else service.read_secret(secret_file, session.workspace)
    request = service.ExportRequest(subject, output, all_splits, digests_only, secret, note)
    made = service.export(session.workspace, request, session.progress)
    session.progress.close()
    session.emit(
        export_lines(
            made.subject, made.path, made.info, made.size,
            tracked=made.tracked, declared=made.declared, changed=made.changed,
        ),
        export_json(
            made.subject, made.path, made.info, made.size,
            tracked=made.tracked, declared=made.declared, changed=made.changed,
        ),
    )  # fmt: skip
    session.end(ExitCode.CLEAN)


def signatures_check(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME[@VERSION]|FILE...", autocompletion=subjects, help="A dataset, or files of any origin."
        ),
    ],
    against: Annotated[
        str, typer.Option(metavar="SEALED", help="NAME, NAME@VERSION, or a file of signatures (.parquet).")
    ],
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")] = None,
    records: Annotated[str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are.")] = None,
    format_: Annotated[
        str | None, typer.Option("--file-format", metavar="NAME", help="Instead of by the suffix.")
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of text files.")] = "utf-8",
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Column names, for files without a header line.")
    ] = None,
    on_bad_row: Annotated[BadRow, typer.Option(help="Skipped rows leave the answer unknown.")] = BadRow.REFUSE,
    secret_file: SecretFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Matches to print.")] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare training data with a sealed holdout: exact by digest, near as an estimate with its interval.

    Where the sealed texts can be read here, near copies are verified instead. Exit 1 for a copy that is certain, 3
    where only estimates speak (0 where heldout.yaml accepts them and none reaches the threshold).

    Example: heldout signatures check train.jsonl --against support@v1.2.0
    """
    from heldout.reports.signatures import check_json, check_lines
    from heldout.services.checking.files import CheckRequest
    from heldout.services.sealing import check as service
    from heldout.services.sealing.export import read_secret

    session = Session(as_json=as_json, quiet=quiet)
    named = len(what) == 1 and not Path(what[0]).exists() and "." not in what[0].partition("@")[0]
    files = CheckRequest(
        files=tuple(what),
        text_field=text_field,
        records=records,
        format=format_,
        encoding=encoding,
        columns=tuple(columns.split(",")) if columns else (),
        skip_bad_rows=on_bad_row is BadRow.SKIP,
    )
    needed = named or not service.is_file(against)
    workspace = session.workspace if needed else _around(session)
    secret = None if secret_file is None else read_secret(secret_file, workspace)
    request = service.SealedRequest(against, what[0], None if named else files, secret)
    checked = service.check(workspace, request, session.progress)
    session.progress.close()
    session.emit(check_lines(checked, limit), check_json(checked, limit))
    session.end(checked.exit_code)


def _around(session: Session) -> Workspace | None:
    """The project around the current folder, where there is one: its policy counts."""
    try:
        return session.workspace
    except HeldoutError:
        return None
