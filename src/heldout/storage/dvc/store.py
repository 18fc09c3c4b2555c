"""The data behind DVC's pointers: found in the cache, checked while read, fetched when missing."""

from __future__ import annotations

import io
import json
import posixpath
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from heldout.errors import MissingDataError, RepositoryError, TamperedError
from heldout.storage.dvc.process import call
from heldout.storage.dvc.settings import cache_folders, default_remote
from heldout.storage.dvc.verified import open_verified, verify_file
from heldout.storage.pointers import Output


class DvcStore:
    """DVC's objects of the repository whose working copy is at `top`.

    `common_dir` is Git's own folder, shared by all worktrees: a linked worktree reads the main one's cache too. Nothing
    here writes into a cache; DVC does, when it fetches or adds.
    """

    def __init__(self, top: Path, common_dir: Path | None = None, further: Sequence[Path] = ()) -> None:
        """`further` are folders laid out like a cache, which a remote on a disk is too."""
        self.top = top
        self._further = tuple(further)
        self._main_top = common_dir.parent if common_dir is not None and common_dir.name == ".git" else None
        self._caches: tuple[Path, ...] | None = None
        self._manifests: dict[str, tuple[tuple[str, str], ...]] = {}

    @property
    def is_initialised(self) -> bool:
        return (self.top / ".dvc").is_dir()

    def locate(self, output: Output) -> Path | None:
        """The object's file in a cache, unchecked; None when it is not on this machine."""
        if self._caches is None:
            self._caches = (*cache_folders(self.top, self._main_top), *self._further)
        tail = Path(output.md5[:2], output.md5[2:])
        current, old = Path("files", "md5") / tail, tail
        order = (old, current) if output.legacy else (current, old)
        candidates = (cache / place for cache in self._caches for place in order)
        return next((path for path in candidates if path.is_file()), None)

    def open(self, output: Output) -> io.BufferedReader:
        """A stream that cannot seek and that raises TamperedError (slug corrupt-object) at its end on a wrong byte.

        Raises MissingDataError (slug data-missing) when the object is not here.
        """
        return open_verified(self._here(output), output.md5, legacy=output.legacy, name=output.path)

    def verified_path(self, output: Output) -> Path:
        """The object's file, read once and found right: for formats that need to seek. Never write to it."""
        path = self._here(output)
        verify_file(path, output.md5, legacy=output.legacy, name=output.path)
        return path

    def verify(self, output: Output) -> None:
        """Checks the object, and of a folder every file. Raises TamperedError or MissingDataError."""
        for item in (output, *self.members(output)) if output.is_dir else (output,):
            self.verified_path(item)

    def edited(self, outputs: Iterable[Output]) -> tuple[Output, ...]:
        """Files of the working copy whose bytes are not those of their pointer; absent ones are not edited."""
        found = []
        for output in outputs:
            parts = self.members(output) if output.is_dir and self.locate(output) else (output,)
            found += [part for part in parts if not part.is_dir and self._is_edited(part)]
        return tuple(found)

    def _is_edited(self, output: Output) -> bool:
        path = self.top / output.path
        if not path.is_file():
            return False
        if output.size is not None and path.stat().st_size != output.size:
            return True
        try:
            verify_file(path, output.md5, legacy=output.legacy, name=output.path)
        except TamperedError:
            return True
        return False

    def members(self, folder: Output) -> tuple[Output, ...]:
        """The files of a tracked folder, sorted by path, from its manifest in the cache. Sizes are not known."""
        if folder.md5 not in self._manifests:
            with self.open(folder) as stream:
                self._manifests[folder.md5] = _parse_manifest(stream.read(), folder)
        files = self._manifests[folder.md5]
        return tuple(
            Output(f"{folder.path}/{name}", md5, None, False, folder.legacy, folder.pointer) for name, md5 in files
        )

    def expand(self, output: Output, path: str | None = None) -> tuple[Output, ...]:
        """The files at `path` (or below it) in an output: one for a file, all shards for a folder, sorted by path.

        Raises RepositoryError (slug not-tracked) when a tracked folder has no such file.
        """
        wanted = path or output.path
        if not output.is_dir:
            return (output,)
        members = self.members(output)
        if wanted == output.path:
            return members
        found = tuple(item for item in members if item.path == wanted or item.path.startswith(wanted + "/"))
        if not found:
            raise RepositoryError(
                "not-tracked",
                f"{wanted} is not in the folder {output.path} that DVC tracks",
                hint=f"dvc add {output.path}",
            )
        return found

    def missing(self, outputs: Iterable[Output]) -> tuple[Output, ...]:
        """Which objects are not here: files, or a folder as a whole when its manifest is not here either."""
        found: dict[tuple[str, str], Output] = {}
        for output in outputs:
            present = self.locate(output) is not None
            parts = self.members(output) if output.is_dir and present else (output,)
            found.update({(part.path, part.md5): part for part in parts if self.locate(part) is None})
        return tuple(found.values())

    def fetch(
        self,
        outputs: Iterable[Output],
        *,
        rev: str | None = None,
        report: Callable[[str], None] | None = None,
        timeout: float | None = None,
    ) -> tuple[Output, ...]:
        """Brings what is missing into the cache, through DVC's remotes, without a checkout; returns what was missing.

        `rev` is a commit whose pointers name these outputs: needed only where the default remote does not have them.
        `report` is told in a sentence what is about to be fetched. Raises MissingDataError (slug fetch-failed) when
        something is still missing afterwards.
        """
        wanted = self.missing(outputs)
        if not wanted:
            return ()
        if report is not None:
            report(_announcement(wanted))
        objects = [{"path": item.path, "md5": item.md5, "legacy": item.legacy} for item in wanted]
        problems = call(self.top, "fetch", timeout, objects=objects, rev=rev)
        self._caches = None
        still = self.missing(wanted)
        if still:
            reason = f": {'; '.join(problems)}" if problems else ""
            raise MissingDataError(
                "fetch-failed",
                f"DVC could not fetch {_names(still)}{reason}",
                hint="dvc push where the data is, or dvc remote list to see where DVC looks",
            )
        return wanted

    def add(self, paths: Sequence[str]) -> tuple[str, ...]:
        """`dvc add`: copies or links the files into the cache, writes pointers; returns the files Git has to track.

        Raises RepositoryError (slug dvc-failed), for instance when Git tracks such a file already.
        """
        return tuple(path.replace("\\", "/") for path in call(self.top, "add", paths=list(paths)))

    def init(self) -> tuple[str, ...]:
        """`dvc init`, which also stages its files; returns them. The repository must not have DVC yet."""
        return tuple(call(self.top, "init"))

    def default_remote(self) -> tuple[str, str] | None:
        """Name and address of the remote that DVC fetches from; None where none is configured."""
        return default_remote(self.top)

    def probe(self) -> None:
        """Opens the repository with DVC itself. Raises RepositoryError (slug dvc-failed) where it cannot."""
        call(self.top, "fetch", objects=[], rev=None)

    def is_intact(self, output: Output, file: Path) -> bool:
        """Whether the file or folder on disk holds exactly the bytes that its pointer names. Reads all of it."""
        try:
            if not output.is_dir:
                verify_file(file, output.md5, legacy=output.legacy, name=output.path)
                return True
            members = self.members(output)
        except (TamperedError, MissingDataError, OSError):
            return False
        names = {item.path.removeprefix(f"{output.path}/") for item in members}
        on_disk = {item.relative_to(file).as_posix() for item in file.rglob("*") if item.is_file()}
        return names == on_disk and all(
            self.is_intact(item, file / item.path.removeprefix(f"{output.path}/")) for item in members
        )

    def _here(self, output: Output) -> Path:
        path = self.locate(output)
        if path is None:
            raise MissingDataError(
                "data-missing",
                f"{output.path} is not in the DVC cache of this machine (md5 {output.md5})",
                hint=f"dvc fetch {output.pointer}",
            )
        return path


def _parse_manifest(data: bytes, folder: Output) -> tuple[tuple[str, str], ...]:
    try:
        return tuple(sorted(_manifest_entry(item) for item in json.loads(data)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        _refuse(folder)


def _manifest_entry(item: dict[str, str]) -> tuple[str, str]:
    name, md5 = item["relpath"], item["md5"]
    # Both become paths: nothing may lead out of the folder or the cache.
    inside = name == posixpath.normpath(name) and not name.startswith(("/", "../")) and name not in ("..", ".")
    if not inside or b"\0" in name.encode("utf-8") or len(md5) != 32 or set(md5) - set("0123456789abcdef"):
        raise ValueError
    return name, md5


def _refuse(folder: Output) -> NoReturn:
    raise TamperedError(
        "corrupt-object",
        f"{folder.path}: DVC's manifest of this folder is not readable (md5 {folder.md5})",
        hint=f"dvc add {folder.path} again, or fetch it from another remote",
    )


def _announcement(outputs: tuple[Output, ...]) -> str:
    known = [item.size for item in outputs if item.size is not None]
    size = f", {sum(known) / 1e6:.1f} MB" if len(known) == len(outputs) else ""
    return f"fetching {_names(outputs)} through DVC ({len(outputs)} object{'s' * (len(outputs) != 1)}{size})"


def _names(outputs: tuple[Output, ...]) -> str:
    shown = ", ".join(item.path for item in outputs[:3])
    return shown if len(outputs) <= 3 else f"{shown} and {len(outputs) - 3} more"
