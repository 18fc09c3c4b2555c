"""`heldout add`: bring files under Heldout, or update them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.add_hints import by_flag
from heldout.cli.completion.names import datasets
from heldout.cli.session import Json, Quiet, Session, is_interactive
from heldout.domain.controls import escaped, escaped_line
from heldout.errors import ConfigError, DataError, ExitCode, UsageError

if TYPE_CHECKING:
    from heldout.domain.dataset import DataFile
    from heldout.services.add import Plan, Request
    from heldout.services.proposing import Asked


def add(
    name: Annotated[
        str, typer.Argument(metavar="NAME", autocompletion=datasets, help="The dataset; its folder is datasets/NAME.")
    ],
    files: Annotated[list[str], typer.Argument(metavar="FILE[=SPLIT]...", help="Data files or folders of shards.")],
    holdout: Annotated[list[str] | None, typer.Option(metavar="SPLIT", help="A split that is held out.")] = None,
    input_: Annotated[str | None, typer.Option("--input", metavar="PATH", help="The column or path compared.")] = None,
    expected: Annotated[str | None, typer.Option(metavar="PATH", help="The label or answer.")] = None,
    key: Annotated[str | None, typer.Option(metavar="PATH", help="A unique id; derived when left out.")] = None,
    split_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column that names the split.")] = None,
    metadata: Annotated[list[str] | None, typer.Option(metavar="[KEY=]PATH", help="A metadata column.")] = None,
    records: Annotated[str | None, typer.Option(metavar="PATH", help="The rows' place in a JSON file.")] = None,
    format_: Annotated[str | None, typer.Option("--file-format", metavar="F", help="Instead of by the suffix.")] = None,
    encoding: Annotated[str | None, typer.Option(metavar="E", help="When it is not UTF-8.")] = None,
    columns: Annotated[str | None, typer.Option(metavar="A,B,C", help="Columns of a file without a header.")] = None,
    on_bad_row: Annotated[str | None, typer.Option(metavar="refuse|skip", help="Default: refuse.")] = None,
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="For people.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the proposal without asking.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Import data files, track them with DVC and write their dataset.yaml. Run it again to update them.

    Every row is read before anything is written. Your own files are copied, never moved. Which split is held out is
    never guessed.

    Example: heldout add support train.csv test.csv --holdout test
    """
    from heldout.reports.add import add_json, add_lines
    from heldout.services.add import Request, carry_out
    from heldout.services.checking.given_files import split_argument

    session = Session(as_json=as_json, quiet=quiet)
    request = Request(
        name=name,
        files=tuple(map(split_argument, files)),
        reading=_reading(records, format_, encoding, columns),
        asked=_asked(input_, expected, key, split_field, metadata or []),
        holdout=tuple(holdout or ()),
        on_bad_row=_one_of(on_bad_row, ("refuse", "skip"), "--on-bad-row"),
        description=description,
    )
    asks = is_interactive() and not (yes or as_json)
    made = _planned(session, request, asks=asks)
    if asks and not _agreed(made):
        session.note("nothing was written")
        session.end(ExitCode.NO_VERDICT)
    source = carry_out(session.workspace, made, session.progress)
    session.progress.close()
    session.emit(add_lines(made.intake), add_json(made.intake, source))


def _planned(session: Session, request: Request, *, asks: bool) -> Plan:
    from heldout.services.add import plan

    try:
        return plan(session.workspace, request, Person() if asks else Nobody(), session.progress)
    except (DataError, ConfigError) as error:
        if not session.workspace.working_copy.has(request.name):
            error.hint = by_flag(error)
        raise
    finally:
        session.progress.close()


def _agreed(made: Plan) -> bool:
    from heldout.reports.add import proposal_lines

    for line in proposal_lines(made.intake):
        typer.echo(escaped_line(line))
    return typer.confirm("Track these files like this?", default=True)


class Nobody:
    """Nothing is decided that was not asked for."""

    def input_column(self, reasons: Sequence[str], columns: Sequence[str]) -> str | None:  # noqa: ARG002
        return None

    def holdout(self, by_split: Mapping[str, int]) -> tuple[str, ...]:  # noqa: ARG002
        return ()


class Person:
    """Someone at the terminal, asked only what the data cannot tell."""

    def input_column(self, reasons: Sequence[str], columns: Sequence[str]) -> str | None:
        if not columns:
            return None
        for reason in reasons:
            typer.echo(f"  {reason}")
        return _choose(f"Which column is the input ({', '.join(columns)})?", columns)

    def holdout(self, by_split: Mapping[str, int]) -> tuple[str, ...]:
        typer.echo("Splits: " + ", ".join(f"{escaped(split)} ({count:,})" for split, count in by_split.items()))
        answer = typer.prompt(
            "Which are held out? Names with commas between, or nothing", default="", show_default=False
        )
        return tuple(part.strip() for part in answer.split(",") if part.strip())


def _choose(question: str, options: Sequence[str]) -> str:
    while True:
        answer: str = typer.prompt(question).strip()
        if answer in options:
            return answer
        typer.echo(f"{answer!r} is none of them")


def _reading(records: str | None, format_: str | None, encoding: str | None, columns: str | None) -> DataFile:
    import codecs

    from heldout.domain.dataset import DataFile
    from heldout.storage.readers import FORMATS

    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise UsageError("unknown-encoding", f"{encoding!r} names no encoding", hint="--encoding latin-1") from None
    names = tuple(part.strip() for part in columns.split(",")) if columns else ()
    return DataFile(
        "",
        format=_one_of(format_, FORMATS, "--file-format"),
        encoding=encoding or "utf-8",
        header=not names,
        columns=names,
        records=_path(records, "--records"),
    )


def _asked(
    input_: str | None, expected: str | None, key: str | None, split: str | None, metadata: Sequence[str]
) -> Asked:
    from heldout.domain.paths import parse_path
    from heldout.services.proposing import Asked

    if key is not None and key == input_:
        raise UsageError("key-is-input", "the key is the input itself, and text does not become a key", hint="no --key")
    named = {}
    for text in metadata:
        label, equals, path = text.partition("=")
        checked = _path(path if equals else label, "--metadata")
        named[label if equals else parse_path(str(checked))[-1]] = str(checked)
    return Asked(
        _path(input_, "--input"),
        _path(expected, "--expected"),
        _path(key, "--key"),
        _path(split, "--split-field"),
        named,
    )


def _path(text: str | None, flag: str) -> str | None:
    from heldout.domain.paths import parse_path

    if text is not None:
        try:
            parse_path(text)
        except ValueError as error:
            raise UsageError("bad-path", f"{flag} {text!r} is no field path: {error}") from None
    return text


def _one_of(value: str | None, options: Sequence[str], flag: str) -> str | None:
    if value is not None and value not in options:
        raise UsageError("bad-value", f"{flag} {value!r} is not known", hint=f"{flag} {'|'.join(options)}")
    return value
