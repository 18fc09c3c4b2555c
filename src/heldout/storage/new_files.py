"""Files that were not there before: all of a set appear, or none, and nothing is ever overwritten."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from heldout.errors import UsageError


def require_absent(paths: Sequence[Path]) -> None:
    """Raises UsageError (slug output-exists) where anything stands at one of the paths, be it a broken link."""
    for path in paths:
        if os.path.lexists(path):
            raise _exists(path)


_NO_PLACE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG})
"""What is wrong with the name of a place: a file where a folder has to be, for instance."""


@contextmanager
def new_files(paths: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """A stream for each path; they become files when the block ends without an error.

    Each is written aside and then linked to its name, which fails where another process took it meanwhile. Raises
    UsageError (slug output-exists, cannot-write); then, and after any other error, none of the files is there.
    """
    require_absent(paths)
    asides: list[Path] = []
    made: list[Path] = []
    try:
        with ExitStack() as stack:
            streams: list[BinaryIO] = []
            for path in paths:
                aside = path.with_name(f".{path.name}.{os.getpid()}.new")
                streams.append(stack.enter_context(_opened(aside, path)))
                asides.append(aside)
            yield streams
        for path, aside_path in zip(paths, asides, strict=True):
            _link(aside_path, path)
            made.append(path)
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    finally:
        for aside_path in asides:
            aside_path.unlink(missing_ok=True)


def write_new(path: Path, data: bytes) -> None:
    """One file with these bytes. Raises UsageError (slug output-exists)."""
    with new_files([path]) as (stream,):
        stream.write(data)


def _opened(aside: Path, path: Path) -> BinaryIO:
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        return aside.open("xb")
    except OSError as error:
        if error.errno not in _NO_PLACE:
            raise
        reason = os.strerror(error.errno or 0)
        raise UsageError("cannot-write", f"{path}: {reason}", hint="name another place for it") from None


def _link(aside: Path, path: Path) -> None:
    try:
        os.link(aside, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
        require_absent([path])
        aside.rename(path)


def _exists(path: Path) -> UsageError:
    hint = "name another place for it, or move the older one away; nothing is overwritten"
    return UsageError("output-exists", f"{path} is there already", hint=hint)
