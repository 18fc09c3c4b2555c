"""Slices: counts, a form for conditions, a preview before anything is saved, and the history of definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.rules import MAX_CONDITIONS, DefinitionError
from heldout.errors import HeldoutError, UsageError
from heldout.reports.page.slices import (
    column_json,
    form_of,
    history_of,
    preview_json,
    refused,
    rules,
    slice_row,
)
from heldout.services.slicing.counting import count, membership, table
from heldout.services.slicing.editing import About, edit, outlook, read_form, seen
from heldout.services.slicing.saving import create
from heldout.services.slicing.use import Target, bound, choose, choose_all, find_target
from heldout.services.workspace import Workspace
from heldout.web.messages import Response, as_json, text_field
from heldout.web.rendering import page
from heldout.web.site import Context

_EXAMPLES = 8


def show(context: Context) -> Response:
    """Every dataset's slices; the one that is named with its form and history. Counts come when the page is there."""
    dataset, name = context.request.one("dataset"), context.request.one("slice")
    chosen = None
    with context.project.workspace() as workspace:
        groups = [_group(workspace, item) for item in workspace.working_copy.names]
        if dataset and name:
            chosen = _chosen(workspace, dataset, name)
    new = dataset if dataset and not name else ""
    return page(
        context.page, "slices.html", title=name or "Slices", groups=groups, chosen=chosen, new=new, rules=rules(),
        most=MAX_CONDITIONS,
    )  # fmt: skip


def _group(workspace: Workspace, dataset: str) -> dict[str, Any]:
    try:
        rows = [slice_row(item) for item in choose_all(find_target(workspace, dataset))]
    except HeldoutError as error:
        return {"dataset": dataset, "rows": [], "problem": str(error)}
    return {"dataset": dataset, "rows": rows, "problem": None}


def _chosen(workspace: Workspace, dataset: str, name: str) -> dict[str, Any]:
    target = find_target(workspace, dataset, name)
    found, file = choose(target), seen(target)
    return {
        **slice_row(found),
        "dataset": dataset,
        "description": found.item.description,
        "file": file.path,
        "seen": file.digest,
        "form": form_of(found.definition),
        "history": history_of(found.item),
    }


def counts(context: Context) -> Response:
    """Working copy and latest version, for every slice of a dataset (B19)."""
    with context.project.workspace() as workspace:
        found = table(workspace, find_target(workspace, context.request.one("dataset")))
    names = [row.item.name for row in found.rows]
    return as_json({"slices": names, "columns": [column_json(column) for column in found.columns]})


def preview(context: Context) -> Response:
    """An unsaved definition, counted and with a few examples (B23)."""
    data = context.request.json()
    with context.project.workspace() as workspace:
        target = find_target(workspace, text_field(data, "dataset"), text_field(data, "slice") or None)
        try:
            definition = bound(target, _definition(data))
        except DefinitionError as error:
            return as_json(refused(error))
        saving = asdict(outlook(target, definition, _about(data))) if target.reference else None
        found = membership(workspace, target.located, definition, shown=_EXAMPLES, with_text=True)
        latest = _latest(workspace, target, definition)
    return as_json(preview_json(definition, found, latest, saving))


def _latest(workspace: Workspace, target: Target, definition: Definition) -> dict[str, Any] | None:
    versions = workspace.versions_of(target.dataset)
    if not versions:
        return None
    name = str(versions[-1].name)
    try:
        (counted,) = count(workspace, workspace.find(name), [definition])
    except HeldoutError as error:
        return {"subject": name, "problem": str(error)}
    return {"subject": name, "counted": counted}


def save(context: Context) -> Response:
    data = context.request.json()
    with context.project.workspace() as workspace:
        target = find_target(workspace, text_field(data, "dataset"), text_field(data, "slice"))
        try:
            definition = _definition(data)
        except DefinitionError as error:
            return as_json(refused(error))
        changed = outlook(target, bound(target, definition), _about(data)).about
        path, saved = edit(workspace, target, definition, text_field(data, "seen"), _about(data))
        after = _chosen(workspace, text_field(data, "dataset"), text_field(data, "slice"))
    added = [{"number": entry.number, "digest": entry.digest} for item in saved for entry in item.added]
    return as_json({"file": path, "added": added, "about": changed, "seen": after["seen"], "number": after["number"]})


def new(context: Context) -> Response:
    data = context.request.json()
    with context.project.workspace() as workspace:
        target = find_target(workspace, text_field(data, "dataset"))
        try:
            definition = _definition(data)
        except DefinitionError as error:
            return as_json(refused(error))
        about = _about(data)
        made, path = create(
            workspace,
            target,
            text_field(data, "slice").strip(),
            definition,
            description=about.description or "",
            required=about.required or False,
        )
    return as_json({"file": path, "slice": made.item.name, "added": [{"number": 1, "digest": made.digest}]})


def _about(data: Mapping[str, Any]) -> About:
    required = data.get("required")
    if required is not None and not isinstance(required, bool):
        raise UsageError("bad-request", f"required is true or false, found {type(required).__name__}")
    return About(text_field(data, "description").strip() if "description" in data else None, required)


def _definition(data: Mapping[str, Any]) -> Definition:
    conditions = data.get("conditions")
    if not isinstance(conditions, list) or not all(isinstance(item, dict) for item in conditions):
        raise UsageError("bad-request", "conditions is a list of objects")
    return read_form(data.get("match"), conditions, data.get("sample"))
