"""How a file of a corpus is called: in the corpus, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

_WEB: Final = ("http://", "https://")
_MAGIC: Final = "*?["
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
        return is_url(self.place)

    @property
    def is_told_apart(self) -> bool:
        """Whether other bytes of the same size would be noticed: some servers tell neither a time nor a digest."""
        return ":" in self.mark

    @property
    def in_this_process(self) -> bool:
        """Whether no other process can read it: fsspec's memory:// is this process's own."""
        return "memory://" in self.place


def is_url(argument: str) -> bool:
    return "://" in argument


def is_web(argument: str) -> bool:
    """Whether what follows a question mark is a question to a server, and may hold a signature: no part of a name."""
    return argument.startswith(_WEB)


def without_query(url: str) -> str:
    return url.partition("?")[0] if is_web(url) else url


def has_magic(path: str) -> bool:
    return any(mark in without_query(path) for mark in _MAGIC)


def root_of(path: str) -> str:
    """The folders of a glob before its first wild card; the whole path where there is none."""
    if not has_magic(path):
        return path
    parts = path.split("/")
    first = next(place for place, part in enumerate(parts) if has_magic(part))
    return "/".join(parts[:first]) or ("/" if path.startswith("/") else "")


def below(name: str, root: str) -> str:
    """The path of a file from a folder on, or from the part of a glob before its first wild card."""
    return without_query(name).removeprefix(root.rstrip("/")).lstrip("/")


def is_hidden(path: str) -> bool:
    return any(part.startswith(_HIDDEN) for part in path.split("/"))


def title_of(argument: str) -> str:
    """The last part of a path that says something: a folder's name, or a file's without its suffixes."""
    path = without_query(argument).split("://", 1)[-1]
    parts = [part for part in PurePosixPath(root_of(path) or argument).parts if part not in ("/", "..", ".")]
    name = parts[-1] if parts else Path.cwd().name
    return name.split(".")[0] if not name.startswith(".") else name
