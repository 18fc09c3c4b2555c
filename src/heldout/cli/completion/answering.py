"""What could come next on a line. Runs at every press of a key, so only the command that is named gets imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import typer
import typer.main

from heldout.cli.app import application
from heldout.cli.commands import COMMANDS, GROUPS

# Newer releases of Typer hold a copy of click inside, older ones use click itself.
_CLICK = next(kind.__module__ for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def answer(words: Sequence[str], shell: str) -> int:
    """Print what the last word may become, a line each, and for shells that show it a tab and what it means.

    Nothing printed leaves the shell to complete file names. An error prints nothing: nobody wants to read it there.
    """
    try:
        lines = list(_lines(list(words[:-1]), words[-1] if words else "", described=shell != "bash"))
    except Exception:  # whatever it is: the line is not finished, and running it will say what is wrong
        return 0
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _lines(before: list[str], incomplete: str, *, described: bool) -> Iterator[str]:
    if not before and not described and not incomplete.startswith("-"):
        yield from (name for name in (*COMMANDS, *GROUPS) if name.startswith(incomplete))
        return
    for item in _items(before, incomplete):
        if item.type == "plain":
            meaning = " ".join((item.help or "").split()) if described else ""
            yield f"{item.value}\t{meaning}" if meaning else str(item.value)


def _items(before: list[str], incomplete: str) -> list[Any]:
    named = before[0] if before and (before[0] in COMMANDS or before[0] in GROUPS) else None
    program = typer.main.get_command(application(named))
    found: list[Any] = _asker()(program, {}, "heldout", "").get_completions(before, incomplete)
    return found


def _asker() -> Any:
    """click's class that knows what may follow. The rest of it is about scripts, which are our own."""
    base: Any = import_module(_CLICK.rpartition(".")[0] + ".shell_completion").ShellComplete
    return type("Asker", (base,), dict.fromkeys(base.__abstractmethods__, None))
