"""Changes: what happened to holdouts since a base, and the decisions that await somebody."""

from __future__ import annotations

from typing import Any

from heldout.errors import UsageError
from heldout.reports.page.changes import change, decisions
from heldout.services.deciding.changes import approve, changes, start_of
from heldout.services.workspace import Workspace
from heldout.web.messages import Response, as_json, text_field
from heldout.web.rendering import page
from heldout.web.site import Context


def show(context: Context) -> Response:
    """Decisions at once; what changed takes a reading of the data, and comes when the page is there."""
    found = context.project.findings()
    listed = decisions(found.reviews)
    waiting = sum(item["standing"] not in ("accepted", "reopened") for item in listed)
    contaminations = int(found.index.contaminations.sum())
    undecided = int((found.index.contaminations & (found.decided.codes == 0)).sum())
    return page(
        context.page,
        "changes.html",
        title="Changes",
        decisions=listed,
        waiting=waiting,
        contaminations=contaminations,
        undecided=undecided,
        base=context.request.one("base"),
    )


def governed(context: Context) -> Response:
    """Changes of holdouts from a base to the working copy (B52)."""
    with context.project.workspace() as workspace:
        base, named = _base(workspace, context.request.one("base"))
        found = changes(workspace, base, None)
    return as_json(
        {
            "base": base[:10],
            "named": named,
            "required": found.policy.required,
            "changes": [_standing(item) for item in found.standings],
            "unread": [{"dataset": name, "reason": why} for name, why in found.unread],
        }
    )


def _standing(item: Any) -> dict[str, Any]:
    return change(item.change, item.authors, item.approved_by, item.lacks)


def _base(workspace: Workspace, wanted: str) -> tuple[str, str]:
    """The commit, and how it was found: where nothing is asked and no remote is there, HEAD."""
    if wanted:
        return start_of(workspace, wanted), wanted
    try:
        return start_of(workspace, None), "where this branch left the remote's default branch"
    except UsageError:
        return workspace.git.require_commit("HEAD"), "HEAD"


def agree(context: Context) -> Response:
    data = context.request.json()
    with context.project.workspace() as workspace:
        base, _ = _base(workspace, text_field(data, "base"))
        standing, path, _ = approve(
            workspace,
            text_field(data, "dataset"),
            base,
            text_field(data, "reason"),
            lambda _: None,
            commit=False,
            shown=text_field(data, "id"),
        )
    return as_json({"file": path, "lacks": standing.lacks})
