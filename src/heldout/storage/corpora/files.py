"""The files of a corpus: on this machine's disks, or anywhere else (`heldout.storage.corpora.remote`)."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote

from heldout.errors import DataError, UsageError
from heldout.storage.corpora.places import CorpusFile, has_magic, is_hidden, is_url, root_of, title_of
from heldout.storage.corpora.remote import opened_remote, remote_files
from heldout.storage.regular_files import changed, files_below, is_folder, opened, status

__all__ = ["CorpusFile", "Found", "as_seen_here", "find_files", "open_file"]


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a corpus, sorted by path, and what the place they were found in is called."""

    files: tuple[CorpusFile, ...]
    title: str

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def find_files(arguments: Iterable[str]) -> Found:
    """The files that paths, folders, globs and URLs stand for; hidden ones (._) of folders are no data.

    Paths in the corpus count from the folder given, from the part of a glob before its first wild card, or from the
    folder of a single file. Raises UsageError (no-shards, shards-alike, filesystem-missing, unknown-filesystem) and
    DataError (no-such-file, remote-unreadable and what regular_files refuses).
    """
    found: dict[str, CorpusFile] = {}
    titles: list[str] = []
    for argument in arguments:
        local = _local_path(argument)
        files = list(remote_files(argument) if local is None else _local(local))
        if not files:
            hint = "hidden files (beginning with . or _) are left out of folders; quote a glob so that it arrives here"
            raise UsageError("no-shards", f"{argument} stands for no file", hint=hint)
        titles.append(title_of(argument))
        for file in files:
            other = found.setdefault(file.path, file)
            if other.place != file.place:
                message = f"{other.shown} and {file.shown} would both be {file.path} in the corpus"
                raise UsageError("shards-alike", message, hint="give the folder that holds both")
    return Found(tuple(sorted(found.values(), key=lambda file: file.path)), titles[0] if titles else "")


@contextmanager
def open_file(file: CorpusFile) -> Iterator[BinaryIO]:
    """The open file, which must still be the one that was found when the block ends (slug changed-while-reading)."""
    if not file.remote:
        with opened(Path(file.place), file.shown) as (stream, _):
            if _local_mark(os.fstat(stream.fileno())) != file.mark:
                raise changed(file.shown)
            yield stream
        return
    with opened_remote(file) as stream:
        yield stream


def as_seen_here(file: CorpusFile) -> CorpusFile:
    """A file found by another machine, as this one sees it.

    Machines that share a disk number it and its files each in their own way; size and time of change are the file's.
    """
    if file.remote:
        return file
    mark = _local_mark(status(Path(file.place), file.shown))
    same = mark.split(":")[2:] == file.mark.split(":")[2:]
    return replace(file, mark=mark) if same else file


def _local_path(argument: str) -> str | None:
    """The path of a file:// URL, or of what is none; None for a remote one. A file may be called anything."""
    if argument.startswith("file://"):
        path = argument.removeprefix("file://")
        return unquote(path.removeprefix("localhost") if path.startswith("localhost/") else path)
    return argument if not is_url(argument) or os.path.exists(argument) else None


def _local(argument: str) -> Iterator[CorpusFile]:
    if has_magic(argument) and not os.path.exists(argument):
        root = Path(root_of(argument) or ".")
        known: dict[str, str] = {}
        for name in sorted(glob.glob(argument, recursive=True)):
            _refuse_circle(name, known)
            if os.path.isfile(name) or not os.path.isdir(name):
                yield _local_file(Path(name), name, Path(name).relative_to(root).as_posix())
        return
    place = Path(argument)
    if is_folder(place, argument):
        for file, shown in files_below(place, argument.rstrip("/") or argument):
            path = file.relative_to(place).as_posix()
            if not is_hidden(path):
                yield _local_file(file, shown, path)
        return
    yield _local_file(place, argument, place.name)


def _refuse_circle(name: str, real: dict[str, str]) -> None:
    """A link to a folder above itself would bring the same files again and again. `real` is what is known of folders:
    where they are, without links."""
    above: set[str] = set()
    for folder in accumulate(PurePosixPath(name).parts[:-1], os.path.join):
        if folder not in real:
            real[folder] = os.path.realpath(folder)
        if real[folder] in above and os.path.islink(folder):
            message = "a link to a folder that it is in itself"
            raise DataError("not-a-file", message, file=folder, hint="put the files themselves there")
        above.add(real[folder])


def _require_name(shown: str) -> None:
    """Raises DataError (slug bad-file-name) for what a record of the corpus could not name."""
    try:
        shown.encode("utf-8")
    except UnicodeEncodeError:
        name = os.fsencode(shown).decode("utf-8", "backslashreplace")
        message = "the name of the file is not UTF-8, so no record can name it"
        raise DataError("bad-file-name", message, file=name, hint="give it, or its folder, another name") from None


def _local_file(place: Path, shown: str, path: str) -> CorpusFile:
    _require_name(shown)
    is_folder(place, shown)  # refuses what is neither
    found = status(place, shown)
    return CorpusFile(path, os.path.abspath(place), shown, found.st_size, _local_mark(found))


def _local_mark(found: os.stat_result) -> str:
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
