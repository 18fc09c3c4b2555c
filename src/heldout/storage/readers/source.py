"""What every reader shares: the row it yields, where it complains, and lines of bytes as they are in the file."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO, Final, NamedTuple

from heldout.domain.dataset import DataFile
from heldout.domain.example import JSON
from heldout.errors import ConfigError, DataError

ROW_LIMIT: Final = 1 << 26
"""Bytes of one row (64 MiB): more is a quote never closed, a file without line ends, or a gzip bomb."""
DOCUMENT_LIMIT: Final = 1 << 29
"""Bytes of a file that is read whole (512 MiB, decompressed): a JSON document."""

_BLOCK: Final = 1 << 18
_ASCII: Final = bytes(range(128))
# Codecs that Python counts among texts, but that spell characters out: no file of rows is written in them.
_ESCAPES: Final = ("unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape", "idna", "punycode")


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


class _Transcoded(io.RawIOBase):
    """UTF-16, UTF-7, EBCDIC and others as UTF-8: in these a line's bytes cannot be told before decoding."""

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
            except UnicodeError as error:
                raise self._fault(error, pending) from error
            self._consumed += len(block)
            if not block:
                break
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _fault(self, error: UnicodeError, pending: int) -> DataError:
        if "BOM" in str(error):  # the class of this error depends on the Python
            message = f"{self._source.item.encoding} text begins with a byte order mark, and this file does not"
            hint = "Without the mark, name the order of bytes: utf-16-le or utf-16-be."
            return DataError("bad-encoding", message, file=self._source.name, offset=0, hint=hint)
        if isinstance(error, UnicodeDecodeError):
            return _encoding_error(self._source, error, None, self._consumed - pending + error.start)
        # UTF-7 can spell half of a surrogate pair; where it stood is not known any more.
        return DataError("lone-surrogate", "half of a surrogate pair", file=self._source.name, offset=self._consumed)


def lines(source: Source, *, forgiving: bool = False, quoted: Callable[[], bool] | None = None) -> Iterator[Line]:
    r"""Physical lines: they end in \n or \r\n and nowhere else, so U+2028 and U+0085 stay inside a text.

    A line that cannot be decoded comes with its fault; with `forgiving` its text is decoded with surrogate escapes, for
    readers that must keep the structure of the file (a quoted cell goes on over lines), otherwise it is empty. Where
    `quoted` says that the next line begins inside quotes, several may come as one, without a quote in any.
    """
    stream, encoding = text_bytes(source)
    number = offset = 0
    while True:
        many = _lines_without_quotes(stream, encoding) if quoted is not None and quoted() else None
        if many is not None:
            raw, text = many
            yield Line(number + 1, text, None)
            number += raw.count(b"\n")
            offset += len(raw)
            continue
        raw = stream.readline(ROW_LIMIT + 1)
        if not raw:
            return
        number += 1
        if len(raw) > ROW_LIMIT:
            raise too_long(source, number)
        fault = None
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            fault = _encoding_error(source, error, number, offset + error.start)
            text = raw.decode(encoding, "surrogateescape") if forgiving else ""
        if number == 1:
            _refuse_other_mark(source, raw, encoding)
            text = text.removeprefix("\ufeff")
        offset += len(raw)
        yield Line(number, text, fault)


def _lines_without_quotes(stream: BinaryIO, encoding: str) -> tuple[bytes, str] | None:
    """The whole lines that the stream's buffer holds before the next one with a quote, bytes and text; None where there
    are none, or where one of them cannot be decoded, which is told line by line."""
    if not isinstance(stream, io.BufferedReader):
        return None
    ahead = stream.peek()
    end = ahead.find(b'"')
    end = ahead.rfind(b"\n", 0, end if end >= 0 else len(ahead)) + 1
    try:
        text = ahead[:end].decode(encoding)
    except UnicodeDecodeError:
        return None
    return (stream.read(end), text) if end else None


def too_long(source: Source, line: int) -> DataError:
    return DataError(
        "row-too-large",
        f"the row that starts here is larger than {ROW_LIMIT >> 20} MiB",
        file=source.name,
        line=line,
        hint="Keep large contents in files of their own; a row can name them by their digest (`payload`).",
    )


def nul(source: Source, line: int) -> DataError:
    return DataError(
        "nul-byte",
        "a NUL character in a text file",
        file=source.name,
        line=line,
        hint="If the file is UTF-16, set `encoding: utf-16`.",
    )


def text_bytes(source: Source) -> tuple[BinaryIO, str]:
    """The stream and the encoding in which its newlines are single bytes."""
    encoding, by_lines = _codec(source.item.encoding)
    if encoding is None:
        raise ConfigError(
            "unknown-encoding",
            f"no text encoding is called {source.item.encoding!r}",
            file=source.name,
            field="encoding",
            hint="Common ones are utf-8, latin-1, cp1252 and utf-16.",
        )
    if by_lines:
        return source.stream, encoding
    return io.BufferedReader(_Transcoded(source), _BLOCK), "utf-8"


def bytes_tell_lines(encoding: str) -> bool:
    """Whether a newline is the one byte in this encoding that it is in ASCII."""
    return _codec(encoding)[1]


@lru_cache(maxsize=16)
def _codec(declared: str) -> tuple[str | None, bool]:
    """Python's own name of an encoding, None where it is none of texts; and whether ASCII's bytes, newlines among them,
    mean in it what they mean in ASCII. UTF-8 with a byte order mark loses it by hand instead."""
    try:
        name = codecs.lookup(declared).name
        "".encode(name)
    except (LookupError, ValueError):
        return None, False
    if name in _ESCAPES:
        return None, False
    if name == "utf-8-sig":
        return "utf-8", True
    try:
        # In ISO 2022 a switch of character set may hold beyond the end of a line.
        return name, not name.startswith("iso2022") and _ASCII.decode(name) == _ASCII.decode("ascii")
    except UnicodeDecodeError:
        return name, False


def decode_all(source: Source) -> str:
    """A whole file as text, without its byte order mark; for formats that are one document."""
    stream, encoding = text_bytes(source)
    data = bytearray()
    while block := stream.read(_BLOCK):
        data += block
        if len(data) > DOCUMENT_LIMIT:
            raise DataError(
                "document-too-large",
                f"the document is larger than {DOCUMENT_LIMIT >> 20} MiB, and it has to be held in memory",
                file=source.name,
                hint="Write one row a line (format jsonl): such files are read as streams.",
            )
    _refuse_other_mark(source, data[:3], encoding)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _encoding_error(source, error, data.count(b"\n", 0, error.start) + 1, error.start) from None


def _refuse_other_mark(source: Source, start: bytes | bytearray, encoding: str) -> None:
    """A file that begins with UTF-8's byte order mark is in no other encoding, whatever was declared."""
    if encoding != "utf-8" and start.startswith(codecs.BOM_UTF8):
        message = f"the file begins with the byte order mark of UTF-8, so it is not {source.item.encoding} text"
        hint = "It is UTF-8: name no other encoding."
        raise DataError("bad-encoding", message, file=source.name, line=1, offset=0, hint=hint)


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
