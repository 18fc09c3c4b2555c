"""How a slice, or one of its definitions, is named in text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIGITS = 64
_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9_-]*[a-zA-Z0-9])?")
_REFERENCE = re.compile(r"(?P<name>[^#@]+)(?:#(?P<number>[1-9][0-9]{0,8})|@(?:sha256:)?(?P<digest>[0-9a-f]{4,64}))?")


def slice_name_problem(name: str) -> str | None:
    """Why `name` cannot name a slice, or None: it is a file's name and stands before `#` and `@`."""
    if not _NAME.fullmatch(name):
        return "use letters, digits, '-' and '_', beginning and ending with a letter or digit"
    return None


@dataclass(frozen=True, slots=True)
class SliceReference:
    """`NAME`, `NAME#NUMBER` or `NAME@DIGEST`; `digest` is hex, at least four digits of its beginning."""

    name: str
    number: int | None = None
    digest: str | None = None

    @classmethod
    def parse(cls, text: str) -> SliceReference | None:
        match = _REFERENCE.fullmatch(text)
        if match is None or slice_name_problem(match["name"]):
            return None
        return cls(match["name"], int(match["number"]) if match["number"] else None, match["digest"])

    @property
    def full_digest(self) -> str | None:
        """`sha256:` and all 64 digits, where the reference has them: then it is pinned, and no number can move it."""
        return f"sha256:{self.digest}" if self.digest is not None and len(self.digest) == _DIGITS else None

    def __str__(self) -> str:
        mark = f"#{self.number}" if self.number is not None else f"@{self.digest}" if self.digest else ""
        return f"{self.name}{mark}"
