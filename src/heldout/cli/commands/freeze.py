"""`heldout freeze`: scan, commit the record, tag."""

from __future__ import annotations

from typing import Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.memory import Memory, asked_bytes
from heldout.cli.session import Json, Quiet, Session, code_of
from heldout.errors import UsageError


def freeze(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=datasets, help="The dataset.")],
    number: Annotated[str | None, typer.Option("--number", help="vX.Y.Z instead of the proposed one.")] = None,
    major: Annotated[bool, typer.Option("--major", help="Next MAJOR number.")] = False,
    minor: Annotated[bool, typer.Option("--minor", help="Next MINOR number.")] = False,
    patch: Annotated[bool, typer.Option("--patch", help="Next PATCH number.")] = False,
    message: Annotated[str | None, typer.Option("--message", "-m", help="The tag's message.")] = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Freeze the committed state of a dataset as its next version.

    The number is proposed from what changed: MAJOR when a holdout example changed or left, MINOR when examples were
    added or changed, PATCH for the rest. Exit 1 when the frozen version is contaminated (it will not be pushed), 3
    when it is not covered yet.

    Example: heldout freeze support
    """
    from heldout.domain.names import VersionNumber
    from heldout.reports.freeze import freeze_json, freeze_lines
    from heldout.services.freeze import Part
    from heldout.services.freeze import freeze as run

    wanted: dict[Part, bool] = {"major": major, "minor": minor, "patch": patch}
    chosen = [part for part, flag in wanted.items() if flag]
    parsed = VersionNumber.parse(number) if number else None
    if len(chosen) + bool(number) > 1 or (number and parsed is None):
        raise UsageError("freeze-number", "give one of --number vX.Y.Z, --major, --minor and --patch")
    session = Session(as_json=as_json, quiet=quiet)
    session.workspace.memory = asked_bytes(memory)
    done = run(
        session.workspace,
        name,
        session.progress,
        number=parsed,
        part=chosen[0] if chosen else None,
        message=message,
    )
    session.progress.close()
    parts = (done.version, done.reason, done.scan, done.answer)
    session.emit(freeze_lines(*parts), freeze_json(*parts))
    session.end(code_of(done.answer))
