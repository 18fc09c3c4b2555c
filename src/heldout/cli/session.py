"""One run of one command: how it was asked to speak, and the repository it runs in."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from heldout.domain.controls import escaped_line
from heldout.errors import ExitCode
from heldout.reports.forms.form import Form

if TYPE_CHECKING:
    from heldout.cli.progress import TerminalProgress
    from heldout.domain.answer import Answer
    from heldout.services.workspace import Workspace

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result; no progress.")]


_PIECES = 1 << 14
"""Pieces of output put together before they are written."""


class Session:
    """Results go to standard output, everything about them (progress, notes, errors) to standard error."""

    def __init__(
        self, *, as_json: bool = False, quiet: bool = False, data: Path | None = None, form: Form = Form.TEXT
    ) -> None:
        """`data` is one more folder to read DVC's objects from."""
        self._data = data
        self.form = form
        self.as_json = as_json
        self.quiet = quiet

    @cached_property
    def workspace(self) -> Workspace:
        from heldout.services.workspace import Workspace

        return Workspace.open(Path.cwd(), self._data)

    @cached_property
    def progress(self) -> TerminalProgress:
        from heldout.cli.progress import TerminalProgress

        return TerminalProgress(quiet=self.quiet)

    @property
    def colour(self) -> bool:
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def emit(self, lines: Iterable[str], data: Mapping[str, Any]) -> None:
        """Print the one or the other: text for people, or an object with a `format` key for programs."""
        # Names and texts come from data that others wrote: nothing in them may steer a terminal or a CI service's log.
        colours = self.colour
        pieces: Iterable[str] = (f"{escaped_line(line, colours=colours)}\n" for line in lines)
        if self.as_json:
            # A piece at a time: a million findings would be gigabytes as one text.
            from heldout.reports.rows import written

            encoder = json.JSONEncoder(ensure_ascii=False, indent=2, default=written)
            pieces = chain(encoder.iterencode(data), "\n")
        self.write(pieces)

    def write(self, pieces: Iterable[str], *, utf8: bool = False) -> None:
        """To standard output. `utf8` is for forms that say so themselves, whatever the terminal's encoding is.

        A reader who has seen enough (head, less) changes nothing about the verdict: the exit code still tells it.
        """
        if utf8 and isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            rest = iter(pieces)
            while text := "".join(islice(rest, _PIECES)):
                sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python would complain once more while it closes standard output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def note(self, text: str) -> None:
        if not self.quiet:
            sys.stderr.write(f"heldout: {escaped_line(text)}\n")

    def end(self, code: ExitCode) -> NoReturn:
        raise typer.Exit(int(code))


def is_interactive() -> bool:
    """Whether there is a person to ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def confirmed(question: str, *, yes: bool) -> bool:
    """Ask a person; without a terminal only an explicit --yes counts."""
    if yes:
        return True
    return is_interactive() and typer.confirm(question)


def code_of(answer: Answer) -> ExitCode:
    """Contaminated wins over unknown: a leak that was found stays one, however much is left to scan."""
    if answer.contaminated:
        return ExitCode.FOUND
    return ExitCode.CLEAN if answer.complete else ExitCode.UNKNOWN
