"""The command line: `heldout` and `git heldout`. Thin: parse, call one service, render one report, exit."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of both programs; Typer is imported only when one of them runs."""
    from heldout.cli.completion import VARIABLE

    if VARIABLE in os.environ:
        from heldout.cli.completion.answering import answer

        sys.exit(answer(sys.argv[1:], os.environ.pop(VARIABLE)))
    from heldout.cli.app import run

    run()
