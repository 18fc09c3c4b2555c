"""What is written down of a defect of ours: where it happened, and nothing that could quote an example.

A message and a local variable may hold a row of the user's data, so neither is kept: only the places in our code, the
kinds of the errors, and what runs it.
"""

from __future__ import annotations

import os
import platform
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from heldout import __version__
from heldout.storage.working_files import local_folder

if TYPE_CHECKING:
    from heldout.storage.git.repository import Git


def write_defect(error: BaseException, during: str, folders: list[Path]) -> Path | None:
    """Appends to `defect-PID.log` in the first folder that can be written; None where none can."""
    text = f"heldout {__version__}, Python {platform.python_version()}, {platform.system()}\n{during}\n"
    text += "".join(_parts(error))
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"defect-{os.getpid()}.log"
            with file.open("a", encoding="utf-8") as stream:
                stream.write(text)
        except OSError:
            continue
        return file
    return None


def kind_of(error: BaseException) -> str:
    return type(error).__qualname__


def _parts(error: BaseException) -> Iterator[str]:
    """The error, then what it arose from, the way Python prints them, but for the messages."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield f"{kind_of(current)}\n"
        yield from traceback.format_list(traceback.extract_tb(current.__traceback__))
        current = current.__cause__ or current.__context__


def ignored_folder(git: Git) -> Path | None:
    """`.heldout` of a working copy, made and kept out of Git; None where it cannot be."""
    folder = local_folder(git)
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return folder
