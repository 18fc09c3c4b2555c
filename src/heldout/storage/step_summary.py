"""The page of a GitHub Actions step, to which every command of the step may add."""

from __future__ import annotations

import os

LIMIT = 1 << 20
"""Bytes of a step's page; a longer one is not shown at all."""


def room(path: str) -> int:
    """Bytes that may still be added."""
    try:
        return max(0, LIMIT - os.stat(path).st_size)
    except FileNotFoundError:
        return LIMIT


def append(path: str, text: str) -> bool:
    """Whether there was room for it."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > room(path):
        return False
    with open(path, "ab") as page:
        page.write(data)
    return True
