"""A defect of ours: one line for the person, and a log file that holds no example text."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from pathlib import Path

from heldout import __version__


def report_defect(error: Exception) -> None:
    """Write a traceback without its message, which could quote data, and say where it is."""
    place = _write(error)
    where = f"; details in {place}" if place else ""
    sys.stderr.write(f"heldout: this is a defect of Heldout ({type(error).__name__}){where}\n")


def _write(error: Exception) -> Path | None:
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    text = f"heldout {__version__}, Python {platform.python_version()}, {platform.system()}\n"
    text += f"arguments: {len(sys.argv) - 1}\n{type(error).__qualname__}\n" + "".join(frames)
    for folder in (Path.cwd() / ".heldout" / "log", Path.home() / ".cache" / "heldout"):
        if folder.parent.name == ".heldout" and not folder.parent.exists():
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"defect-{os.getpid()}.log"
            file.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return file
    return None
