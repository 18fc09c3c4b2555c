"""GitLab's Code Quality report: a JSON array that a merge request shows beside the lines it is about."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from heldout.domain.reporting import Item, Level, Report, Weight

_SEVERITIES = {Level.ERROR: "blocker", Level.WARNING: "minor", Level.NOTE: "info"}


def code_quality(report: Report) -> Iterator[str]:
    """An item a line. GitLab takes any number of them."""
    opening = "[\n"
    for item in report.items:
        yield opening + json.dumps(_issue(item), ensure_ascii=False)
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


def _issue(item: Item) -> dict[str, object]:
    """GitLab follows an issue by its fingerprint, and needs a line; where there is none, the file's first serves."""
    return {
        "description": item.message,
        "check_name": f"heldout/{item.rule}",
        "fingerprint": item.fingerprint,
        "severity": "major" if item.weight is Weight.UNKNOWN else _SEVERITIES[item.level],
        "location": {"path": posixpath.normpath(item.location.file), "lines": {"begin": item.location.line or 1}},
    }
