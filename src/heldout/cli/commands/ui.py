"""`heldout ui`: the page, on this machine only."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.session import Quiet, is_interactive

if TYPE_CHECKING:
    from heldout.web.run import Running


def ui(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the link in one line of JSON, once the page is served; open nothing.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Look and click: datasets, slices, leakage and changes of this repository, in a browser.

    Listens on 127.0.0.1 and loads nothing from elsewhere. The printed link opens the page once; Enter prints another.
    What the page saves are files of the working copy, which you commit. Ctrl-C stops it.

    Example: heldout ui --no-browser --port 8080
    """
    from pathlib import Path

    from heldout.web.run import start

    running = start(Path.cwd(), port)
    try:
        new_link = partial(_told, running) if as_json else running.guard.new_link
        link = new_link()
        typer.echo(link)
        sys.stdout.flush()
        if browser and not as_json:
            _open(link)
        if not quiet:
            again = "; Enter for another link" if is_interactive() else ""
            typer.echo(f"heldout: the page is at {running.address}{again}; Ctrl-C stops it", err=True)
        running.read_ahead()
        _wait(new_link)
    finally:
        running.stop()


def _told(running: Running) -> str:
    """A new link as JSON (`heldout/ui@1`)."""
    told = {"format": "heldout/ui@1", "url": running.guard.new_link(), "address": running.address}
    return json.dumps(told)


def _open(link: str) -> None:
    """A machine without a browser is no fault: the link stands on the screen."""
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()


def _wait(new_link: Callable[[], str]) -> None:
    """Until Ctrl-C; at a terminal, Enter prints another link."""
    while is_interactive():
        if not sys.stdin.readline():
            break
        typer.echo(new_link())
    threading.Event().wait()
