"""Files go into a dataset's folder together or not at all; a person's own file is copied, never moved or deleted."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from heldout.storage.atomic import write_file


@dataclass(frozen=True, slots=True)
class Move:
    """A file or folder of shards that is to appear at `target`; what stands there is replaced."""

    source: Path
    target: Path


def same_bytes(one: Path, other: Path) -> bool:
    """Whether two files, or two folders with all their files, hold the same bytes."""
    if not one.is_dir():
        return other.is_file() and filecmp.cmp(one, other, shallow=False)
    names = _files(one)
    return other.is_dir() and names == _files(other) and all(same_bytes(one / name, other / name) for name in names)


@contextmanager
def placed(top: Path, moves: Sequence[Move], rewritten: Sequence[Path]) -> Iterator[None]:
    """Copy everything aside, rename it into place, and put all back as it was if the block does not end well.

    `rewritten` are small files that the block may write. Copies wait in .heldout, where Git does not see them if the
    process is killed.
    """
    before = {path: path.read_bytes() if path.is_file() else None for path in rewritten}
    targets = (*rewritten, *(move.target for move in moves))
    made = [folder for path in targets for folder in path.parents if not folder.exists()]
    scratch = top / ".heldout" / "tmp" / f"add-{os.getpid()}"
    done: list[tuple[Move, Path | None]] = []
    try:
        scratch.mkdir(parents=True)
        for index, move in enumerate(moves):
            _copy(move.source, scratch / f"new-{index}")
        for index, move in enumerate(moves):
            done.append((move, _replace(scratch, index, move.target)))
        yield
    except BaseException:
        for move, old in reversed(done):
            _take_away(move.target)
            if old is not None:
                old.rename(move.target)
        _restore(before)
        for folder in sorted(set(made), key=lambda item: len(item.parts), reverse=True):
            with suppress(OSError):
                folder.rmdir()
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for folder in (scratch.parent, scratch.parent.parent):
            with suppress(OSError):
                folder.rmdir()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def _replace(scratch: Path, index: int, target: Path) -> Path | None:
    """Rename the copy into place; returns where that which stood there waits."""
    target.parent.mkdir(parents=True, exist_ok=True)
    old = None
    if os.path.lexists(target):
        old = scratch / f"old-{index}"
        target.rename(old)
    (scratch / f"new-{index}").rename(target)
    return old


def _take_away(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _restore(before: dict[Path, bytes | None]) -> None:
    for path, data in before.items():
        if data is None:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_bytes() != data:
            write_file(path, data)


def _files(folder: Path) -> list[str]:
    return sorted(item.relative_to(folder).as_posix() for item in folder.rglob("*") if item.is_file())
