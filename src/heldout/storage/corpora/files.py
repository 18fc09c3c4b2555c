"""The files of a corpus: on this machine's disks, or anywhere that fsspec knows; the only module that imports fsspec.

Each kind of remote file system is a package of its own (s3fs, gcsfs, adlfs, huggingface_hub), imported when a URL asks
for it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

from heldout.errors import DataError, UsageError
from heldout.storage.regular_files import changed, files_below, is_folder, opened, status

_PACKAGES: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs",
                    "abfss": "adlfs", "adl": "adlfs", "hf": "huggingface_hub", "http": "aiohttp", "https": "aiohttp",
                    "sftp": "paramiko", "ssh": "paramiko", "smb": "smbprotocol", "oss": "ossfs"}  # fmt: skip
_MAGIC: Final = "*?["
_TOLD: Final = ("ETag", "etag", "md5Hash", "crc32c", "blob_id", "generation", "Content-MD5", "Digest", "sha", "CRC",
                "LastModified", "Last-Modified", "last_modified", "modificationTime", "updated", "modify", "date_time",
                "mtime", "created")  # fmt: skip
"""What the packages of fsspec call that which changes with a file's bytes."""

_HIDDEN: Final = (".", "_")
"""First letters of names that Hadoop, Spark and Git give to files that are no data (_SUCCESS, .crc)."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a corpus. `path` names it in the corpus, `place` is where it is: an absolute path or a URL.

    `mark` changes when other bytes come to stand there, as far as the file system tells; of a file that `is_told_apart`
    it tells more than the size.
    """

    path: str
    place: str
    shown: str
    size: int
    mark: str

    @property
    def remote(self) -> bool:
        return _is_url(self.place)

    @property
    def is_told_apart(self) -> bool:
        """Whether other bytes of the same size would be noticed: some servers tell neither a time nor a digest."""
        return ":" in self.mark

    @property
    def in_this_process(self) -> bool:
        """Whether no other process can read it: fsspec's memory:// is this process's own."""
        return "memory://" in self.place


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
        files = list(_remote(argument) if local is None else _local(local))
        if not files:
            hint = "hidden files (beginning with . or _) are left out of folders; quote a glob so that it arrives here"
            raise UsageError("no-shards", f"{argument} stands for no file", hint=hint)
        titles.append(_title(argument))
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
            _require_same(file, _local_mark(os.fstat(stream.fileno())))
            yield stream
        return
    system, path = _system(file.place)
    with _told(file.shown):
        stream = system.open(path, "rb")
    with stream:
        yield _Remote(stream, file.shown)  # type: ignore[misc]
    with _told(file.shown):
        system.invalidate_cache()
        _require_same(file, _remote_mark(system.info(path)))


def as_seen_here(file: CorpusFile) -> CorpusFile:
    """A file found by another machine, as this one sees it.

    Machines that share a disk number it and its files each in their own way; size and time of change are the file's.
    """
    if file.remote:
        return file
    mark = _local_mark(status(Path(file.place), file.shown))
    same = mark.split(":")[2:] == file.mark.split(":")[2:]
    return replace(file, mark=mark) if same else file


class _Remote:
    """A remote stream whose errors are told with the file's name."""

    def __init__(self, inner: Any, shown: str) -> None:
        self._inner = inner
        self._shown = shown

    def read(self, size: int = -1, /) -> bytes:
        with _told(self._shown):
            data: bytes = self._inner.read(size)
        return data


@contextmanager
def _told(shown: str) -> Iterator[None]:
    """Every package raises errors of its own; what they have in common is that the file could not be read."""
    try:
        yield
    except FileNotFoundError:
        raise DataError("no-such-file", "there is no such file", file=shown, hint="check the URL") from None
    except DataError:
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        hint = "check the URL and your credentials for it"
        raise DataError("remote-unreadable", f"{type(error).__name__}: {reason}", file=shown, hint=hint) from error


def _require_same(file: CorpusFile, mark: str) -> None:
    if mark != file.mark:
        raise changed(file.shown)


def _is_url(argument: str) -> bool:
    return "://" in argument


def _local_path(argument: str) -> str | None:
    """The path of a file:// URL, or of what is none; None for a remote one. A file may be called anything."""
    if argument.startswith("file://"):
        path = argument.removeprefix("file://")
        return unquote(path.removeprefix("localhost") if path.startswith("localhost/") else path)
    return argument if not _is_url(argument) or os.path.exists(argument) else None


def _title(argument: str) -> str:
    """The last part of a path that says something: a folder's name, or a file's without its suffixes."""
    root = _root_of(argument.split("://", 1)[-1])
    parts = [part for part in PurePosixPath(root or argument).parts if part not in ("/", "..", ".")]
    name = parts[-1] if parts else Path.cwd().name
    return name.split(".")[0] if not name.startswith(".") else name


def _has_magic(path: str) -> bool:
    return any(mark in path for mark in _MAGIC)


def _root_of(path: str) -> str:
    """The folders of a glob before its first wild card; the whole path where there is none."""
    if not _has_magic(path):
        return path
    parts = path.split("/")
    first = next(place for place, part in enumerate(parts) if _has_magic(part))
    return "/".join(parts[:first]) or ("/" if path.startswith("/") else "")


def _hidden(path: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.split("/"))


def _local(argument: str) -> Iterator[CorpusFile]:
    if _has_magic(argument) and not os.path.exists(argument):
        root = Path(_root_of(argument) or ".")
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
            if not _hidden(path):
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


def _local_file(place: Path, shown: str, path: str) -> CorpusFile:
    is_folder(place, shown)  # refuses what is neither
    found = status(place, shown)
    return CorpusFile(path, os.path.abspath(place), shown, found.st_size, _local_mark(found))


def _local_mark(found: os.stat_result) -> str:
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"


def _remote(argument: str) -> Iterator[CorpusFile]:
    system, path = _system(argument)
    with _told(argument):
        if _has_magic(path):
            root = _root_of(path)
            names = sorted(name for name in system.glob(path) if system.isfile(name))
        elif system.isdir(path):
            root = path
            names = sorted(name for name in system.find(path) if not _hidden(_below(name, root)))
        else:
            root, names = path.rpartition("/")[0], [path]
        infos = [system.info(name) for name in names]
    spelt = _spelling(argument, path) or system.unstrip_protocol
    for name, info in zip(names, infos, strict=True):
        url = spelt(name)
        yield CorpusFile(_below(name, root), url, url, int(info.get("size") or 0), _remote_mark(info))


def _spelling(argument: str, path: str) -> Callable[[str], str] | None:
    """Spells the URL of any file of the file system that `path` is in, as the URL of that path is spelt: with the host
    (sftp://host/path), the repository or the archive (zip://path::file.zip), which paths are without. None where the
    path is spelt otherwise in it."""
    link, chain, rest = argument.partition("::")
    if path:
        link = link.rstrip("/")
    if not link.endswith(path) or "://" not in link:
        return None
    before = link[: len(link) - len(path)]
    return lambda name: f"{before}{name}{chain}{rest}"


def _below(name: str, root: str) -> str:
    return name.removeprefix(root.rstrip("/")).lstrip("/")


def _remote_mark(info: dict[str, Any]) -> str:
    """Whatever the file system tells of a file's bytes: its size, and its etag, digest or time."""
    return ":".join([str(info.get("size")), *(f"{name}={info[name]}" for name in _TOLD if info.get(name) is not None)])


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it."""
    protocol = url.split("://", 1)[0].rsplit("::", maxsplit=1)[-1]
    try:
        import fsspec.core

        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        hint = f"pip install {package}" if package else str(error)
        raise UsageError("filesystem-missing", f"{protocol}:// needs a package that is not here", hint=hint) from None
    except ValueError as error:
        hint = "known are file://, s3://, gs://, az://, https://, hf:// and others of fsspec"
        raise UsageError("unknown-filesystem", f"{url}: {error}", hint=hint) from None
    except Exception as error:
        hint = "check the URL and your credentials for it"
        raise DataError("remote-unreadable", f"{type(error).__name__}: {error}", file=url, hint=hint) from error
    return system, path
