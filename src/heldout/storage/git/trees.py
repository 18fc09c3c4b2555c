"""The files of a commit, read without a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from heldout.errors import RepositoryError

REGULAR_MODES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """`mode` is Git's, as text: 100644, 100755, 120000 (a link) or 160000 (a submodule's commit)."""

    mode: str
    oid: str
    path: str


class BlobSource(Protocol):
    def read_blobs(self, oids: Iterable[str]) -> dict[str, bytes]: ...


@dataclass(frozen=True, slots=True)
class GitTree:
    """A FileTree over a commit or tree. Listed once; blobs are fetched when asked for.

    Each `read` outside what was preloaded is one process: name many paths to `preload` or `read_many` first.
    """

    oid: str
    source: BlobSource
    files: dict[str, TreeEntry]

    def entries(self, prefix: str = "") -> list[TreeEntry]:
        """Everything at or below a folder, links and submodules included, in Git's order (by the path's bytes)."""
        folder = prefix.rstrip("/") + "/"
        if not prefix:
            return list(self.files.values())
        return [entry for path, entry in self.files.items() if path == prefix or path.startswith(folder)]

    def paths(self, prefix: str = "") -> list[str]:
        return [entry.path for entry in self.entries(prefix) if entry.mode in REGULAR_MODES]

    def read(self, path: str) -> bytes | None:
        return self.read_many([path]).get(path)

    def read_many(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Contents of those of the paths that are regular files, with one process for all of them."""
        wanted = {path: self.files[path].oid for path in paths if self._is_file(path)}
        blobs = self.source.read_blobs(wanted.values())
        return {path: blobs[oid] for path, oid in wanted.items()}

    def preload(self, paths: Iterable[str]) -> None:
        """Fetch small files at once; later reads of them cost nothing."""
        self.read_many(paths)

    def _is_file(self, path: str) -> bool:
        entry = self.files.get(path)
        return entry is not None and entry.mode in REGULAR_MODES


def parse_listing(output: bytes) -> dict[str, TreeEntry]:
    """`ls-tree -r -z`: mode, type, object id, a tab, the path. Sorted by Git; kept in that order."""
    files = {}
    for line in output.split(b"\0"):
        if line:
            head, _, raw = line.partition(b"\t")
            mode, _, oid = head.decode("ascii").split(" ")
            path = os.fsdecode(raw)
            files[path] = TreeEntry(mode, oid, path)
    return files


def parse_batch(output: bytes, oids: Sequence[str]) -> dict[str, bytes]:
    """`cat-file --batch`: a header line and the bytes of each object, in the order asked for.

    Raises RepositoryError (`git-object-missing`) for an object that is not here: a damaged or partial clone.
    """
    blobs, at = {}, 0
    for oid in oids:
        end = output.index(b"\n", at)
        header = output[at:end].decode("ascii").split(" ")
        if len(header) != 3:
            raise RepositoryError(
                "git-object-missing",
                f"Git has no object {oid}",
                hint="git fsck shows what is damaged; in a partial clone, fetch the objects first",
            )
        at = end + 1
        blobs[oid] = output[at : at + int(header[2])]
        at += int(header[2]) + 1
    return blobs
