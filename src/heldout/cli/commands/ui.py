"""`heldout ui`: the page, on this machine only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Annotated

import typer

from heldout.cli.session import Quiet, is_interactive


def ui(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
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
        link = running.guard.new_link()
        typer.echo(link)
        sys.stdout.flush()
        if browser:
            _open(link)
        if not quiet:
            again = "; Enter for another link" if is_interactive() else ""
            typer.echo(f"heldout: the page is at {running.address}{again}; Ctrl-C stops it", err=True)
        running.read_ahead()
        _wait(running.guard.new_link)
    finally:
        running.stop()


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
