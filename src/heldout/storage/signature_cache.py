"""Signatures of inputs seen before (B36, B37): below `.heldout/`, git-ignored, always safe to delete, without any text.

Segments are immutable files `signatures/<16 hex of the method digest>/<sha256 of the bytes>.npy`: n input digests of 32
bytes in ascending order, then their n signatures of little-endian uint32, in one array of bytes. They are mapped into
memory, written aside and renamed, and merged when there are more than eight. So processes need no lock: a reader sees a
whole segment or none, and what two of them write side by side stands there twice until a merge. A name that is not its
bytes' digest is damage: a signature with a wrong bit would hide a near pair, so the segment is dropped and said so.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

FOLDER: Final = ".heldout"
SEGMENTS: Final = 8
"""More segments than this are merged into one."""

_DIGEST: Final = 32  # bytes
_ABANDONED: Final = 86400  # seconds after which a file written aside has no process any more
_WORD: Final = np.dtype("<u4")

Signatures = NDArray[np.uint32]
Digests = NDArray[np.bytes_]
"""Input digests as items of 32 bytes, dtype S32. NumPy's S drops zero bytes at the end, which loses nothing here: all
digests are of one length, so two that differ still do."""


class SignatureCache:
    """The segments of one method.

    `width` is the number of values in a signature. `note` is told, once each, that something was damaged or cannot be
    written; neither is an error, only more work.
    """

    def __init__(self, folder: Path, method_digest: str, width: int, note: Callable[[str], None]) -> None:
        self._top = folder
        self._folder = folder / "cache" / "signatures" / method_digest.removeprefix("sha256:")[:16]
        self._width = width
        self._note = note
        self._writable = True
        self._open: dict[str, tuple[Digests, Signatures]] = {}
        self._refused: set[str] = set()

    def find(self, inputs: Sequence[str]) -> tuple[Signatures, NDArray[np.bool_]]:
        """Signatures of inputs named by "sha256:..." digests, shape (n, width), and which of them are known."""
        wanted = _packed(inputs)
        result = np.zeros((wanted.size, self._width), np.uint32)
        known = np.zeros(wanted.size, np.bool_)
        for digests, signatures in self._segments().values():
            rows = np.flatnonzero(~known)
            places = np.minimum(np.searchsorted(digests, wanted[rows]), digests.size - 1)
            same = digests[places] == wanted[rows]
            result[rows[same]] = signatures[places[same]]
            known[rows[same]] = True
        return result, known

    def add(self, inputs: Sequence[str], signatures: Signatures) -> None:
        """Keep signatures for other processes and later runs. A folder that cannot be written keeps none."""
        if not inputs or not self._writable:
            return
        try:
            self._make_folder()
            self._write(*_distinct(_packed(inputs), signatures))
            self._merge()
        except OSError as error:
            self._writable = False
            self._note(f"signatures are not cached: {error.strerror or error}")

    def _segments(self) -> dict[str, tuple[Digests, Signatures]]:
        """All readable segments by file name; one that another process merged away in the meantime is left out."""
        names = {path.name for path in self._paths()}
        for gone in self._open.keys() - names:
            del self._open[gone]
        for name in sorted(names - self._open.keys() - self._refused):
            segment = self._load(self._folder / name)
            if segment is not None:
                self._open[name] = segment
        return self._open

    def _paths(self) -> list[Path]:
        try:
            return [path for path in self._folder.iterdir() if path.suffix == ".npy" and not path.name.startswith(".")]
        except OSError:
            return []

    def _load(self, path: Path) -> tuple[Digests, Signatures] | None:
        try:
            data = np.load(path, mmap_mode="r", allow_pickle=False)
            count, rest = divmod(data.size, _DIGEST + _WORD.itemsize * self._width)
            if not count or rest or data.dtype != np.uint8 or data.ndim != 1 or _name(data) != path.name:
                raise ValueError("the bytes are not those that were written")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError) as error:
            self._drop(path, error)
            return None
        split = count * _DIGEST
        return data[:split].view(f"S{_DIGEST}"), data[split:].view(_WORD).reshape(count, self._width)

    def _drop(self, path: Path, error: Exception) -> None:
        """A segment that cannot be opened may be another user's; one that can be, and is damaged, goes."""
        self._refused.add(path.name)
        if isinstance(error, PermissionError):
            self._note(f"a segment of the signature cache cannot be read: {error.strerror}")
            return
        self._note(
            f"a damaged segment of the signature cache was dropped ({path.name[:12]}); its inputs are signed again"
        )
        with suppress(OSError):
            path.unlink()

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._top / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")

    def _write(self, digests: Digests, signatures: Signatures) -> str:
        """The new segment's name."""
        data = np.concatenate([_bytes(digests, _DIGEST), _bytes(signatures, _WORD.itemsize * self._width)])
        name = _name(data)
        if (self._folder / name).exists():
            return name
        buffer = BytesIO()
        np.save(buffer, data, allow_pickle=False)
        handle, aside = tempfile.mkstemp(prefix=".", suffix=".aside", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(buffer.getbuffer())
            Path(aside).replace(self._folder / name)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        return name

    def _merge(self) -> None:
        """Put all segments into one when there are many. Only what went into it is removed, so that a segment which
        another process adds at this moment stays."""
        if len({path.name for path in self._paths()} - self._refused) <= SEGMENTS:
            return
        segments = dict(self._segments())
        if len(segments) < 2:
            return
        digests, signatures = (np.concatenate(parts) for parts in zip(*segments.values(), strict=True))
        kept = self._write(*_distinct(digests, signatures))
        for name in segments.keys() - {kept}:
            self._open.pop(name, None)
            (self._folder / name).unlink(missing_ok=True)
        self._remove_abandoned()

    def _remove_abandoned(self) -> None:
        """Files written aside by processes that died. Those of live ones are renamed away under our eyes."""
        for aside in self._folder.glob(".*.aside"):
            with suppress(FileNotFoundError):
                if time.time() - aside.stat().st_mtime > _ABANDONED:
                    aside.unlink()


def _packed(inputs: Sequence[str]) -> Digests:
    data = bytes.fromhex("".join([text.removeprefix("sha256:") for text in inputs]))
    if len(data) != _DIGEST * len(inputs):
        raise ValueError("an input is named by a SHA-256 digest")
    return np.frombuffer(data, f"S{_DIGEST}")


def _distinct(digests: Digests, signatures: Signatures) -> tuple[Digests, Signatures]:
    """Rows in ascending order of their digests, each digest once."""
    ordered, rows = np.unique(digests, return_index=True)
    return ordered, signatures[rows]


def _bytes(rows: NDArray[np.generic], width: int) -> NDArray[np.uint8]:
    """The rows as flat bytes; S items keep the zero bytes at their ends."""
    flat = rows.astype(_WORD, copy=False) if rows.dtype.kind == "u" else rows
    data = np.frombuffer(np.ascontiguousarray(flat).tobytes(), np.uint8)
    assert data.size == width * len(rows)
    return data


def _name(data: NDArray[np.uint8]) -> str:
    return hashlib.sha256(data.data).hexdigest() + ".npy"
