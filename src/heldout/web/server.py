"""The server: the standard library's, on the loopback interface, one thread a connection."""

from __future__ import annotations

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from heldout.errors import UsageError
from heldout.web.messages import Request, Response, as_json
from heldout.web.site import Site

_MOST_BODY = 1 << 20
_HEADERS = {
    # Nothing from elsewhere, nothing inline, and no text that becomes markup.
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",  # held-out texts stay out of the browser's cache on disk
}


class Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1; port 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site: Site | None = None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle is no news."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: Server
    known: ClassVar = ("GET", "HEAD", "POST")

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        assert self.server.site is not None
        try:
            request = self._read()
        except UsageError as error:
            self.close_connection = True
            self._send(as_json({"error": error.slug, "message": error.message}, HTTPStatus.BAD_REQUEST))
            return
        self._send(self.server.site.answer(request))

    def _read(self) -> Request:
        length = self.headers.get("Content-Length", "0")
        if (
            not (length.isascii() and length.isdigit())
            or int(length) > _MOST_BODY
            or "Transfer-Encoding" in self.headers
        ):
            raise UsageError("bad-request", "a request has at most a mebibyte, and says how long it is")
        if len(self.headers.get_all("Host", [])) != 1:
            raise UsageError("bad-request", "a request names one host")
        try:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=200)
        except ValueError:
            raise UsageError("bad-request", "the address cannot be read") from None
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(self.command, parts.path, query, headers, self.rfile.read(int(length)))

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in {**_HEADERS, **response.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def version_string(self) -> str:
        return "heldout"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """Nothing: a query can hold a key."""
