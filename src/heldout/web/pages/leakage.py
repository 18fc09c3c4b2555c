"""Leakage: scans, findings with their filters, both texts of one, and people's decisions."""

from __future__ import annotations

from datetime import date
from typing import Any

from heldout.domain.deciding.review import Decision
from heldout.domain.deciding.review_listing import ReviewRow
from heldout.domain.listing import FindingRow
from heldout.errors import HeldoutError, UsageError
from heldout.reports.page.findings import decision, detail, facets, short_row
from heldout.reports.page.scans import scan_rows
from heldout.services.browsing.finding_index import Wanted
from heldout.services.browsing.project import Found
from heldout.services.deciding.review import Decided, Request, approve, decide
from heldout.services.deciding.undo import Written, read_file, take_back
from heldout.services.listing import list_scans
from heldout.services.workspace import Workspace
from heldout.web.messages import Response, as_json, text_field
from heldout.web.rendering import page
from heldout.web.site import Context

_MOST_ROWS = 500


def show(context: Context) -> Response:
    """The scan records at once; findings come when the page is there."""
    listing = list_scans(context.project.apart())
    return page(
        context.page,
        "leakage.html",
        title="Leakage",
        scans=scan_rows(listing),
        damaged=[{"dataset": name, "reason": what} for name, what in listing.damaged],
    )


def findings(context: Context) -> Response:
    """A window of the filtered list. Only the first one of a filter carries the facets."""
    request = context.request
    found = context.project.findings()
    wanted = Wanted(
        source=request.one("source") or None,
        kinds=request.many("kind"),
        datasets=request.many("dataset"),
        splits=request.many("split"),
        severities=request.many("severity"),
        decisions=request.many("decision"),
        holdout_only=request.one("holdout") == "1",
        text=request.one("q").strip(),
    )
    selected = found.select(wanted)
    start = request.number("offset", 0, len(selected.rows))
    places = selected.rows[start : start + request.number("limit", 100, _MOST_ROWS)]
    data: dict[str, Any] = {
        "total": len(found.index.rows),
        "matching": len(selected.rows),
        "families": selected.families,
        "contaminations": selected.contaminations,
        "recorded": found.index.listing.recorded,
        "offset": start,
        "rows": [_short(found, int(place)) for place in places],
    }
    if start == 0:
        data["facets"] = facets(selected.facets)
    return as_json(data)


def _short(found: Found, place: int) -> dict[str, Any]:
    index = found.index
    name = index.ids[place]
    row = short_row(index.rows[place], name, found.decided.name(place), found.family(name))
    return {**row, "group": int(index.families[place])}


def finding(context: Context) -> Response:
    """One finding with both texts; where they cannot be read, without them, and why."""
    found = context.project.findings()
    name = context.request.one("id")
    row = found.row(name)
    examples, problem = None, None
    with context.project.workspace() as workspace:
        knowledge = workspace.knowledge()
        try:
            ahead = [item.finding for item in found.after(name)]
            examples = context.project.shelf.pair(workspace, row.finding, ahead)
        except HeldoutError as error:
            problem = {"message": str(error), "hint": error.hint}
    listing = found.index.listing
    review, family = _review(found, name), found.family(name)
    data = detail(row, name, listing.names, knowledge.live, examples, review, family)
    return as_json({**data, "problem": problem})


def _review(found: Found, name: str) -> ReviewRow | None:
    """The decision on a finding: its own before that of its family."""
    cluster = found.row(name).finding.cluster
    about = {row.review.id: row for row in found.reviews if row.review is not None}
    return about.get(name) or (about.get(cluster) if cluster else None)


def accept(context: Context) -> Response:
    data = context.request.json()
    name = text_field(data, "id")
    day = text_field(data, "expires")
    wish = Request(
        name,
        Decision.ACCEPTED if text_field(data, "decision", "accepted") == "accepted" else Decision.REOPENED,
        text_field(data, "reason"),
        family=data.get("family") is True,
        expires=_day(day) if day else None,
    )
    with context.project.workspace() as workspace:
        row = _still_as_shown(context, name, text_field(data, "was"))
        done = _remembered(context, workspace, lambda: decide(workspace, wish, _silent, row))
    return _decided(context, name, done)


def _still_as_shown(context: Context, name: str, was: str) -> FindingRow:
    """The finding, about which nobody has decided since it was shown: no decision goes unseen below another one."""
    found = context.project.refreshed()
    row = found.row(name)
    now = found.decided.name(found.index.places[name])
    if now != was:
        raise UsageError(
            "changed-meanwhile",
            f"{name} was shown as {was.replace('_', ' ') or 'nothing'}, and is {now.replace('_', ' ')} now",
            hint="load the page again, and look at it",
        )
    return row


def agree(context: Context) -> Response:
    data = context.request.json()
    name = text_field(data, "id")
    row = context.project.findings().row(name)
    with context.project.workspace() as workspace:
        family = data.get("family") is True
        done = _remembered(
            context,
            workspace,
            lambda: approve(
                workspace, name, None, _silent, family=family, commit=False, row=row, read=text_field(data, "read")
            ),
        )
    return _decided(context, name, done)


def undo(context: Context) -> Response:
    """Take the last decision back that was written from this page."""
    with context.project.workspace() as workspace:
        if not context.project.decisions:
            raise UsageError("nothing-to-undo", "no decision was written from this page, or all are taken back")
        written = context.project.decisions[-1]
        take_back(workspace, written)
        context.project.decisions.pop()
    context.project.refreshed()
    about = written.path.rpartition("/")[2].removesuffix(".yaml")
    return as_json({"path": written.path, "about": about, "removed": written.before is None})


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError("bad-day", f"{text}: expected a day", hint="2027-01-31") from None


def _silent(_: str) -> None:
    """The answer says where the file is; there is nobody to note anything to."""


def _remembered(context: Context, workspace: Workspace, act: Any) -> Decided:
    """What the act writes can be taken back."""
    before = {path: read_file(workspace, path) for path in _review_paths(workspace)}
    done: Decided = act()
    after = read_file(workspace, done.path)
    assert after is not None
    context.project.decisions.append(Written(done.path, before.get(done.path), after))
    return done


def _review_paths(workspace: Workspace) -> list[str]:
    top = workspace.git.top
    return [file.relative_to(top).as_posix() for file in (top / "datasets").glob("**/reviews/*.yaml")]


def _decided(context: Context, name: str, done: Decided) -> Response:
    found = context.project.refreshed()
    review = _review(found, name)
    return as_json(
        {
            "path": done.path,
            "awaits_reviewer": done.awaits_reviewer,
            "family": done.review.is_cluster,
            "decision": found.decided.name(found.index.places[name]),
            "review": decision(review) if review else None,
        }
    )
