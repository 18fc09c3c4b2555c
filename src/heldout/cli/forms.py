"""`--format`: the same answer as text, as data, or as what a reviewer's tools show."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from heldout import __version__
from heldout.cli.session import Session
from heldout.errors import HeldoutError, UsageError
from heldout.reports.forms.form import Form

if TYPE_CHECKING:
    from heldout.domain.reporting import Report
    from heldout.reports.adapters.places import Rebased

FormOption = Annotated[
    Form | None, typer.Option("--format", help="Form of the answer; default text (docs/forms.md).", show_default=False)
]

_SUMMARY = "GITHUB_STEP_SUMMARY"


def session_for(form: Form | None, *, as_json: bool, quiet: bool, data: Path | None = None) -> Session:
    """`--json` is short for `--format json`. Raises UsageError (slug options-exclude) where the two disagree."""
    if as_json and form not in (None, Form.JSON):
        raise UsageError("options-exclude", f"--json and --format {form}: choose one", hint="--format json")
    return Session(as_json=as_json or form is Form.JSON, quiet=quiet, data=data, form=form or Form.TEXT)


def deliver(
    session: Session,
    *,
    lines: Callable[[], Iterable[str]],
    data: Callable[[], Mapping[str, Any]],
    report: Callable[[], Report],
) -> None:
    """Print the answer in the form that was asked for; of the three only that one is made."""
    if session.as_json:
        session.emit([], data())
    elif session.form is Form.TEXT:
        session.emit(lines(), {})
    else:
        from heldout.reports.forms.drawing import drawn

        made = report()
        session.write(drawn(made, session.form, __version__), utf8=True)
        if session.form is Form.GITHUB:
            _summarise(session, made)


def _summarise(session: Session, report: Report) -> None:
    """The whole list goes to the page of the job's step, where there is one: annotations are ten at most."""
    from heldout.reports.forms.github import SHOWN
    from heldout.reports.forms.markdown import markdown
    from heldout.storage import step_summary

    path = os.environ.get(_SUMMARY)
    if path:
        try:
            if not step_summary.append(path, "".join(markdown(report, step_summary.room(path)))):
                session.note(f"${_SUMMARY} is full, so this is left out of it")
        except OSError as error:  # the verdict is the same without that page
            session.note(f"${_SUMMARY} cannot be written: {error}")
    elif report.total > SHOWN:
        session.note(f"${_SUMMARY} is not set, so {report.total - SHOWN:,} more are listed nowhere")


def from_top() -> Rebased:
    """Names of files from the top of the repository that the current folder is in; elsewhere as they were given."""
    from heldout.storage.git.repository import Git

    try:
        top = Git.discover(Path.cwd()).top
    except HeldoutError:
        return lambda file: file

    def rebased(file: str) -> str:
        # Without following links: a data file is often one into DVC's cache.
        whole = Path(os.path.normpath(Path.cwd() / file))
        return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else file

    return rebased
