"""A file on disk by its path: a regular file that stays what it is while it is read, or a refusal that says what it is.

Opening a named pipe would wait for ever and a device has no end, so the kind is asked first, and once more of the open
file, for a path can be given another meaning in between.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, NoReturn

from heldout.errors import DataError

_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Identity(NamedTuple):
    """What changes when other bytes come to stand at a path. A change that keeps the size, within one tick of the
    file system's clock (milliseconds), is not seen; DVC's md5 sees it later."""

    device: int
    inode: int
    size: int
    changed: int


def status(place: Path, shown: str) -> os.stat_result:
    """As os.stat, links followed. Raises DataError (slugs no-such-file, unreadable-file) where there is none."""
    try:
        if shown:
            return os.stat(place)
        raise FileNotFoundError
    except (FileNotFoundError, NotADirectoryError, ValueError):
        if os.path.islink(place):
            message = f"the link leads to {os.readlink(place)}, which is not there"
            raise DataError("no-such-file", message, file=shown, hint="dvc checkout restores links to data") from None
        message = "there is no such file"
        raise DataError("no-such-file", message, file=shown, hint="check the path, or dvc pull") from None
    except OSError as error:
        raise _unreadable(error, shown) from error


def is_folder(place: Path, shown: str) -> bool:
    """Whether it is a folder; else it is a regular file. Raises DataError for anything that is neither."""
    mode = status(place, shown).st_mode
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        _refuse_kind(mode, shown)
    return stat.S_ISDIR(mode)


def files_below(folder: Path, shown: str) -> Iterator[tuple[Path, str]]:
    """Every file of a folder, sorted, with what messages call it.

    Raises DataError for what is neither file nor folder, and for a link to a folder: to pass over one would be to say
    that everything was read.
    """
    for place in sorted(folder.rglob("*")):
        name = f"{shown}/{place.relative_to(folder).as_posix()}"
        if not is_folder(place, name):
            yield place, name
        elif place.is_symlink():
            message = "a link to a folder, inside a folder of data files"
            raise DataError("not-a-file", message, file=name, hint="put the files themselves there")


@contextmanager
def opened(place: Path, shown: str) -> Iterator[tuple[BinaryIO, Identity]]:
    """The open file, and what it is now.

    Raises DataError: slugs no-such-file, not-a-file, unreadable-file; changed-while-reading at the end of a block that
    came to its end, when something else stands there now.
    """
    if is_folder(place, shown):
        _refuse_kind(stat.S_IFDIR, shown)
    try:
        # Without O_NONBLOCK, a pipe put there just now would hold the process; files do not know the difference.
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(error, shown) from error
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            _refuse_kind(before.st_mode, shown)
        yield stream, _identity(before)
        if _identity(os.fstat(descriptor)) != _identity(before):
            raise changed(shown)
        require_unchanged(place, shown, _identity(before))


def require_unchanged(place: Path, shown: str, before: Identity) -> None:
    """Raises DataError (slug changed-while-reading) when another file, or other bytes, stand there now."""
    try:
        same = _identity(os.stat(place)) == before
    except OSError:
        same = False
    if not same:
        raise changed(shown)


def changed(shown: str) -> DataError:
    message = "the file changed while it was being read"
    return DataError("changed-while-reading", message, file=shown, hint="run the command again")


def _identity(found: os.stat_result) -> Identity:
    return Identity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _unreadable(error: OSError, shown: str) -> DataError:
    reason = error.strerror or type(error).__name__
    return DataError("unreadable-file", f"it cannot be opened: {reason}", file=shown)


def _refuse_kind(mode: int, shown: str) -> NoReturn:
    kind = next((name for test, name in _KINDS if test(mode)), "something else")
    hint = "Write the data to a file first." if kind != "a folder" else None
    raise DataError("not-a-file", f"this is {kind}, not a regular file", file=shown, hint=hint)
