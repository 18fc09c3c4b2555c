"""The one door to Jinja: templates of the package, every value escaped, a name that does not exist an error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.web.messages import HTML, Response

if TYPE_CHECKING:
    from jinja2 import Environment

TABS = (("/datasets", "Datasets"), ("/slices", "Slices"), ("/leakage", "Leakage"), ("/changes", "Changes"))
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Page:
    """What the frame around every page shows. A theme that is neither light nor dark is the system's."""

    path: str
    token: str
    theme: str
    top: Path


@cache
def environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("heldout.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.filters["number"] = lambda value: f"{value:,}"
    made.filters["short"] = lambda digest: str(digest).removeprefix("sha256:")[:12]
    return made


def render(template: str, **values: Any) -> bytes:
    return environment().get_template(template).render(**values).encode("utf-8", "backslashreplace")


def page(frame: Page, template: str, **values: Any) -> Response:
    """A whole page with its frame."""
    theme = frame.theme if frame.theme in THEMES else ""
    shown = {"path": frame.path, "token": frame.token, "theme": theme, "project": frame.top.name, "tabs": TABS}
    return Response(render(template, frame=shown, **values), HTML)
