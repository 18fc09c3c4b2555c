"""Who may ask: the browser that was given the link, from a page of this server, by this machine's own address.

A page on 127.0.0.1 is reachable by every program on the machine and, through the browser, by every web site. So a
request needs the session's cookie, a Host that is this server's (a name that was rebound to 127.0.0.1 is another
host), and no sign that another site made it; one that writes needs an Origin and a token of the page besides.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hmac import compare_digest
from http import HTTPStatus
from threading import Lock

from heldout.web.messages import Request

CSRF_HEADER = "x-heldout-token"
_OWN_SITE = ("same-origin", "none")


@dataclass(frozen=True, slots=True)
class Refusal:
    status: HTTPStatus
    reason: str


class Guard:
    """The secrets of one server. `page_token` is in every page, and in no cookie: a cookie alone writes nothing."""

    def __init__(self, port: int) -> None:
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._cookie = f"heldout-{port}"
        self._session = secrets.token_urlsafe(32)
        self._links: set[str] = set()
        self._lock = Lock()
        self.page_token = secrets.token_urlsafe(32)
        self.port = port

    def new_link(self) -> str:
        """A link that opens the page once: what stands in a process list or a shell's history is of no use after."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._links.add(token)
        return f"http://127.0.0.1:{self.port}/enter?token={token}"

    def enter(self, token: str) -> str | None:
        """The header that gives a browser its session, or None for a link that is wrong or was used."""
        with self._lock:
            known = [link for link in self._links if compare_digest(link.encode(), token.encode())]
            self._links.difference_update(known)
        if not known:
            return None
        return f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"

    def refuse_stranger(self, request: Request) -> Refusal | None:
        """For every request, with or without a session."""
        if request.headers.get("host", "").lower() not in self._hosts:
            return Refusal(HTTPStatus.MISDIRECTED_REQUEST, "this server answers to 127.0.0.1 and localhost only")
        return None

    def refuse(self, request: Request) -> Refusal | None:
        """Why a request that is not for a link is refused, or None."""
        refusal = self.refuse_stranger(request)
        if refusal is not None:
            return refusal
        given = request.cookies.get(self._cookie, "")
        if not compare_digest(given.encode(), self._session.encode()):
            return Refusal(HTTPStatus.FORBIDDEN, "open the link that heldout ui printed; each opens the page once")
        if request.headers.get("sec-fetch-site", "none") not in _OWN_SITE:
            return Refusal(HTTPStatus.FORBIDDEN, "another site made this request")
        return None if request.method in ("GET", "HEAD") else self._refuse_write(request)

    def _refuse_write(self, request: Request) -> Refusal | None:
        if request.headers.get("origin") != f"http://{request.headers['host'].lower()}":
            return Refusal(HTTPStatus.FORBIDDEN, "a change is asked for by this page only")
        if not compare_digest(request.headers.get(CSRF_HEADER, "").encode(), self.page_token.encode()):
            return Refusal(HTTPStatus.FORBIDDEN, "the page is of an earlier run: load it again")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a change is sent as application/json")
        return None
