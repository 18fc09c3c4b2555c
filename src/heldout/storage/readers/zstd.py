"""Zstandard, by the zstandard package: the only module that imports it.

Its own stream reader ends quietly where a file was cut off. Here each frame has to come to its end, or the file is
refused: half a corpus must not pass for the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heldout.errors import DataError
from heldout.storage.readers.compressed import ByteReader

if TYPE_CHECKING:
    import zstandard

_BLOCK: Final = 1 << 12
"""Packed bytes unpacked at a time. Four of them can stand for 128 KiB, so that this bounds a step to 128 MiB."""
_WINDOW: Final = 1 << 27
"""Bytes that a frame may ask to be kept: what every decoder allows without being told otherwise."""


class Unpacked:
    """The unpacked bytes of all frames of a stream. Raises DataError (slug bad-zstd)."""

    def __init__(self, packed: ByteReader, name: str) -> None:
        self._packed = packed
        self._name = name
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._rest = b""
        self._ready = memoryview(b"")

    def read(self, size: int = -1, /) -> bytes:
        while not self._ready:
            block = self._rest or self._packed.read(_BLOCK)
            if not block:
                if self._frame is not None:
                    raise DataError("bad-zstd", "the Zstandard stream ends in the middle", file=self._name)
                return b""
            self._rest = b""
            self._ready = memoryview(self._unpack(block))
        count = len(self._ready) if size < 0 else size
        data, self._ready = bytes(self._ready[:count]), self._ready[count:]
        return data

    def _unpack(self, block: bytes) -> bytes:
        import zstandard

        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        try:
            data = self._frame.decompress(block)
        except zstandard.ZstdError as error:
            raise self._refusal(str(error)) from None
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return data

    def _refusal(self, reason: str) -> DataError:
        if "memory" in reason.lower() or "window" in reason.lower():
            message = f"a frame asks for a window of more than {_WINDOW >> 20} MiB"
            hint = "pack it again without --long: zstd -dc --long=31 FILE | zstd -o NEW"
            return DataError("bad-zstd", message, file=self._name, hint=hint)
        return DataError("bad-zstd", f"the Zstandard stream is damaged ({reason})", file=self._name)
