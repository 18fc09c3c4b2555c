"""The page of a GitHub Actions step, to which every command of the step may add."""

from __future__ import annotations

import os
from collections.abc import Iterable

LIMIT = 1 << 20
"""Bytes of a step's page; a longer one is not shown at all."""


def room(path: str) -> int:
    """Bytes that may still be added."""
    try:
        return max(0, LIMIT - os.stat(path).st_size)
    except FileNotFoundError:
        return LIMIT


def append(path: str, pieces: Iterable[str]) -> None:
    with open(path, "a", encoding="utf-8", errors="backslashreplace", newline="\n") as page:
        page.writelines(pieces)
