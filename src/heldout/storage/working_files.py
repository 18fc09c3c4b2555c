"""Files that Heldout writes into a working copy: never through a symbolic link.

A repository can commit a link in place of a folder (`datasets/x/reviews` that leads to somebody's home), and whoever
clones it has that link on disk. Whatever is written below the repository's top therefore goes through this module:
each folder on the way has to be one. What lies above the top may be a link; so may a data file, which DVC keeps as a
link into its cache. A place that a person names on the command line is their own affair.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from heldout.errors import ConfigError
from heldout.storage.atomic import write_file

if TYPE_CHECKING:
    from heldout.storage.git.repository import Git

FOLDER = ".heldout"
"""Caches, logs and scratch of one clone: git-ignored, always safe to delete."""

_LEVELS = 3
"""Folders inside each other below FOLDER that files are written to."""


def link_on_the_way(top: Path, path: str, *, itself: bool = True) -> str | None:
    """The first part of a path, relative to the top, that is a symbolic link; None where none is. What is not there is
    no link. `itself` False leaves out the last part."""
    parts = PurePosixPath(path).parts
    for length in range(1, len(parts) + itself):
        part = "/".join(parts[:length])
        if os.path.islink(top / part):
            return part
    return None


def require_own_place(top: Path, path: str, *, itself: bool = True) -> Path:
    """Where a file of the working copy is to be written. Raises ConfigError (slug symbolic-link)."""
    link = link_on_the_way(top, path, itself=itself)
    if link is not None:
        target = os.fsencode(os.readlink(top / link)).decode("utf-8", "backslashreplace")
        what = f"this is a symbolic link to {target}, and nothing is written through a link"
        written = "" if link == path else f" ({path} was to be written)"
        kind = "file" if link == path else "folder"
        hint = f"git rm --cached {link} where Git tracks it, remove the link, and put a {kind} in its place"
        raise ConfigError("symbolic-link", what + written, file=link, hint=hint)
    return top / path


def write_own_file(top: Path, path: str, data: bytes) -> None:
    """Write a file of the working copy whole or not at all. Raises ConfigError (slug symbolic-link)."""
    write_own_files(top, {path: data})


def write_own_files(top: Path, files: Mapping[str, bytes]) -> None:
    """The same for several, in their order; none is written where one cannot be."""
    places = {require_own_place(top, path): data for path, data in files.items()}
    for place, data in places.items():
        write_file(place, data)


def write_data_file(top: Path, path: str, data: bytes) -> None:
    """Write a file that DVC tracks. DVC may keep it as a link into its cache: then the file takes the link's place."""
    write_file(require_own_place(top, path, itself=False), data)


def local_folder(git: Git) -> Path | None:
    """Where `.heldout` may be read and written; None in a bare repository, where Git tracks anything of it, and where a
    link would lead out of it.

    What Git tracks there came with the repository: a link to anywhere, or a cache that nobody here measured and that
    would be believed. A link that its owner made, to a larger disk for instance, is tracked by nobody. Links below it
    are nobody's wish.
    """
    if git.bare:
        return None
    folder = git.top / FOLDER
    if os.path.lexists(folder) and git.line("ls-files", "--error-unmatch", "--", FOLDER) is not None:
        return None
    return None if _holds_link(folder, _LEVELS) else folder


def _holds_link(folder: Path, levels: int) -> bool:
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return False
    if any(entry.is_symlink() for entry in found):
        return True
    return levels > 1 and any(_holds_link(Path(entry.path), levels - 1) for entry in found if entry.is_dir())
