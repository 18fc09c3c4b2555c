"""Styles and scripts, by name: a table that is made at start, so that no request ever becomes a path."""

from __future__ import annotations

from functools import cache
from importlib import resources
from types import MappingProxyType

from heldout.web.messages import Response

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@cache
def _files() -> MappingProxyType[str, bytes]:
    folder = resources.files("heldout.web").joinpath("static")
    known = (file for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES)
    return MappingProxyType({file.name: file.read_bytes() for file in known})


def static_text(name: str) -> str:
    """A file of ours, for a page that carries it inside."""
    return _files()[name].decode("utf-8")


def static_file(name: str) -> Response | None:
    """The file as an answer, None where there is none of that name."""
    data = _files().get(name)
    if data is None:
        return None
    return Response(data, _TYPES[name.rpartition(".")[2]], headers={"Cache-Control": "private, no-cache"})
