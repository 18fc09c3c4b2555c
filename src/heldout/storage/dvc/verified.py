"""Reading an object of DVC's cache so that nobody gets bytes that differ from its digest unnoticed.

DVC checks neither when it reads nor when it pushes, and a cache of hard links is one careless editor away from holding
other bytes than its names say.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.errors import TamperedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BLOCK = 1 << 20
"""Bytes. DVC before 3.0 decides for each block of this size whether it is text, so its md5 depends on it."""

_TEXT_BYTES = bytes([*range(32, 127), *b"\n\r\t\f\b"])


class VerifiedFile(io.RawIOBase):
    """A file that is hashed while it is read; the read that meets its end raises TamperedError on other bytes.

    A reader that stops early has checked nothing: use `verify` there. Not seekable, because bytes that are skipped
    could not be hashed.
    """

    def __init__(self, path: Path, md5: str, *, legacy: bool, name: str) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._path = path
        self._expected = md5.removesuffix(".dir")
        self._legacy = legacy
        self._label = name
        self._hash = hashlib.md5(usedforsecurity=False)
        self._block = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        if not self._block:
            self._fill()
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._block))
        target[:count] = self._block[:count]
        self._block = self._block[count:]
        return count

    def _fill(self) -> None:
        pieces: list[bytes] = []
        wanted = _BLOCK
        while wanted and (piece := self._file.read(wanted)):
            pieces.append(piece)
            wanted -= len(piece)
        data = b"".join(pieces)
        if not data:
            self._check()
        self._hash.update(_unix_lines(data) if self._legacy and _looks_like_text(data) else data)
        self._block = memoryview(data)

    def _check(self) -> None:
        found = self._hash.hexdigest()
        if found != self._expected:
            raise TamperedError(
                "corrupt-object",
                f"{self._label}: the DVC cache holds other bytes than its digest says "
                f"(expected md5 {self._expected}, found {found}, in {self._path})",
                hint=f"remove {self._path} and fetch it again: dvc fetch",
            )

    def close(self) -> None:
        self._file.close()
        super().close()


def open_verified(path: Path, md5: str, *, legacy: bool, name: str) -> io.BufferedReader:
    """`name` is what an error calls the object: the path that people know."""
    return io.BufferedReader(VerifiedFile(path, md5, legacy=legacy, name=name), _BLOCK)


def verify_file(path: Path, md5: str, *, legacy: bool, name: str) -> None:
    """Reads the whole file. Raises TamperedError (slug corrupt-object) when it is not what `md5` names."""
    with open_verified(path, md5, legacy=legacy, name=name) as stream:
        while stream.read(_BLOCK):
            pass


def _unix_lines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _looks_like_text(data: bytes) -> bool:
    """DVC's test: no NUL and at most 30 per cent unusual bytes among the first 512."""
    head = data[:512]
    return b"\0" not in head and len(head.translate(None, _TEXT_BYTES)) <= 0.3 * len(head)
