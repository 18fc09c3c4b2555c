"""`heldout review`: people's decisions about findings."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.domain.deciding.review import Decision
from heldout.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from heldout.services.deciding.review import Decided

HELP = "Decide about findings: review list, accept ID, approve ID, reopen ID."

Id = Annotated[str, typer.Argument(metavar="ID", help="A finding's id, or the start of it.")]
SubjectArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SUBJECT]", autocompletion=subjects, help="Whose findings to search: NAME or NAME@vX.Y.Z."),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; read by everyone who asks about the holdout.")]
Family = Annotated[bool, typer.Option("--family", help="Decide about the whole family that the finding is in.")]
Commit = Annotated[bool, typer.Option("--commit", help="Commit the decision at once, and nothing else.")]


def review_accept(
    finding: Id,
    reason: Reason,
    subject: SubjectArgument = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="DAY", help="The last day it counts: 2027-01-31.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="PERSON", help="Who else agreed, as 'Name <address>'.")
    ] = None,
    family: Family = False,
    commit: Commit = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Accept a finding: it stays listed in every answer, and blocks no more.

    Bound to both inputs and the method: an edited example is another finding. What gives a holdout away needs somebody
    else to agree, who runs `heldout review approve`.

    Example: heldout review accept 3f2a9c --reason "the same greeting, no answer in it" --expires 2027-06-30
    """
    from heldout.services.deciding import review as service

    session = Session(as_json=as_json, quiet=quiet)
    wish = service.Request(
        finding, Decision.ACCEPTED, reason, subject, family, reviewer=reviewer, expires=_day(expires), commit=commit
    )
    _told(session, service.decide(session.workspace, wish, session.note))


def review_reopen(
    finding: Id,
    reason: Reason,
    subject: SubjectArgument = None,
    family: Family = False,
    commit: Commit = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take an acceptance back, or keep one finding of an accepted family open.

    Example: heldout review reopen 3f2a9c --reason "the answer is in it after all"
    """
    from heldout.services.deciding import review as service

    session = Session(as_json=as_json, quiet=quiet)
    wish = service.Request(finding, Decision.REOPENED, reason, subject, family, commit=commit)
    _told(session, service.decide(session.workspace, wish, session.note))


def review_approve(
    finding: Id,
    subject: SubjectArgument = None,
    family: Family = False,
    commit: Commit = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Agree, as the person Git knows here, with a decision that somebody else made.

    Example: heldout review approve 3f2a9c --commit
    """
    from heldout.services.deciding import review as service

    session = Session(as_json=as_json, quiet=quiet)
    done = service.approve(session.workspace, finding, subject, session.note, family=family, commit=commit)
    _told(session, done)


def review_list(
    subject: SubjectArgument = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 when a decision does not count or one is missing.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List decisions and how they stand: accepted, waiting, expired, stale, reopened.

    Example: heldout review list support@v1.2.0
    """
    from heldout.domain.deciding.review_listing import Standing
    from heldout.reports.deciding.review import review_lines, reviews_json
    from heldout.services.deciding.listing import list_reviews

    session = Session(as_json=as_json, quiet=quiet)
    listing = list_reviews(session.workspace, subject)
    session.emit(review_lines(listing), reviews_json(listing))
    settled = {Standing.ACCEPTED, Standing.REOPENED}
    loose = listing.undecided or any(row.standing not in settled for row in listing.rows)
    session.end(ExitCode.FOUND if strict and loose else ExitCode.CLEAN)


def _told(session: Session, done: Decided) -> None:
    from heldout.reports.deciding.review import decided_json, decided_lines

    parts = (done.review, done.path)
    session.emit(
        decided_lines(*parts, awaits_reviewer=done.awaits_reviewer, commit=done.commit),
        decided_json(*parts, awaits_reviewer=done.awaits_reviewer, commit=done.commit),
    )


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError("bad-day", f"--expires {text}: expected a day", hint="--expires 2027-01-31") from None
