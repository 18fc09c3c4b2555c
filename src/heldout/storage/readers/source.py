"""What every reader shares: the row it yields, where it complains, and lines of bytes as they are in the file."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple, Protocol

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.errors import ConfigError, DataError

_BLOCK: Final = 1 << 18
_GZIP_MAGIC: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a data file, before its fields are mapped.

    `value` is an object for tables (csv, tsv, parquet) and manifests, any JSON value for json and jsonl, the line
    itself for txt. `line` is the line where the row starts, or the row's number for parquet, both from 1. `split` is
    set where the file's structure names it: a `{split}` in `records`, or a manifest's first line.
    """

    value: JSON
    line: int
    split: str | None = None


class ByteReader(Protocol):
    """The little that readers ask of a stream: it need not be seekable."""

    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Source:
    """An open data file: its decompressed bytes, how dataset.yaml says to read it, and what messages call it."""

    stream: BinaryIO
    item: DataFile
    name: str
    on_bad_row: Callable[[DataError], None] | None = None

    def refuse_row(self, error: DataError) -> None:
        """Report a row that cannot be read exactly and go on, or raise where the dataset does not skip rows."""
        if self.on_bad_row is None:
            raise error
        self.on_bad_row(error)


class Line(NamedTuple):
    """A physical line without its ending. `text` is None when `fault` says why it cannot be decoded."""

    number: int
    text: str
    fault: DataError | None


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


def decompressed(stream: ByteReader, name: str) -> BinaryIO:
    """The bytes to read, gunzipped when they begin like gzip; concatenated members are one stream.

    The bytes decide, not the suffix, so that a file renamed by a download is still read right. A name that ends in .gz
    promises gzip: other bytes there are refused.
    """
    head = stream.read(2)
    if len(head) == 1:
        head += stream.read(1)
    joined = _Joined(head, stream)
    if head == _GZIP_MAGIC:
        return io.BufferedReader(_Guarded(gzip.GzipFile(fileobj=joined, mode="rb"), name), _BLOCK)  # type: ignore[call-overload]
    if name.lower().endswith(".gz") and head:
        raise DataError("bad-gzip", "the name ends in .gz, but the bytes are not gzip", file=name)
    return io.BufferedReader(_Guarded(joined, name), _BLOCK)


class _Transcoded(io.RawIOBase):
    """UTF-16 and UTF-32 as UTF-8, because only there a line's bytes cannot be told before decoding."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder(source.item.encoding)("strict")
        self._consumed = 0
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready:
            block = self._source.stream.read(_BLOCK)
            pending = len(self._decoder.getstate()[0])
            try:
                self._ready = self._decoder.decode(block, final=not block).encode("utf-8")
            except UnicodeDecodeError as error:
                offset = self._consumed - pending + error.start
                raise _encoding_error(self._source, error, None, offset) from None
            self._consumed += len(block)
            if not block:
                break
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def lines(source: Source, *, forgiving: bool = False) -> Iterator[Line]:
    r"""Physical lines: they end in \n or \r\n and nowhere else, so U+2028 and U+0085 stay inside a text.

    A line that cannot be decoded comes with its fault; with `forgiving` its text is decoded with surrogate escapes, for
    readers that must keep the structure of the file (a quoted cell goes on over lines), otherwise it is empty.
    """
    stream, encoding = text_bytes(source)
    offset = 0
    for number, raw in enumerate(stream, 1):
        fault = None
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            fault = _encoding_error(source, error, number, offset + error.start)
            text = raw.decode(encoding, "surrogateescape") if forgiving else ""
        if number == 1:
            text = text.removeprefix("\ufeff")
        offset += len(raw)
        yield Line(number, text, fault)


def text_bytes(source: Source) -> tuple[BinaryIO, str]:
    """The stream and the encoding in which its newlines are single bytes."""
    encoding = codec_name(source)
    if encoding.startswith(("utf-16", "utf-32")):
        return io.BufferedReader(_Transcoded(source), _BLOCK), "utf-8"
    return source.stream, encoding


def codec_name(source: Source) -> str:
    """Python's own name of the declared encoding; the variants with a byte order mark lose it by hand instead."""
    try:
        info = codecs.lookup(source.item.encoding)
        "".encode(info.name)
    except (LookupError, ValueError):
        raise ConfigError(
            "unknown-encoding",
            f"no text encoding is called {source.item.encoding!r}",
            file=source.name,
            field="encoding",
            hint="Common ones are utf-8, latin-1, cp1252 and utf-16.",
        ) from None
    return "utf-8" if info.name == "utf-8-sig" else info.name


def decode_all(source: Source) -> str:
    """A whole file as text, without its byte order mark; for formats that are one document."""
    stream, encoding = text_bytes(source)
    data = stream.read()
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _encoding_error(source, error, data.count(b"\n", 0, error.start) + 1, error.start) from None


def without_ending(text: str) -> str:
    r"""A line without the \n or \r\n that ends it; any other character is the text's own."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")


def _encoding_error(source: Source, error: UnicodeDecodeError, line: int | None, offset: int) -> DataError:
    byte = f"byte 0x{error.object[error.start]:02x}"
    return DataError(
        "bad-encoding",
        f"{byte} is not {source.item.encoding} text ({error.reason})",
        file=source.name,
        line=line,
        offset=offset,
        hint="If the file has another encoding, name it in dataset.yaml, for instance `encoding: latin-1`.",
    )
