"""JSON as some tools write it, with NaN where a score is missing: read as null, which says the same.

Only for results. Python's json module writes NaN, -Infinity and Infinity for floats that JSON has no form for; Inspect
has NaN as the score of a sample that was not scored. In an example such a token stays a refusal: what was measured on
must be exact.
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b')
"""A string, which is passed over whole, or such a token. No string goes over the end of a line."""


def without_nan(data: bytes) -> bytes:
    if b"NaN" not in data and b"Infinity" not in data:
        return data
    return _TOKEN.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", data)


class WithoutNan(io.RawIOBase):
    """A stream of JSON text, line by line; lines stay lines, so that messages name the right ones."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        if not self._ready:
            self._ready = memoryview(without_nan(self._stream.readline()))
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count
