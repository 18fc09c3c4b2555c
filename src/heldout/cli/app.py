"""The application: commands by name, and the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from heldout import __version__
from heldout.cli.commands import COMMANDS, GROUPS
from heldout.cli.completion.scripts import Shell, install_script, show_script, with_own_shell
from heldout.cli.groups import ListByDefault
from heldout.domain.controls import escaped_line
from heldout.errors import ExitCode, HeldoutError, RepositoryError

if TYPE_CHECKING:
    import click

# Newer releases of Typer raise exceptions of a copy of click inside it, older ones those of click itself.
_USAGE: type[click.ClickException] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

_NOT_OURS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM})
"""What the system refuses is no defect of ours."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"heldout {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    _wanted: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    _show: Annotated[
        Shell | None,
        typer.Option("--show-completion", callback=show_script, is_eager=True, help="Print a shell's completion."),
    ] = None,
    _install: Annotated[
        Shell | None,
        typer.Option("--install-completion", callback=install_script, is_eager=True, help="Put it into its place."),
    ] = None,
) -> None:
    if context.invoked_subcommand is None:
        from heldout.cli.commands.status import alone

        alone()


def application(only: str | None = None) -> typer.Typer:
    """All commands, or one by name ("": none): each costs 4 ms of imports and Typer, and a gate asks for one."""
    made = typer.Typer(
        name="heldout",
        help="Keep held-out data held out: versions, leakage scans and gates for datasets in Git and DVC.",
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=False,  # scripts of our own, with the same two options
    )
    made.callback()(_root)
    for name in COMMANDS:
        if only in (None, name):
            made.command(name)(COMMANDS[name])
    for name in GROUPS:
        if only in (None, name):
            text, functions = GROUPS[name]
            lists = "list" in functions
            group = typer.Typer(cls=ListByDefault, help=text, no_args_is_help=not lists, rich_markup_mode=None)
            for inner, function in functions.items():
                group.command(inner)(function)
            made.add_typer(group, name=name)
    return made


def run(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code (docs/exit-codes.md)."""
    _let_every_character_out()
    sys.exit(int(invoke(sys.argv[1:] if arguments is None else list(arguments))))


def _let_every_character_out() -> None:
    """Names of files, and texts, may hold what the output's encoding cannot: such characters go out escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def named_in(arguments: Sequence[str]) -> str | None:
    """The command a line is about: "" for none, which is where things stand; None where all have to be there."""
    if not arguments:
        return ""
    return arguments[0] if arguments[0] in COMMANDS or arguments[0] in GROUPS else None


def invoke(arguments: Sequence[str]) -> int:
    arguments = with_own_shell(arguments)
    as_json = _asks_for_json(arguments)
    try:
        chosen = application(named_in(arguments))
        result = chosen(args=list(arguments), prog_name="heldout", standalone_mode=False)
        return result if isinstance(result, int) else int(ExitCode.CLEAN)
    except HeldoutError as error:
        _report(error, as_json=as_json)
        return error.exit_code
    except _USAGE as error:
        error.show()
        return ExitCode.NO_VERDICT
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("heldout: interrupted\n")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python must not complain again while it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.CLEAN
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NOT_OURS:
            _report(_refused_by_the_system(error), as_json=as_json)
            return ExitCode.NO_VERDICT
        from heldout.cli.defect import report_defect

        report_defect(error)
        return ExitCode.DEFECT


def _asks_for_json(arguments: Sequence[str]) -> bool:
    forms = (second for first, second in pairwise(arguments) if first == "--format")
    return "--json" in arguments or "--format=json" in arguments or "json" in forms


def _refused_by_the_system(error: OSError) -> HeldoutError:
    place = f"{error.filename}: " if error.filename else ""
    hint = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "make it writable, or work in a clone"
    return RepositoryError("cannot-write", f"{place}{os.strerror(error.errno or 0)}", hint=hint)


def _report(error: HeldoutError, *, as_json: bool) -> None:
    if as_json:
        data = {
            "format": "heldout/error@1",
            "error": error.slug,
            "message": str(error),
            "hint": error.hint,
            "location": error.location(),
            "exit_code": int(error.exit_code),
        }
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
        return
    # A message may have several lines: each of them is harmless.
    said = [f"{error} [{error.slug}]", *([f"try: {error.hint}"] if error.hint else [])]
    for text in said:
        sys.stderr.write("heldout: " + "\n".join(map(escaped_line, text.split("\n"))) + "\n")
