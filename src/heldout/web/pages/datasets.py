"""Datasets, their versions, and the coverage matrix."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from heldout.reports.page.datasets import described, matrix, splits, version_row
from heldout.services.browsing.overview import DatasetView, overview
from heldout.web.messages import Response
from heldout.web.rendering import page
from heldout.web.site import Context


def home(_: Context) -> Response:
    return Response(b"", status=HTTPStatus.SEE_OTHER, headers={"Location": "/datasets"})


def show(context: Context) -> Response:
    with context.project.workspace() as workspace:
        found = overview(workspace)
    datasets = [dataset_view(view) for view in found.datasets]
    return page(context.page, "datasets.html", title="Datasets", datasets=datasets, matrix=matrix(found.matrix))


def dataset_view(view: DatasetView) -> dict[str, Any]:
    standing = view.standing
    data = described(standing.name, view.state.spec if view.state else None, standing.change.value)
    data["problem"] = standing.problem
    data["edited"] = list(standing.edited)
    data["splits"] = splits(view.record)
    data["files"] = [{"path": item.path, "size": item.size} for item in view.state.outputs] if view.state else []
    data["versions"] = [version_row(item.row, item.day, item.record) for item in view.versions]
    return data
