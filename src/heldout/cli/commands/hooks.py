"""`heldout hooks`: install, look at and take out the Git hooks, and nothing else."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session, confirmed
from heldout.errors import ExitCode, UsageError

HELP = "The Git hooks alone: install or repair them, see how they stand, take them out without a trace."


def hooks_install(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Install into a core.hooksPath outside too.")] = False,
    no_tag_hook: Annotated[bool, typer.Option("--no-tag-hook", help="Go without the check at git tag.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Install or repair the hooks beside those that are there; `heldout init` does this and the rest.

    Example: heldout hooks install
    """
    from heldout.reports.hook_states import steps_json, steps_lines
    from heldout.services.init import hook_steps

    session = Session(as_json=as_json, quiet=quiet)
    asked = hook_steps(
        session.workspace,
        sys.executable,
        lambda question: yes or (not as_json and confirmed(question, yes=False)),
        tag_hook=not no_tag_hook,
    )
    steps = list(asked)
    session.emit(steps_lines(steps), steps_json(steps))


def hooks_status(as_json: Json = False, quiet: Quiet = False) -> None:
    """Say for each hook whether it is ours, and which hook of someone else runs behind it. Exit 1: one is to be mended.

    Example: heldout hooks status
    """
    from heldout.reports.hook_states import states_json, states_lines
    from heldout.services.hooking.standing import standing

    session = Session(as_json=as_json, quiet=quiet)
    states = standing(session.workspace.git)
    session.emit(states_lines(states), states_json(states))
    session.end(ExitCode.CLEAN if all(state.good for state in states) else ExitCode.FOUND)


def hooks_uninstall(as_json: Json = False, quiet: Quiet = False) -> None:
    """Take the hooks out; what they stood in front of gets its name, bytes and mode back. Records stay.

    Example: heldout hooks uninstall
    """
    from heldout.reports.hook_states import removed_json, removed_lines
    from heldout.services.hooking.standing import take_out

    session = Session(as_json=as_json, quiet=quiet)
    changes = take_out(session.workspace.git)
    session.emit(removed_lines(changes), removed_json(changes))


def hooks_run(
    hook: Annotated[str, typer.Argument(metavar="HOOK", help="pre-commit or pre-merge-commit.")],
) -> None:
    """Do what one of the Git hooks does, for a hook manager that calls it: .pre-commit-hooks.yaml does.

    Example: heldout hooks run pre-commit
    """
    if hook not in _RUN_BY_OTHERS:
        allowed = " and ".join(_RUN_BY_OTHERS)
        raise UsageError("bad-hook", f"{hook!r} is no hook to be run by others", hint=f"they run {allowed} only")
    sys.stdout.flush()
    # Git waits for the hook, so it takes the place of this process instead of being waited for in turn.
    os.execv(sys.executable, [sys.executable, "-m", "heldout.hooks", hook])


_RUN_BY_OTHERS = ("pre-commit", "pre-merge-commit")
"""Those after a commit need no manager, and `pre-push` needs the standard input that managers keep to themselves."""
