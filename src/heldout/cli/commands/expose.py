"""`heldout expose` and `heldout exposures`: who showed which held-out examples to what."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.completion.names import datasets, slice_names, subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.domain.exposing.exposure import How
from heldout.errors import ExitCode, UsageError

HELP = "List the log of exposures, look for exposed examples in versions, or chain a merged log: exposures [SUBJECT]."


def expose(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT",
            autocompletion=subjects,
            help="NAME, NAME@vX.Y.Z or NAME@COMMIT: where the examples are read.",
        ),
    ],
    how: Annotated[How, typer.Option("--how", help="What they were used for.")],
    note: Annotated[str, typer.Option("--note", help="Where they went; read by everyone who asks.")],
    keys: Annotated[
        str | None, typer.Option("--keys", metavar="K,...", help="Keys, or SPLIT/KEY; default: the whole holdout.")
    ] = None,
    keys_from: Annotated[
        Path | None, typer.Option("--keys-from", metavar="FILE", help="A file with one key a line.")
    ] = None,
    slice_name: Annotated[
        str | None, typer.Option("--slice", metavar="NAME", autocompletion=slice_names, help="The examples of a slice.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="PERSON", help="Who did it; default: whom Git knows here.")
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="DAY", help="When: 2027-01-31; default: today (UTC).")
    ] = None,
    commit: Annotated[bool, typer.Option("--commit", help="Commit the log at once, and nothing else.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Log that held-out examples were shown to something: they no longer count as unseen.

    Appends one line to datasets/NAME/exposures.jsonl, with digests and no text. heldout.yaml says which kinds make a
    version contaminated (exposure.contaminates; by default those that a model or a prompt learns from).

    Example: heldout expose support@v1.0.0 --keys 17,42 --how prompt --note "few-shot examples of agent 3"
    """
    from heldout.reports.exposures import logged_json, logged_lines
    from heldout.services.exposing import exposures as service

    session = Session(as_json=as_json, quiet=quiet)
    if sum(option is not None for option in (keys, keys_from, slice_name)) > 1:
        raise UsageError("contradicting-options", "--keys, --keys-from and --slice exclude each other", hint="give one")
    wish = service.Request(subject, how, note, _keys(keys, keys_from), slice_name, by, _day(on), commit)
    done = service.expose(session.workspace, wish, session.note, session.progress)
    session.progress.close()
    parts = (done.dataset, done.line, done.path, done.unchecked, done.commit)
    session.emit(logged_lines(*parts), logged_json(*parts))


def exposures_list(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]", autocompletion=subjects, help="NAME, NAME@vX.Y.Z or NAME@COMMIT; default: all."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List what was exposed, when, how and by whom; of a subject, what it still holds out of that.

    Example: heldout exposures support@v1.0.0
    """
    from heldout.reports.exposures import Listed, exposures_json, exposures_lines
    from heldout.services.exposing.exposures import list_exposures

    session = Session(as_json=as_json, quiet=quiet)
    found = list_exposures(session.workspace, subject)
    spoiling = session.workspace.settings.exposure_contaminates
    rows = [Listed(item.dataset, item.lines, item.uncommitted, item.held, item.problem) for item in found]
    session.emit(exposures_lines(subject, rows, spoiling), exposures_json(subject, rows, spoiling))
    if any(item.problem for item in found):
        session.end(ExitCode.UNKNOWN)


def exposures_check(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", autocompletion=datasets, help="Default: all datasets.")
    ] = None,
    commit: Annotated[bool, typer.Option("--commit", help="Commit what was found at once.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look in every version, and in HEAD, for the examples that logs name. Needs data, so that gates need none.

    Example: heldout exposures check support --commit
    """
    from heldout.reports.exposures import checked_json, checked_lines
    from heldout.services.exposing.check import check

    session = Session(as_json=as_json, quiet=quiet)
    done = check(session.workspace, datasets or (), session.note, session.progress, commit=commit)
    session.progress.close()
    parts = (done.checks, done.unchecked, done.commit)
    session.emit(checked_lines(*parts), checked_json(*parts))
    session.end(ExitCode.UNKNOWN if done.unchecked else ExitCode.CLEAN)


def exposures_repair(
    dataset: Annotated[str, typer.Argument(metavar="NAME", autocompletion=datasets, help="A dataset.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """After a merge or rebase in which both sides appended: keep HEAD's lines, chain the others behind them.

    The file may be as Git left it, or as somebody resolved it; every line of both sides has to be in it.

    Example: heldout exposures repair support
    """
    from heldout.services.exposing.exposures import repair

    session = Session(as_json=as_json, quiet=quiet)
    lines, moved, path = repair(session.workspace, dataset, session.progress)
    session.progress.close()
    session.emit(
        [f"{path}: {lines} lines, {moved} of them chained anew", f"  next: git add {path.rpartition('/')[0]}"],
        {"format": "heldout/exposures-repair@1", "path": path, "lines": lines, "chained_anew": moved},
    )


def _keys(keys: str | None, file: Path | None) -> tuple[str, ...]:
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("unreadable-keys", f"{file}: {error}", hint="a file with one key a line") from None
        found = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
        if not found:
            raise UsageError("unreadable-keys", f"{file} has no keys", hint="one key a line")
        return found
    return tuple(dict.fromkeys(key for item in (keys or "").split(",") if (key := item.strip())))


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError("bad-day", f"--on {text}: expected a day", hint="--on 2027-01-31") from None
