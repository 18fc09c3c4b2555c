"""The files of a commit, read without a checkout."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

REGULAR_MODES = frozenset({"100644", "100755"})
_FOLDER = "40000"

Children = Mapping[str, tuple[str, str]]
"""One folder of a tree: (mode, object id) by name, in Git's order."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """`mode` is Git's, as text: 100644, 100755, 120000 (a link) or 160000 (a submodule's commit)."""

    mode: str
    oid: str
    path: str


class ObjectSource(Protocol):
    """Objects by id, each read once and remembered: commits share most of their folders."""

    def read_blobs(self, oids: Iterable[str]) -> dict[str, bytes]: ...

    def read_folders(self, oids: Iterable[str]) -> Mapping[str, Children]: ...


@dataclass(frozen=True)
class GitTree:
    """A FileTree over a commit or tree. Folders are read when something below them is asked for.

    `under` limits it to what is at or below these paths; without any it is the whole tree.
    """

    oid: str
    source: ObjectSource
    under: tuple[str, ...] = ()

    @cached_property
    def files(self) -> dict[str, TreeEntry]:
        return {entry.path: entry for entry in self.entries()}

    def entries(self, prefix: str = "", without: Collection[str] = ()) -> list[TreeEntry]:
        """Everything at or below a folder, links and submodules included, in Git's order (by the path's bytes).

        Folders named in `without` are not entered.
        """
        if prefix or not self.under:
            return list(self._below(prefix.rstrip("/"), without))
        found = {entry.path: entry for path in self.under for entry in self._below(path.rstrip("/"), without)}
        return [found[path] for path in sorted(found, key=os.fsencode)]

    def paths(self, prefix: str = "", without: Collection[str] = ()) -> list[str]:
        return [entry.path for entry in self.entries(prefix, without) if entry.mode in REGULAR_MODES]

    def read(self, path: str) -> bytes | None:
        return self.read_many([path]).get(path)

    def read_many(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Contents of those paths that are regular files, asked for together."""
        found = ((path, self._find(path)) for path in paths)
        wanted = {path: entry[1] for path, entry in found if entry is not None and entry[0] in REGULAR_MODES}
        blobs = self.source.read_blobs(wanted.values())
        return {path: blobs[oid] for path, oid in wanted.items()}

    def preload(self, paths: Iterable[str]) -> None:
        """Fetch small files at once; later reads of them cost nothing."""
        self.read_many(paths)

    def folder(self, path: str) -> str | None:
        """The id of the folder at a path."""
        entry = self._find(path)
        return entry[1] if entry is not None and entry[0] == _FOLDER else None

    def _find(self, path: str) -> tuple[str, str] | None:
        at = (_FOLDER, self.oid)
        for name in path.split("/") if path else ():
            if at[0] != _FOLDER:
                return None
            inside = self.source.read_folders([at[1]])[at[1]].get(name)
            if inside is None:
                return None
            at = inside
        return at

    def _below(self, prefix: str, without: Collection[str]) -> Iterator[TreeEntry]:
        start = self._find(prefix)
        if start is None:
            return
        if start[0] != _FOLDER:
            yield TreeEntry(*start, prefix)
            return
        load_below(self.source, [start[1]], without)
        yield from _walk(self.source, start[1], f"{prefix}/" if prefix else "", without)


def load_below(source: ObjectSource, folders: Iterable[str], without: Collection[str] = ()) -> None:
    """Read folders and all folders inside them, a level at a time: later walks through them ask nothing."""
    seen: set[str] = set()
    level = list(dict.fromkeys(folders))
    while level:
        seen.update(level)
        read = source.read_folders(level)
        inside = (
            oid
            for folder in level
            for name, (mode, oid) in read[folder].items()
            if mode == _FOLDER and oid not in seen and name not in without
        )
        level = list(dict.fromkeys(inside))


def entries_of_all(trees: Iterable[GitTree], prefix: str) -> Iterator[TreeEntry]:
    """Everything below a folder of several trees; what they share comes once, the first tree's first.

    Five hundred commits hold a thousand files each, and a few new ones each: only those are walked.
    """
    places = [(tree.source, oid) for tree in trees if (oid := tree.folder(prefix)) is not None]
    if not places:
        return
    source = places[0][0]
    stack = [(prefix, oid) for oid in reversed(list(dict.fromkeys(oid for _, oid in places)))]
    load_below(source, [oid for _, oid in stack])
    seen: set[tuple[str, str]] = set()
    while stack:
        at, folder = stack.pop()
        for name, (mode, oid) in source.read_folders([folder])[folder].items():
            path = f"{at}/{name}"
            if (path, oid) in seen:
                continue
            seen.add((path, oid))
            if mode == _FOLDER:
                stack.append((path, oid))
            else:
                yield TreeEntry(mode, oid, path)


def preload(trees: Iterable[GitTree], prefix: str, wanted: Callable[[str], bool]) -> None:
    """Fetch folders, and small files by path, of many trees at once; later reads of them cost nothing."""
    trees = list(trees)
    oids = {entry.oid for entry in entries_of_all(trees, prefix) if entry.mode in REGULAR_MODES and wanted(entry.path)}
    for tree in trees[:1]:
        tree.source.read_blobs(oids)


def _walk(source: ObjectSource, folder: str, prefix: str, without: Collection[str]) -> Iterator[TreeEntry]:
    for name, (mode, oid) in source.read_folders([folder])[folder].items():
        if mode != _FOLDER:
            yield TreeEntry(mode, oid, prefix + name)
        elif name not in without:
            yield from _walk(source, oid, f"{prefix}{name}/", without)


def parse_folder(data: bytes, id_bytes: int) -> Children:
    """A tree object: mode, a space, the name, a zero byte, the id in binary; in the order of the paths below."""
    children = {}
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        mode = data[at:space]
        at = end + 1 + id_bytes
        children[os.fsdecode(data[space + 1 : end])] = (_MODES.get(mode) or _mode(mode), data[end + 1 : at].hex())
    return children


_MODES = {mode.encode(): mode for mode in (*REGULAR_MODES, "120000", "160000", _FOLDER)}


def _mode(raw: bytes) -> str:
    """Old tools wrote other modes (100664, 040000); read as Git reads them."""
    bits = int(raw, 8)
    kind = bits & 0o170000
    if kind == 0o100000:
        return "100755" if bits & 0o100 else "100644"
    return {0o040000: _FOLDER, 0o120000: "120000"}.get(kind, "160000")
