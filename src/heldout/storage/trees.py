"""One view of files for a commit, the index and the working copy: rules never ask where bytes come from."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class FileTree(Protocol):
    """Files by POSIX path relative to the repository's top."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file; None where there is none (a link, a folder and a submodule are none)."""

    def paths(self, prefix: str = "", without: Collection[str] = ()) -> Iterable[str]:
        """Regular files at or below a folder, sorted by their bytes; `prefix` is a whole path, never half a name.

        Folders named in `without` are not entered.
        """


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The working copy as it lies on disk, untracked files included. Links are not followed."""

    top: Path

    def read(self, path: str) -> bytes | None:
        file = self.top / path
        if not below(self.top, file) or file.is_symlink() or not file.is_file():
            return None
        return file.read_bytes()

    def paths(self, prefix: str = "", without: Collection[str] = ()) -> list[str]:
        start = self.top / prefix
        if not below(self.top, start):
            return []
        if prefix and start.is_file() and not start.is_symlink():
            return [prefix]
        found = []
        for folder, folders, files in os.walk(start):
            folders[:] = [name for name in folders if name != ".git" and name not in without]
            here = Path(folder)
            found += [(here / name).relative_to(self.top).as_posix() for name in files if _regular(here / name)]
        return sorted(found, key=os.fsencode)


def _regular(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def below(top: Path, file: Path) -> bool:
    """Whether a path stays inside `top` once links and `..` in its folders are resolved."""
    return file.parent.resolve().is_relative_to(top.resolve())
