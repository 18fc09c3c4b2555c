"""`heldout init`: set a Git repository up, or repair the set-up."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session, confirmed


def init(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Consent to everything that would be asked.")] = False,
    no_tag_hook: Annotated[bool, typer.Option("--no-tag-hook", help="Go without the check at git tag.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Set up DVC, the Git hooks and two lines of Git configuration files; safe to run again at any time.

    Hooks are not cloned: run it once in each clone.

    Example: heldout init --yes
    """
    from heldout.reports.setup import after_init, init_json, init_lines
    from heldout.services.init import initialise

    session = Session(as_json=as_json, quiet=quiet)
    done = initialise(
        session.workspace,
        sys.executable,
        lambda question: yes or (not as_json and confirmed(question, yes=False)),
        tag_hook=not no_tag_hook,
    )
    following = after_init(done.uncommitted, has_datasets=done.has_datasets)
    session.emit(init_lines(str(done.top), done.steps, following), init_json(str(done.top), done.steps, following))
