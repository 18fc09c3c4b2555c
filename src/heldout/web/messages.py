"""A request as a handler sees it, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from heldout.errors import UsageError

HTML = "text/html; charset=utf-8"
JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Request:
    """`path` without its query; `query` holds every value of a name; `headers` have lower-case names."""

    method: str
    path: str
    query: Mapping[str, list[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def one(self, name: str, default: str = "") -> str:
        return _writable(self.query.get(name, [default])[0], name)

    def many(self, name: str) -> frozenset[str]:
        return frozenset(value for value in self.query.get(name, []) if value)

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number from 0 up to `most`. Raises UsageError (slug bad-request)."""
        text = self.one(name, str(default))
        if not text.isascii() or not text.isdigit() or len(text) > 12:
            raise UsageError("bad-request", f"{name} is a whole number, found {text!r}")
        return min(int(text), most)

    @property
    def cookies(self) -> dict[str, str]:
        pairs = (part.strip().partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name: value for name, _, value in pairs if name}

    def json(self) -> dict[str, Any]:
        """The object that was sent. Raises UsageError (slug bad-request)."""
        try:
            value = json.loads(self.body.decode("utf-8"))
        except ValueError:
            raise UsageError("bad-request", "expected a JSON object") from None
        except RecursionError:
            raise UsageError("bad-request", "the JSON is nested too deep") from None
        if not isinstance(value, dict):
            raise UsageError("bad-request", "expected a JSON object")
        return value


@dataclass(frozen=True, slots=True)
class Response:
    body: bytes
    content_type: str = HTML
    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


def as_json(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Response(data.encode("utf-8", "backslashreplace"), JSON_TYPE, status)


def text_field(data: Mapping[str, Any], name: str, default: str = "") -> str:
    """A text of a JSON object. Raises UsageError (slug bad-request)."""
    value = data.get(name, default)
    if not isinstance(value, str):
        raise UsageError("bad-request", f"{name} is a text, found {type(value).__name__}")
    return _writable(value, name)


def _writable(text: str, name: str) -> str:
    """What no file can hold, neither in its name nor inside, Python refuses with an error of its own."""
    if "\0" in text:
        raise UsageError("bad-request", f"{name} holds a NUL")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("bad-request", f"{name} holds half of a character")
    return text
