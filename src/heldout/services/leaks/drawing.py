"""A drawing that a report made, kept where a person said."""

from __future__ import annotations

from pathlib import Path

from heldout.errors import UsageError
from heldout.storage.new_files import write_new


def keep_drawing(target: str, drawing: str) -> None:
    """Write it whole or not at all; Raises UsageError: bad-value for no file's
    name, output-exists."""
    if not target or Path(target).is_dir():
        raise UsageError("bad-value", f"--svg {target}: a file's name is expected", hint="--svg overlap.svg")
    write_new(Path(target), drawing.encode("utf-8"))
