"""`heldout demo`: the main job on real data, told with real commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode


def demo(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="A new folder, else a temporary one.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="No pauses for reading.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Watch a leak in a real, published dataset being found at commit and stopped at push; half a minute, offline.

    Everything happens in one folder that is kept. It is a self-test too: exit 70 where a step goes otherwise than told.

    Example: heldout demo
    """
    from heldout.cli.narrator import Absent, Narrator
    from heldout.reports.demo import demo_json, demo_lines
    from heldout.services.demonstration.demo import tell

    session = Session(as_json=as_json, quiet=quiet)
    watched = not (as_json or quiet)
    narrator = Narrator(sys.stdout, colour=session.colour, pauses=sys.stdout.isatty() and not fast)
    telling = tell(folder, narrator if watched else Absent())
    session.emit(["", *demo_lines(telling)] if watched else demo_lines(telling), demo_json(telling))
    session.end(ExitCode.DEFECT if telling.broken else ExitCode.CLEAN)
