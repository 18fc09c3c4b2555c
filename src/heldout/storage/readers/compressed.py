"""The bytes of a data file, unpacked: gzip and Zstandard, told by the bytes themselves and not by the file's name."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import BinaryIO, Final, Protocol

from heldout.errors import DataError

SUFFIXES: Final = (".gz", ".zst")
"""Endings of names that promise a packing."""

_BLOCK: Final = 1 << 18
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_LONGEST_MAGIC: Final = 4


class ByteReader(Protocol):
    """The little that readers ask of a stream: it need not be seekable."""

    def read(self, size: int = -1, /) -> bytes: ...


def decompressed(stream: ByteReader, name: str) -> BinaryIO:
    """The bytes to read, unpacked when they begin like gzip or Zstandard; frames one after the other are one stream.

    The bytes decide, not the suffix, so that a file renamed by a download is still read right. A name that ends in .gz
    or .zst promises that packing: other bytes there are refused.
    """
    guarded = _Guarded(stream, name)
    head = b""
    while len(head) < _LONGEST_MAGIC and (more := guarded.read(_LONGEST_MAGIC - len(head))):
        head += more
    joined = _Joined(head, stream)
    if head.startswith(_GZIP_MAGIC):
        return _buffered(gzip.GzipFile(fileobj=joined, mode="rb"), name)  # type: ignore[call-overload]
    if _is_zstd(head):
        from heldout.storage.readers.zstd import Unpacked

        return _buffered(Unpacked(_Guarded(joined, name), name), name)
    if name.lower().endswith(".gz") and head:
        raise DataError("bad-gzip", "the name ends in .gz, but the bytes are not gzip", file=name)
    if name.lower().endswith(".zst") and head:
        raise DataError("bad-zstd", "the name ends in .zst, but the bytes are not Zstandard", file=name)
    return _buffered(joined, name)


def _is_zstd(head: bytes) -> bool:
    """A frame of data, or one of the sixteen kinds of frames that hold none and may come first (RFC 8878, 3.1.2)."""
    skippable = len(head) == _LONGEST_MAGIC and head[1:] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50
    return head == _ZSTD_MAGIC or skippable


def _buffered(inner: ByteReader, name: str) -> BinaryIO:
    return io.BufferedReader(_Guarded(inner, name), _BLOCK)


class _Guarded(io.RawIOBase):
    """A stream whose decompression errors are told in the user's terms; other errors pass through."""

    def __init__(self, inner: ByteReader, name: str) -> None:
        self._inner = inner
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._inner.read(len(view))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            reason = "ends in the middle" if isinstance(error, EOFError) else f"is damaged ({error})"
            raise DataError("bad-gzip", f"the gzip stream {reason}", file=self._name) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError("unreadable-file", f"it cannot be read: {reason}", file=self._name) from error
        view[: len(data)] = data
        return len(data)


class _Joined:
    """A head that was already read, and the rest of its stream."""

    def __init__(self, head: bytes, rest: ByteReader) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        if not self._head:
            return self._rest.read(size)
        if size < 0:
            head, self._head = self._head, b""
            return head + self._rest.read()
        head, self._head = self._head[:size], self._head[size:]
        return head
