"""Adding files to a commit without disturbing what the user has staged or is editing.

`git commit` is never run here: it would run hooks, and would take the user's staged changes with it.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.errors import RepositoryError
from heldout.storage.atomic import write_file
from heldout.storage.working_files import link_on_the_way, require_own_place

if TYPE_CHECKING:
    from heldout.storage.git.repository import Git


_SCRATCH = "heldout-"
_ABANDONED = 3600.0
"""Seconds after which a scratch folder belongs to nobody any more: ours live for the time of three Git commands."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One file of a commit: the blob to record, and the blob that stood there in the commit before (None: none)."""

    path: str
    data: bytes
    new: str
    old: str | None


@dataclass(frozen=True, slots=True)
class _Brought:
    """Whether a change is in the index, and whether its file on disk is ours to write."""

    path: str
    data: bytes
    old: str | None
    in_index: bool
    updates_disk: bool


def write_tree(git: Git) -> str | None:
    """From a copy of the index: `write-tree` takes the index's lock, which `git commit` may be holding."""
    if git.run("ls-files", "-u", "-z"):
        return None
    with _scratch_folder(git) as folder:
        copy = Path(folder) / "index"
        if _index_file(git).exists():
            copy.write_bytes(_index_file(git).read_bytes())
        return _text(git.run("write-tree", index_file=copy))


def _scratch_folder(git: Git) -> AbstractContextManager[str]:
    """For an index of our own. What a killed process left behind is swept up by a later one."""
    from tempfile import TemporaryDirectory  # 4 ms that hooks which only read do not pay

    for left in git.git_dir.glob(f"{_SCRATCH}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                for file in left.iterdir():
                    file.unlink()
                left.rmdir()
    return TemporaryDirectory(prefix=_SCRATCH, dir=git.git_dir)


def stage(git: Git, files: Mapping[str, bytes]) -> None:
    blobs = {path: _store(git, data) for path, data in files.items()}
    sparse = _sparse(git, files)
    if not _update_index(git, blobs):
        raise RepositoryError(
            "index-locked", "another Git process holds the index", hint="finish it, then run: heldout scan"
        )
    _appear(git, files, sparse)


def adopt(git: Git, paths: Sequence[str]) -> None:
    parent = git.commit_of("HEAD^")
    if parent is not None:
        added = set(git.changed_paths(parent, "HEAD"))
        paths = [path for path in paths if path in added]
    known = _index_blobs(git, paths)
    head = git.tree("HEAD", under=paths) if paths else None
    missing = [path for path in paths if head and path in head.files and path not in known]
    if head is None or not missing:
        return
    contents = head.read_many(missing)
    sparse = _sparse(git, contents)
    if _update_index(git, {path: head.files[path].oid for path in contents}):
        _appear(git, contents, sparse)


def commit_files(
    git: Git, files: Mapping[str, bytes], message: str, expected_head: str | None, on_note: Callable[[str], None]
) -> str:
    branch = git.branch()
    if branch is None:
        raise RepositoryError("detached-head", "HEAD is detached: there is no branch to commit to")
    for path in () if git.bare else files:
        require_own_place(git.top, path)
    before = git.tree(expected_head, under=list(files)).files if expected_head else {}
    changes = [
        _Change(path, data, _store(git, data), before[path].oid if path in before else None)
        for path, data in files.items()
    ]
    commit = _make_commit(git, changes, message, expected_head)
    # Whoever is stopped in between leaves a staged record. The other way round it would be a staged removal of one.
    brought = _follow(git, changes, on_note)
    try:
        _move_branch(git, branch, commit, expected_head)
    except BaseException:
        if git.line("rev-parse", "-q", "--verify", branch) != commit:  # ^C may come when it has moved already
            _take_back(git, brought)
        raise
    for change in brought:
        if change.old is not None and change.updates_disk:
            _write(git, change.path, change.data)
    return commit


def _make_commit(git: Git, changes: Sequence[_Change], message: str, parent: str | None) -> str:
    with _scratch_folder(git) as folder:
        scratch = Path(folder) / "index"
        if parent:
            git.run("read-tree", parent, index_file=scratch)
        _write_entries(git, {change.path: change.new for change in changes}, scratch)
        tree = _text(git.run("write-tree", index_file=scratch))
    sign = ["-S"] if git.config_bool("commit.gpgSign") else []
    parents = ["-p", parent] if parent else []
    return _text(git.run("commit-tree", *sign, *parents, tree, stdin=message.encode("utf-8")))


def _move_branch(git: Git, branch: str, commit: str, expected: str | None) -> None:
    subject = _text(git.run("show", "-s", "--format=%s", commit))
    try:
        git.run("update-ref", "-m", f"heldout: {subject}", branch, commit, expected or "0" * len(commit))
    except RepositoryError as error:
        if git.commit_of(branch) == expected:
            raise
        raise RepositoryError(
            "head-moved", f"{branch} moved while Heldout was working", hint="run the command again"
        ) from error


def _follow(git: Git, changes: Sequence[_Change], on_note: Callable[[str], None]) -> list[_Brought]:
    """Bring the index and new files along, path by path, only where the user had not changed that path."""
    staged = _index_blobs(git, [change.path for change in changes])
    # a record that is staged already is one that an aborted commit left
    untouched = [change for change in changes if staged.get(change.path) in (change.old, change.new)]
    clean = [change for change in untouched if _disk_blob(git, change.path) == change.old]
    sparse = _sparse(git, [change.path for change in clean])
    locked = not _update_index(git, {change.path: change.new for change in untouched})
    for change in changes:
        if locked or change not in untouched:
            why = "the index is locked" if locked else "it has staged changes of its own"
            on_note(f"{change.path} is committed, but {why}; later run: git reset -q -- {change.path}")
    _appear(git, {change.path: change.data for change in clean if change.old is None}, sparse)
    writable = [change for change in clean if change.path not in sparse]
    return [
        _Brought(change.path, change.data, change.old, change in untouched and not locked, change in writable)
        for change in changes
    ]


def _take_back(git: Git, brought: Sequence[_Brought]) -> None:
    """The commit was not made after all."""
    with suppress(RepositoryError):
        indexed = [item for item in brought if item.in_index]
        gone = [item.path for item in indexed if item.old is None]
        if gone:
            git.run("update-index", "--force-remove", "-z", "--stdin", stdin=b"\0".join(map(os.fsencode, gone)) + b"\0")
        _update_index(git, {item.path: item.old for item in indexed if item.old is not None})
    for item in brought:
        if item.old is None and item.updates_disk:
            with suppress(OSError):
                (git.top / item.path).unlink()


# --- index ----------------------------------------------------------------------------------------------------------


def _index_file(git: Git) -> Path:
    return Path(git.env.get("GIT_INDEX_FILE") or git.git_dir / "index")


def _index_blobs(git: Git, paths: Sequence[str]) -> dict[str, str]:
    """Object ids by path; an unmerged path maps to the text `unmerged`, which equals no id."""
    blobs = {}
    for line in git.run("ls-files", "-s", "-z", "--", *paths).split(b"\0") if paths else ():
        if line:
            head, _, path = line.partition(b"\t")
            _, oid, number = head.decode("ascii").split(" ")
            blobs[os.fsdecode(path)] = oid if number == "0" else "unmerged"
    return blobs


def _update_index(git: Git, blobs: Mapping[str, str]) -> bool:
    """False when the index is locked by another process; nothing is changed then."""
    if not blobs:
        return True
    try:
        _write_entries(git, blobs, None)
    except RepositoryError as error:
        if "index.lock" in error.message or ".lock': File exists" in error.message:
            return False
        raise
    return True


def _write_entries(git: Git, blobs: Mapping[str, str], index_file: Path | None) -> None:
    rows = b"".join(f"100644 {oid}\t".encode() + os.fsencode(path) + b"\0" for path, oid in blobs.items())
    git.run("update-index", "--add", "-z", "--index-info", stdin=rows, index_file=index_file)


def _store(git: Git, data: bytes) -> str:
    return _text(git.run("hash-object", "-w", "--stdin", "--no-filters", stdin=data))


# --- working tree ---------------------------------------------------------------------------------------------------


def _disk_blob(git: Git, path: str) -> str | None:
    """The blob a file on disk would become (its filters applied); None where there is none."""
    file = git.top / path
    if git.bare or not os.path.lexists(file):
        return None
    return git.line("hash-object", "--", path) or "unreadable"


def _appear(git: Git, files: Mapping[str, bytes], sparse: Collection[str]) -> None:
    """Write files that are new to the index, where nothing stands in their place and the checkout is to hold them."""
    for path, data in files.items():
        if path in sparse:
            with suppress(RepositoryError):
                git.run("update-index", "--skip-worktree", "--", path)
        elif not git.bare and not os.path.lexists(git.top / path):
            _write(git, path, data)


def _write(git: Git, path: str, data: bytes) -> None:
    """What lies behind a link is left alone."""
    file = git.top / path
    if link_on_the_way(git.top, path) is not None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with _scratch_folder(git) as folder:  # not beside the file, where a killed process would leave it to the user
        aside = Path(folder) / "file"
        aside.write_bytes(data)
        try:
            aside.replace(file)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            write_file(file, data)  # the working tree lies on another file system than .git


def _sparse(git: Git, paths: Iterable[str]) -> set[str]:
    """Paths outside the sparse checkout; asked before they are added to the index, where they would count as wanted."""
    if git.bare or not git.config_bool("core.sparseCheckout"):
        return set()
    return {path for path in paths if _all_skipped(git, path)}


def _all_skipped(git: Git, path: str) -> bool:
    """Whether the nearest folder with tracked files has all of them skipped. (`check-rules` needs git 2.41.)"""
    for folder in Path(path).parents:
        flags = {row[:1] for row in git.run("ls-files", "-t", "-z", "--", str(folder)).split(b"\0") if row}
        if flags:
            return flags == {b"S"}
    return False


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip()
