"""The pictures of `heldout picture`, as the page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.reports.pictures.similarity import similarities
from heldout.reports.pictures.svg import picture_svg
from heldout.reports.pictures.timeline import version_timeline
from heldout.services import picturing
from heldout.web.messages import Response
from heldout.web.site import Context

if TYPE_CHECKING:
    from heldout.reports.pictures.model import Picture


def versions(context: Context) -> Response:
    """Versions by day, with what a gate says of each today."""
    with context.project.workspace() as workspace:
        return _drawn(version_timeline(picturing.versions(workspace, None)))


def similarity(context: Context) -> Response:
    """How alike the pairs are that scans found, as a histogram."""
    return _drawn(similarities(context.project.findings().index.listing))


def _drawn(picture: Picture) -> Response:
    return Response(picture_svg(picture).encode("utf-8", "backslashreplace"), "image/svg+xml; charset=utf-8")
