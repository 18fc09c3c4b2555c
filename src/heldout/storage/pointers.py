"""Which DVC output tracks a file, told from Git's content alone: no DVC, no cache, no checkout.

DVC records an output in one of three places: a `.dvc` file (`dvc add`, `dvc import`, `dvc import-url`), usually beside
the data but free to name a path below its own folder; or the `dvc.lock` of a pipeline, whose outputs may lie anywhere
in the repository. An output is a file or a whole folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, runtime_checkable

from heldout.domain.names import RESERVED
from heldout.errors import ConfigError, HeldoutError, RepositoryError

if TYPE_CHECKING:
    from heldout.storage.trees import FileTree

_MD5 = re.compile(r"[0-9a-f]{32}(\.dir)?")


@dataclass(frozen=True, slots=True)
class Output:
    """One file or folder in DVC's hands.

    `path` is POSIX, relative to the repository's top. `md5` is DVC's own value: 32 hex digits, with `.dir` at its end
    for a folder, where it is the digest of the folder's manifest. `size` is in bytes, None where an old DVC did not
    write it. `legacy` outputs come from DVC before 3.0: their md5 is of a text file's bytes with CRLF read as LF.
    `pointer` is the .dvc file or dvc.lock that says all this.
    """

    path: str
    md5: str
    size: int | None
    is_dir: bool
    legacy: bool
    pointer: str

    def covers(self, path: str) -> bool:
        return path == self.path or (self.is_dir and path.startswith(self.path + "/"))


@runtime_checkable
class _Preloading(Protocol):
    """A tree that reads many small files at the price of one: Git's."""

    def preload(self, paths: Iterable[str]) -> None: ...


class Pointers:
    """The DVC outputs of one file tree. Looks where an output usually is first, and reads every pointer only then."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._parsed: dict[str, tuple[Output, ...]] = {}
        self._everywhere: tuple[Output, ...] | None = None
        self._broken: HeldoutError | None = None
        self._preloaded: set[str] = set()

    def output(self, path: str) -> Output:
        """The output that is `path` or the folder around it.

        Raises RepositoryError (slug not-tracked) when no pointer covers the path, ConfigError (slug pointer-malformed)
        when the pointer that should is damaged.
        """
        self._preload(posixpath.dirname(path))
        for folder in _self_and_parents(path):
            for output in self._in_file(folder + ".dvc"):
                if output.covers(path):
                    return output
        for output in self.all():
            if output.covers(path):
                return output
        if self._broken is not None:
            raise self._broken
        raise RepositoryError("not-tracked", f"{path} is not tracked by DVC", hint=f"dvc add {path}")

    def below(self, folder: str) -> tuple[Output, ...]:
        """Every output inside a folder, sorted by path."""
        prefix = folder.rstrip("/") + "/" if folder else ""
        return tuple(output for output in self.all() if output.path.startswith(prefix))

    def all(self) -> tuple[Output, ...]:
        """Every readable output of the tree, sorted by path; one damaged pointer does not hide the others."""
        if self._everywhere is None:
            found: list[Output] = []
            self._preload("")
            for name in filter(is_pointer, self._tree.paths()):
                try:
                    found.extend(self._in_file(name))
                except HeldoutError as error:
                    self._broken = self._broken or error
            self._everywhere = tuple(sorted(found, key=lambda output: output.path))
        return self._everywhere

    def _preload(self, folder: str) -> None:
        if folder not in self._preloaded and isinstance(self._tree, _Preloading):
            self._tree.preload(filter(is_pointer, self._tree.paths(folder, RESERVED)))
        self._preloaded.add(folder)

    def _in_file(self, name: str) -> tuple[Output, ...]:
        if name not in self._parsed:
            data = self._tree.read(name)
            if data is None:
                self._parsed[name] = ()
            elif name.endswith(".dvc"):
                self._parsed[name] = _parse_dvc_file(data, name)
            else:
                self._parsed[name] = tuple(self._parse_lock(data, name))
        return self._parsed[name]

    def _parse_lock(self, data: bytes, name: str) -> Iterator[Output]:
        content, folder = _mapping(_yaml(data, name), name), posixpath.dirname(name)
        # Schema 1 (DVC 1.x) had the stages at the top level.
        stages = _mapping(content.get("stages", {}) if "schema" in content else content, name)
        work_dirs = self._work_dirs(posixpath.join(folder, "dvc.yaml"))
        for stage, body in stages.items():
            base = work_dirs.get(stage, work_dirs.get(stage.partition("@")[0], "."))
            # A templated folder (foreach, vars) would need DVC's own interpolation; such a stage tracks nothing for us.
            if "${" not in base:
                yield from _outs(_mapping(body, name), name, posixpath.join(folder, base))

    def _work_dirs(self, name: str) -> dict[str, str]:
        """`wdir` by stage: paths in dvc.lock are relative to it, and only dvc.yaml knows it."""
        data = self._tree.read(name)
        # People write anchors and templates into dvc.yaml, which our strict YAML refuses; most have no wdir at all.
        if data is None or b"wdir" not in data:
            return {}
        stages = _mapping(_mapping(_yaml(data, name), name).get("stages", {}), name)
        found = {}
        for stage, body in stages.items():
            written = _mapping(body, name)
            inner = _mapping(written.get("do", written), name)
            found[stage] = _text(inner.get("wdir", "."), name)
        return found


@lru_cache(maxsize=4096)
def _parse_dvc_file(data: bytes, name: str) -> tuple[Output, ...]:
    # Versions share most of their pointers: 500 tags must not mean 500 times the YAML.
    content = _mapping(_yaml(data, name), name)
    base = posixpath.join(posixpath.dirname(name), _text(content.get("wdir", "."), name))
    return tuple(_outs(content, name, base))


def is_pointer(name: str) -> bool:
    return name.endswith(".dvc") or posixpath.basename(name) == "dvc.lock"


def _outs(content: dict[str, Any], name: str, base: str) -> Iterator[Output]:
    outs = content.get("outs", [])
    if not isinstance(outs, list):
        _refuse(name, "outs is not a list")
    for item in outs:
        out = _mapping(item, name)
        md5 = out.get("md5")
        # No md5: not committed yet, or an object only a cloud knows (etag). Nothing to read it by.
        if md5 is None:
            continue
        if not isinstance(md5, str) or not _MD5.fullmatch(md5):
            _refuse(name, f"md5 is {md5!r}, expected 32 hex digits")
        size = out.get("size")
        if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
            _refuse(name, f"size is {size!r}, expected a number of bytes")
        path = posixpath.normpath(posixpath.join(base, _text(out.get("path"), name)))
        # Outside the repository: DVC's external outputs. Not part of any version, and never to be followed.
        if path.startswith(("/", "../")) or path in ("..", "."):
            continue
        yield Output(path, md5, size, md5.endswith(".dir"), out.get("hash") != "md5", name)


def _self_and_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = posixpath.dirname(path)


def _yaml(data: bytes, name: str) -> object:
    from heldout.storage.yaml.files import load_yaml

    try:
        return load_yaml(data, name)
    except ConfigError as error:
        raise ConfigError(
            "pointer-malformed", f"not a readable DVC file: {error.message}", file=name, line=error.line, hint=_HINT
        ) from error


_HINT = "take the file from an earlier commit, or run dvc add again"


def _mapping(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(name, f"expected a mapping, found {type(value).__name__}")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        _refuse(name, f"expected a path, found {value!r}")
    return value


def _refuse(name: str, reason: str) -> NoReturn:
    raise ConfigError("pointer-malformed", f"not a readable DVC file: {reason}", file=name, hint=_HINT)
