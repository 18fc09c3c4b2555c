"""A picture as the bytes of a file, and what is said about that file."""

from __future__ import annotations

import json
from typing import Any

from heldout.reports.answers import plural
from heldout.reports.pictures.model import Picture
from heldout.reports.pictures.svg import picture_svg
from heldout.reports.pictures.vega_lite import dvc_template, vega_lite


def picture_bytes(picture: Picture, form: str) -> bytes:
    """`svg`, `vega-lite`, `dvc-template` or `rows`."""
    if form == "svg":
        return picture_svg(picture).encode("utf-8")
    content: Any = {"vega-lite": vega_lite, "dvc-template": dvc_template, "rows": Picture.table}[form](picture)
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def picture_lines(picture: Picture, file: str) -> list[str]:
    return [f"{file}: {picture.title}, {plural(len(picture.marks), 'mark')}", *picture.notes]


def picture_json(picture: Picture, file: str, form: str) -> dict[str, Any]:
    return {
        "format": "heldout/picture@1",
        "picture": picture.name,
        "form": form,
        "file": file,
        "title": picture.title,
        "measure": picture.measure,
        "marks": picture.table(),
        "notes": list(picture.notes),
    }
