"""The page as one file: for a CI run's artifacts, or to hand to somebody. Nothing in it can be clicked into a change.

It loads nothing and sends nothing: styles and the one script are inside, and its own policy names them by their
digests. Where a viewer of artifacts forbids scripts, everything is still there to be read.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from heldout import __version__
from heldout.domain.coverage import Knowledge
from heldout.domain.deciding.review_listing import ReviewListing
from heldout.domain.listing import FindingListing
from heldout.errors import HeldoutError, UsageError
from heldout.reports.page.changes import change, decisions
from heldout.reports.page.datasets import matrix
from heldout.reports.page.findings import detail, short_row
from heldout.reports.page.scans import scan_rows
from heldout.reports.page.slices import column_json, history_of, slice_row
from heldout.services.browsing.overview import overview
from heldout.services.browsing.shelf import Shelf
from heldout.services.deciding.changes import changes, start_of
from heldout.services.deciding.listing import list_reviews
from heldout.services.findings import list_findings
from heldout.services.listing import list_scans
from heldout.services.progress import SILENT, Progress
from heldout.services.slicing.counting import table
from heldout.services.slicing.use import choose_all, find_target
from heldout.services.workspace import Workspace
from heldout.web.pages.datasets import dataset_view
from heldout.web.rendering import render
from heldout.web.static_files import static_text

MOST_FINDINGS = 1_000
"""Rows of the list, the worst first; the total is said."""


def one_file(
    workspace: Workspace,
    base: str | None = None,
    progress: Progress = SILENT,
    *,
    limit: int = MOST_FINDINGS,
    with_text: int = 0,
) -> bytes:
    """The page of a repository as HTML, without a time in it: the same state gives the same bytes.

    `with_text` is how many findings get both texts, held-out ones among them; without it the file holds none. Data that
    is not here costs the counts that need it, and the page says so.
    """
    listing, reviews = list_findings(workspace), list_reviews(workspace)
    rows = _rows(workspace, listing, reviews, limit, with_text, progress)
    seen = overview(workspace)
    style, script = _inside("page.css"), _inside("one_file.js")
    return render(
        "one_file.html",
        project=workspace.git.top.name,
        head=(workspace.git.head() or "no commit")[:10],
        program=f"heldout {__version__}",
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src {_named(style)}; script-src {_named(script)}; base-uri 'none'",
        datasets=[dataset_view(view) for view in seen.datasets],
        matrix=matrix(seen.matrix),
        slices=[_slices(workspace, view.standing.name, progress) for view in seen.datasets if view.state],
        scans=scan_rows(list_scans(workspace)),
        findings=rows,
        total=listing.total,
        contaminations=sum(row.finding.holdout_contamination for row in listing.rows),
        recorded=listing.recorded,
        decisions=decisions(reviews.rows),
        undecided=reviews.undecided,
        changes=_changes(workspace, base, progress),
    )


def _inside(name: str) -> str:
    """A style or script of ours as it stands in its element, where nothing is escaped."""
    text = static_text(name)
    if "</" in text:
        raise ValueError(f"{name} would end its element")
    return text


def _named(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _rows(
    workspace: Workspace,
    listing: FindingListing,
    reviews: ReviewListing,
    limit: int,
    with_text: int,
    progress: Progress,
) -> list[dict[str, Any]]:
    decided = {row.review.id: row for row in reviews.rows if row.review is not None}
    shelf, known, found = Shelf(), workspace.knowledge(), []
    shown = listing.rows[:limit]
    for place, row in enumerate(shown):
        name, cluster = row.finding.id, row.finding.cluster
        review = decided.get(name) or (decided.get(cluster) if cluster else None)
        item = {**short_row(row, name, review.standing.value if review else "open", 1), "detail": None}
        if place < with_text:
            ahead = [other.finding for other in shown[place:with_text]]
            item["detail"] = _detail(workspace, shelf, known, listing, row, ahead, progress)
        found.append(item)
    return found


def _detail(
    workspace: Workspace,
    shelf: Shelf,
    known: Knowledge,
    listing: FindingListing,
    row: Any,
    ahead: list[Any],
    progress: Progress,
) -> dict[str, Any] | None:
    try:
        examples = shelf.pair(workspace, row.finding, ahead, progress)
    except HeldoutError:
        return None
    return detail(row, row.finding.id, listing.names, known.live, examples, None)


def _slices(workspace: Workspace, dataset: str, progress: Progress) -> dict[str, Any]:
    """Counts of the working copy and the latest version (B19), where there is a working copy."""
    if workspace.git.bare:
        return {"dataset": dataset, "rows": [], "columns": [], "problem": None}
    try:
        target = find_target(workspace, dataset)
        chosen = choose_all(target)
    except HeldoutError as error:
        return {"dataset": dataset, "rows": [], "columns": [], "problem": str(error)}
    rows = [{**slice_row(item), "history": history_of(item.item)} for item in chosen]
    try:
        columns = [column_json(column) for column in table(workspace, target, progress).columns]
    except HeldoutError as error:
        return {"dataset": dataset, "rows": rows, "columns": [], "problem": f"not counted: {error}"}
    return {"dataset": dataset, "rows": rows, "columns": columns, "problem": None}


def _changes(workspace: Workspace, base: str | None, progress: Progress) -> dict[str, Any] | None:
    """None where nothing says what to compare with."""
    head = workspace.git.head()
    if head is None:
        return None
    try:
        start = start_of(workspace, base)
    except UsageError:
        if base is not None:
            raise
        return None
    found = changes(workspace, start, head, progress=progress)
    return {
        "base": start[:10],
        "items": [change(item.change, item.authors, item.approved_by, item.lacks) for item in found.standings],
        "unread": [{"dataset": name, "reason": why} for name, why in found.unread],
    }
