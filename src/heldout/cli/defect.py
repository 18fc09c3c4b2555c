"""A defect of ours: one line for the person, and a log file that holds no example text."""

from __future__ import annotations

import sys
from pathlib import Path

from heldout.storage.defect_log import kind_of, write_defect


def report_defect(error: Exception) -> None:
    """Say where the details are; the message itself is not shown, since it could quote data."""
    own = Path.cwd() / ".heldout"
    folders = [own / "log"] if own.is_dir() and not own.is_symlink() and not (own / "log").is_symlink() else []
    place = write_defect(error, f"arguments: {len(sys.argv) - 1}", [*folders, Path.home() / ".cache" / "heldout"])
    where = f"; details in {place}" if place else ""
    sys.stderr.write(f"heldout: this is a defect of Heldout ({kind_of(error)}){where}\n")
