"""Files of a corpus anywhere that fsspec knows; the only module that imports fsspec.

Each kind of remote file system is a package of its own (s3fs, gcsfs, adlfs, huggingface_hub), imported when a URL asks
for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from heldout.errors import DataError, UsageError
from heldout.storage.corpora.places import CorpusFile, below, has_magic, is_hidden, is_web, root_of, without_query
from heldout.storage.regular_files import changed

_PACKAGES: Final = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs",
                    "abfss": "adlfs", "adl": "adlfs", "hf": "huggingface_hub", "http": "aiohttp", "https": "aiohttp",
                    "sftp": "paramiko", "ssh": "paramiko", "smb": "smbprotocol", "oss": "ossfs"}  # fmt: skip
_TOLD: Final = ("ETag", "etag", "md5Hash", "crc32c", "blob_id", "generation", "Content-MD5", "Digest", "sha", "CRC",
                "LastModified", "Last-Modified", "last_modified", "modificationTime", "updated", "modify", "date_time",
                "mtime", "created")  # fmt: skip
"""What the packages of fsspec call that which changes with a file's bytes."""


def remote_files(argument: str) -> Iterator[CorpusFile]:
    """The files that a URL stands for: one, those of a folder, or those of a glob."""
    system, path = _system(argument)
    with _told(without_query(argument)):
        if has_magic(path):
            root = root_of(path)
            names = sorted(name for name in system.glob(path) if system.isfile(name))
        elif _may_be_folder(path) and system.isdir(path):
            root = path
            names = sorted(name for name in system.find(path) if not is_hidden(below(name, root)))
        else:
            root, names = without_query(path).rpartition("/")[0], [path]
        infos = [system.info(name) for name in names]
    spelt = _spelling(argument, path) or system.unstrip_protocol
    for name, info in zip(names, infos, strict=True):
        url = spelt(name)
        yield CorpusFile(below(name, root), url, without_query(url), int(info.get("size") or 0), _mark(info))


@contextmanager
def opened_remote(file: CorpusFile) -> Iterator[BinaryIO]:
    """The open file, which must still be the one that was found when the block ends (slug changed-while-reading)."""
    system, path = _system(file.place)
    with _told(file.shown):
        stream = system.open(path, "rb")
    with stream:
        yield _Stream(stream, file.shown)  # type: ignore[misc]
    with _told(file.shown):
        system.invalidate_cache()
        mark = _mark(system.info(path))
    if mark != file.mark:
        raise changed(file.shown)


class _Stream:
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


def _may_be_folder(path: str) -> bool:
    """On the web a page with links is what comes nearest to a folder, and fsspec takes any text for one in which it
    finds links, a corpus of pages too, read whole: so a name with a suffix is a file."""
    return not is_web(path) or "." not in without_query(path).rpartition("/")[2]


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


def _mark(info: dict[str, Any]) -> str:
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
