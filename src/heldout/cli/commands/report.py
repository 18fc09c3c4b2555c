"""`heldout report`: what a branch changes, for those who review it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError

_TEXTS = 25
"""Findings of each kind of which --with-text reads the examples, unless --limit says otherwise."""


class Form(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def report(
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REF", help="Since where this branch left REF; default: the remote's."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.TEXT,
    markdown: Annotated[bool, typer.Option("--markdown", help="The same as --format markdown.")] = False,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Show the texts of findings too, held-out ones among them.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="Items that each list shows.")] = None,
    room: Annotated[
        int, typer.Option("--max-characters", min=2000, help="Of Markdown; GitHub takes 65536, GitLab 1000000.")
    ] = 65_536,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the read-only page to FILE instead.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what this branch changes: datasets, versions, examples, slices, findings, decisions, and what is not known.

    Compares HEAD with the commit where it left the base. Describes and does not judge: it exits 0 whatever it finds,
    and `heldout verify` is what a check runs. Names examples by split and key only, unless --with-text is given.

    Example: heldout report --base origin/main --markdown
    """
    from heldout.services.branching.branch import branch

    markdown = markdown or form is Form.MARKDOWN
    as_json = as_json or form is Form.JSON
    if markdown and (as_json or html is not None):
        other = "JSON" if as_json else "--html"
        raise UsageError("options-exclude", f"Markdown and {other}: choose one", hint="--format markdown")
    session = Session(as_json=as_json, quiet=quiet)
    if html is not None:
        _write_page(session, html, base, (_TEXTS if limit is None else limit) if with_text else 0)
        return
    texts = (_TEXTS if limit is None else limit) if with_text else 0
    found = branch(session.workspace, base, session.progress, with_text=texts)
    session.progress.close()
    if session.as_json:
        from heldout.reports.branch.as_json import branch_json

        session.emit((), branch_json(found))
    elif markdown:
        from heldout.reports.branch.markdown import branch_markdown

        session.emit(branch_markdown(found, limit, room).splitlines(), {})
    else:
        from heldout.reports.branch.text import branch_lines

        session.emit(branch_lines(found, limit), {})


def _write_page(session: Session, place: Path, base: str | None, with_text: int) -> None:
    """What `heldout ui` shows, to be read anywhere."""
    from heldout.storage.new_files import write_new
    from heldout.web.one_file import one_file

    page = one_file(session.workspace, base, session.progress, with_text=with_text)
    session.progress.close()
    write_new(place, page)
    lines = [f"{place}: the page of this repository, {len(page):,} bytes"]
    session.emit(lines, {"format": "heldout/page@1", "file": str(place), "bytes": len(page)})
