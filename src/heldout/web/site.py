"""All pages of one project: a table of routes, and the one place where an error becomes an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from heldout.errors import HeldoutError, MissingDataError
from heldout.services.browsing.project import Project
from heldout.storage.defect_log import kind_of, write_defect
from heldout.web.guard import Guard
from heldout.web.messages import HTML, Request, Response, as_json
from heldout.web.rendering import TABS, Page, page, render
from heldout.web.static_files import static_file

_STATUS = {
    "unknown-dataset": HTTPStatus.NOT_FOUND,
    "unknown-slice": HTTPStatus.NOT_FOUND,
    "unknown-finding": HTTPStatus.NOT_FOUND,
    "unknown-version": HTTPStatus.NOT_FOUND,
    "changed-meanwhile": HTTPStatus.CONFLICT,
    "decision-changed": HTTPStatus.CONFLICT,
}
_WAITING = frozenset(path for path, _ in TABS) - {"/leakage"}
"""Pages that need what another thread may be reading."""

_PATIENCE_SECONDS = 1.0
"""How long a browser is left without an answer before it gets one that says what is being waited for."""

_ENTERED = b'<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/datasets">\
<title>Heldout</title><link rel="icon" href="/static/icon.svg"><p><a href="/datasets">Heldout</a></p></html>'


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler works with."""

    project: Project
    request: Request
    page: Page


Handler = Callable[[Context], Response]
Routes = Mapping[tuple[str, str], Handler]


class Site:
    """Answers requests; any number of threads may ask."""

    def __init__(self, project: Project, guard: Guard, routes: Routes) -> None:
        self._project = project
        self._guard = guard
        self._routes = routes

    def answer(self, request: Request) -> Response:
        refusal = self._guard.refuse_stranger(request) if request.path == "/enter" else self._guard.refuse(request)
        if refusal is not None:
            return _error(request, refusal.status, "refused", refusal.reason)
        try:
            return self._found(request)
        except HeldoutError as error:
            status = _STATUS.get(error.slug, HTTPStatus.UNPROCESSABLE_ENTITY)
            if isinstance(error, MissingDataError):
                status = HTTPStatus.FAILED_DEPENDENCY
            return _error(request, status, error.slug, str(error), error.hint)
        except Exception as error:
            place = write_defect(error, f"page: {request.path}", [Path.home() / ".cache" / "heldout"])
            hint = f"details are in {place}" if place else None
            message = f"this is a defect of Heldout ({kind_of(error)})"
            return _error(request, HTTPStatus.INTERNAL_SERVER_ERROR, "defect", message, hint)

    def _found(self, request: Request) -> Response:
        if request.path == "/enter":
            return self._enter(request)
        if request.path.startswith("/static/"):
            file = static_file(request.path.removeprefix("/static/"))
            return file or _error(request, HTTPStatus.NOT_FOUND, "not-found", "there is no such file")
        method = "GET" if request.method == "HEAD" else request.method
        handler = self._routes.get((method, request.path))
        if handler is None:
            known = any(path == request.path for _, path in self._routes)
            status = HTTPStatus.METHOD_NOT_ALLOWED if known else HTTPStatus.NOT_FOUND
            return _error(request, status, "not-found", "there is no such page")
        frame = Page(request.path, self._guard.page_token, request.cookies.get("heldout-theme", ""), self._project.top)
        if request.path in _WAITING and not self._project.wait(_PATIENCE_SECONDS):
            return page(frame, "waiting.html", title="Reading")
        return handler(Context(self._project, request, frame))

    def _enter(self, request: Request) -> Response:
        """A page of our own goes on to the next, so that a browser sends the strict cookie whoever opened the link."""
        cookie = self._guard.enter(request.one("token"))
        if cookie is None:
            reason = "this link was used already; press Enter where heldout ui runs for another one"
            return _error(request, HTTPStatus.FORBIDDEN, "refused", reason)
        return Response(_ENTERED, HTML, headers={"Set-Cookie": cookie})


def _error(
    request: Request, status: HTTPStatus, what: str, message: str, hint: str | None = None, **more: object
) -> Response:
    if request.path.startswith("/api/"):
        return as_json({"error": what, "message": message, "hint": hint, **more}, status)
    body = render("error.html", status=int(status), slug=what, message=message, hint=hint)
    return Response(body, HTML, status)
