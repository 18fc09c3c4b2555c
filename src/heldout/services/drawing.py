"""A drawing that a report made, kept where a person said."""

from __future__ import annotations

from pathlib import Path

from heldout.storage.atomic import write_file


def keep_drawing(target: str, drawing: str) -> None:
    """Write it whole or not at all; an older one is replaced."""
    write_file(Path(target), drawing.encode("utf-8"))
