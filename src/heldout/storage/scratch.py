"""A folder for what does not fit in memory: hashes and numbers only, never a text, gone when the work is done.

It stands in the system's folder for temporary files. A process that is killed leaves it behind; a lock, which dies with
its process, tells such a folder from one in use, and the next scan that needs a folder removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "heldout-scratch-"
_LOCK: Final = "lock"
_ABANDONED: Final = 86400  # seconds after which a folder without a lock has no process that is about to lock it


class Scratch:
    """A folder of this process, removed by `close`, with the object, or at the end of the process."""

    def __init__(self) -> None:
        remove_abandoned()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = _locked(self.folder)
        self._end = weakref.finalize(self, _remove, self.folder, lock, os.getpid())

    def path(self, name: str) -> Path:
        return self.folder / name

    def close(self) -> None:
        self._end()


def remove_abandoned() -> None:
    """Remove folders of this user whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if found.st_uid == os.getuid() and folder.is_dir() and not folder.is_symlink():
                _remove_if_abandoned(folder, found.st_mtime)


def _remove_if_abandoned(folder: Path, changed: float) -> None:
    import fcntl

    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        if time.time() - changed > _ABANDONED:
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # its process lives
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _locked(folder: Path) -> int:
    """The open lock file; it gets its name only when it is locked, so that nobody meets it unlocked."""
    import fcntl

    aside = folder / f".{_LOCK}"
    lock = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    aside.rename(folder / _LOCK)
    return lock


def _remove(folder: Path, lock: int, owner: int) -> None:
    if os.getpid() == owner:  # a forked child has the object too, but not the folder
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
