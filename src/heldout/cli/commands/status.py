"""`heldout status`: where everything stands. What `heldout` alone shows, too."""

from __future__ import annotations

from heldout.cli.session import Json, Quiet, Session


def status(as_json: Json = False, quiet: Quiet = False) -> None:
    """Show each dataset's working copy, record, versions and the next sensible step.

    Example: heldout status
    """
    from heldout.reports.next_step import overall_step
    from heldout.reports.status import status_json, status_lines
    from heldout.services.status import status as look
    from heldout.services.status import surroundings

    session = Session(as_json=as_json, quiet=quiet)
    found = look(session.workspace)
    step = overall_step(found, surroundings(session.workspace))
    lines = status_lines(found)
    if not found:
        lines.append(step.line)
    session.emit(lines, {**status_json(found), "next": {"command": step.command, "why": step.why}})


def alone() -> None:
    """`heldout` without a command: the same in short, and one step for all of it."""
    from heldout.errors import RepositoryError
    from heldout.reports.next_step import NO_REPOSITORY, overall_step
    from heldout.reports.status import status_lines
    from heldout.services.status import status as look
    from heldout.services.status import surroundings

    session = Session()
    try:
        workspace = session.workspace
    except RepositoryError as error:
        if error.slug != "not-a-repository":
            raise
        lines = [NO_REPOSITORY.line, "new here: heldout demo; every command: heldout --help"]
    else:
        found = look(workspace)
        step = overall_step(found, surroundings(workspace))
        lines = [*status_lines(found, steps=False), step.line]
    session.write(f"{line}\n" for line in lines)
