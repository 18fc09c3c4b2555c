"""The command line: `heldout` and `git heldout`. Thin: parse, call one service, render one report, exit."""

from __future__ import annotations


def main() -> None:
    """Entry point of both programs; Typer is imported only when one of them runs."""
    from heldout.cli.app import run

    run()
