"""Parquet of the plainest kind, byte for byte the same on every machine and with every release of any library.

Flat columns of texts and numbers, all values required, not compressed, one page a column and row group, each page with
its checksum. The format is Apache Parquet 2.x (parquet.thrift), its structures are Thrift's compact protocol. Arrow's
writer would name its own version in the file, and lay pages out as it likes this year.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"PAR1"
CREATOR: Final = "heldout"
_GROUP: Final = 1 << 16
"""Rows of a row group."""

# Thrift's compact protocol: a value is its type's number and its bytes.
Value = tuple[int, bytes]
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12

# parquet.thrift
_INT32, _BYTE_ARRAY = 1, 6
_REQUIRED, _UTF8, _UNCOMPRESSED, _DATA_PAGE, _PLAIN, _RLE = 0, 0, 0, 0, 0, 3
_KEY_VALUES: Final = 5


@dataclass(frozen=True, slots=True)
class Column:
    """`values` are all texts, or all numbers below 2 ** 31."""

    name: str
    values: Sequence[str] | Sequence[int]
    is_text: bool

    @property
    def physical(self) -> int:
        return _BYTE_ARRAY if self.is_text else _INT32


def write_parquet(columns: Sequence[Column], metadata: Mapping[str, str]) -> bytes:
    """A whole file; `metadata` goes into its footer."""
    rows = len(columns[0].values)
    out = bytearray(MAGIC)
    groups = [_group(out, columns, low, min(low + _GROUP, rows)) for low in range(0, rows, _GROUP)]
    footer = _structure(
        {
            1: _i32(2),
            2: _list(_STRUCT, _schema(columns)),
            3: _i64(rows),
            4: _list(_STRUCT, groups),
            _KEY_VALUES: _list(
                _STRUCT, [_structure({1: _text(key), 2: _text(value)}) for key, value in sorted(metadata.items())]
            ),
            6: _text(CREATOR),
        }
    )[1]
    out += footer + struct.pack("<I", len(footer)) + MAGIC
    return bytes(out)


def _schema(columns: Sequence[Column]) -> Iterator[Value]:
    yield _structure({4: _text("schema"), 5: _i32(len(columns))})
    for column in columns:
        kind = {6: _i32(_UTF8), 10: _structure({1: _structure({})})} if column.is_text else {}
        yield _structure({1: _i32(column.physical), 3: _i32(_REQUIRED), 4: _text(column.name), **kind})


def _group(out: bytearray, columns: Sequence[Column], low: int, high: int) -> Value:
    first = len(out)
    chunks = [_chunk(out, column, low, high) for column in columns]
    return _structure({1: _list(_STRUCT, chunks), 2: _i64(len(out) - first), 3: _i64(high - low)})


def _chunk(out: bytearray, column: Column, low: int, high: int) -> Value:
    page = b"".join(_plain(column, low, high))
    header = _structure(
        {
            1: _i32(_DATA_PAGE),
            2: _i32(len(page)),
            3: _i32(len(page)),
            4: _i32(struct.unpack("<i", struct.pack("<I", zlib.crc32(page)))[0]),
            5: _structure({1: _i32(high - low), 2: _i32(_PLAIN), 3: _i32(_RLE), 4: _i32(_RLE)}),
        }
    )[1]
    at = len(out)
    out += header + page
    size = len(out) - at
    described = {
        1: _i32(column.physical),
        2: _list(_I32, [_i32(_PLAIN), _i32(_RLE)]),
        3: _list(_BINARY, [_text(column.name)]),
        4: _i32(_UNCOMPRESSED),
        5: _i64(high - low),
        6: _i64(size),
        7: _i64(size),
        9: _i64(at),
    }
    return _structure({2: _i64(at), 3: _structure(described)})


def _plain(column: Column, low: int, high: int) -> Iterator[bytes]:
    for value in column.values[low:high]:
        if isinstance(value, str):
            data = value.encode()
            yield struct.pack("<I", len(data)) + data
        else:
            yield struct.pack("<i", value)


def _structure(fields: Mapping[int, Value]) -> Value:
    """Fields in the order of their numbers; none of ours is 15 or more behind the one before."""
    out = bytearray()
    before = 0
    for number, (kind, data) in sorted(fields.items()):
        out += bytes([(number - before) << 4 | kind]) + data
        before = number
    return _STRUCT, bytes(out + b"\0")


def _list(kind: int, items: Iterable[Value]) -> Value:
    data = [value for _, value in items]
    head = bytes([len(data) << 4 | kind]) if len(data) < 15 else bytes([0xF0 | kind]) + _varint(len(data))
    return _LIST, head + b"".join(data)


def _i32(value: int) -> Value:
    return _I32, _varint(_zigzag(value))


def _i64(value: int) -> Value:
    return _I64, _varint(_zigzag(value))


def _text(value: str) -> Value:
    data = value.encode()
    return _BINARY, _varint(len(data)) + data


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# --- reading the footer of any Parquet file ---------------------------------------------------------------------------


def read_metadata(data: bytes) -> dict[str, str]:
    """The texts in a file's footer, by key, whoever wrote it. Raises ValueError for what is no Parquet footer."""
    if len(data) < 12 or data[:4] != MAGIC or data[-4:] != MAGIC:
        raise ValueError("it is not a Parquet file")
    size = struct.unpack("<I", data[-8:-4])[0]
    if size > len(data) - 12:
        raise ValueError("its footer is longer than the file")
    reader = _Reader(data[-8 - size : -8])
    found: dict[str, str] = {}
    for number, kind in reader.fields():
        if number == _KEY_VALUES and kind == _LIST:
            for _ in range(reader.list_size(_STRUCT)):
                key, value = reader.key_value()
                found[key] = value
        else:
            reader.skip(kind)
    return found


class _Reader:
    """Thrift's compact protocol. Raises ValueError at whatever does not fit."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """(number, type) of each field of a structure, whose value has to be taken before the next."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            yield number, head & 15

    def key_value(self) -> tuple[str, str]:
        parts = {1: "", 2: ""}
        for number, kind in self.fields():
            if number in parts and kind == _BINARY:
                parts[number] = self._take(self._unsigned()).decode()
            else:
                self.skip(kind)
        return parts[1], parts[2]

    def list_size(self, wanted: int | None = None) -> int:
        head = self._byte()
        if wanted is not None and head & 15 != wanted:
            raise ValueError("its footer is damaged")
        return head >> 4 if head >> 4 < 15 else self._unsigned()

    def skip(self, kind: int, depth: int = 0) -> None:
        if depth > 16:
            raise ValueError("its footer is damaged")
        if kind in (1, 2):  # a boolean is its type
            return
        if kind in (3, 4, _I32, _I64):
            self._unsigned()
        elif kind == 7:
            self._take(8)
        elif kind == _BINARY:
            self._take(self._unsigned())
        elif kind in (_LIST, 10):
            self._skip_list(depth)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            raise ValueError("its footer is damaged")

    def _skip_list(self, depth: int) -> None:
        start = self._at
        size = self.list_size()
        kind = self._data[start] & 15
        for _ in range(size):
            if kind in (1, 2, 3):  # one byte each, in a list
                self._byte()
            else:
                self.skip(kind, depth + 1)

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise ValueError("its footer is damaged")

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise ValueError("its footer is damaged")
        self._at += count
        return self._data[self._at - count : self._at]
