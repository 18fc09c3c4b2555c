"""Canaries: strings that stand in a benchmark's files and pages, and nowhere else. A corpus that has one has the rest.

A canary is a version 4 UUID (RFC 9562) of the system's randomness, 122 bits, so that it occurs by chance nowhere. It is
searched for by itself, whatever sentence stands around it.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

GUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Canary:
    """`text` is what is searched for; `name` the dataset it belongs to, or what the person called it."""

    name: str
    text: str

    @property
    def sentence(self) -> str:
        """The line to put into files and pages, for people and for filters that read it."""
        return f"Held-out data of {self.name}: keep it out of training corpora. heldout canary {self.text}"


def new_canary(name: str, randomness: bytes) -> Canary:
    """`randomness` are 16 bytes of the operating system's."""
    return Canary(name, str(uuid.UUID(bytes=randomness, version=4)))


def spellings(text: str) -> tuple[bytes, ...]:
    """The bytes that stand for a text in a file: as UTF-8, inside JSON strings of both kinds, and in capitals."""
    cases = (text, text.lower(), text.upper()) if GUID.fullmatch(text.lower()) else (text,)
    written = [form for case in cases for form in (case, _in_json(case, ascii_only=True), _in_json(case))]
    return tuple(dict.fromkeys(form.encode() for form in written))


def _in_json(text: str, *, ascii_only: bool = False) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A canary in a file. `offset` is in bytes of the unpacked file and `line` from 1; of a Parquet file, where neither
    means anything, `line` is the row and `column` the column's name."""

    file: str
    canary: Canary
    line: int
    offset: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """`size` counts bytes that were searched, unpacked. `left_out` are files that could not be, and why.

    Of each file and canary the first sightings are listed; `counts` has all, by (file, canary's name).
    """

    files: int
    size: int
    sightings: tuple[Sighting, ...]
    counts: dict[tuple[str, str], int]
    left_out: tuple[tuple[str, str], ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Searched]) -> Searched:
        every = tuple(parts)
        return cls(
            sum(part.files for part in every),
            sum(part.size for part in every),
            tuple(item for part in every for item in part.sightings),
            {key: count for part in every for key, count in part.counts.items()},
            tuple(item for part in every for item in part.left_out),
        )
