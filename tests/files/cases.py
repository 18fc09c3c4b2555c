"""Every awkward file as a row: what is in it, and what must come of it. Read by test_every_file.py.

`READ` files are read exactly: the values of their rows are listed. `REFUSED` files end in exit 2 with a slug, a place
and words of the message. docs/reading.md has the rules behind the rows.
"""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Bytes = bytes | Callable[[], bytes]


@dataclass(frozen=True)
class Read:
    """`rows` are the values that the column `x` has, or a row itself where `whole`."""

    why: str
    file: str
    data: Bytes
    rows: tuple[Any, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True)
class Refused:
    """`place` is line, row or offset, as far as the format knows them; `options` are those of the command line."""

    why: str
    file: str
    data: Bytes
    slug: str
    place: Mapping[str, int] = field(default_factory=dict)
    says: str = ""
    options: tuple[str, ...] = ()


def text(*rows: str, head: str = "x") -> bytes:
    return "".join(f"{row}\n" for row in (head, *rows)).encode()


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    arrays = {name: pa.array(*column) if isinstance(column, tuple) else column for name, column in columns.items()}
    pq.write_table(pa.table(arrays), sink)
    return sink.getvalue()


def damaged_parquet(at: int) -> bytes:
    """The right bytes, but for 30 of them."""
    data = parquet(x=([f"text number {n}" for n in range(2000)],))
    return data[:at] + bytes(30) + data[at + 30 :] if at >= 0 else data[:at]


def timestamps(value: int, unit: str, zone: str | None = None) -> bytes:
    return parquet(x=pa.array([value], pa.int64()).cast(pa.timestamp(unit, zone)), text=(["a text of its own"],))


def typed(kind: pa.DataType, *values: Any) -> bytes:
    return parquet(x=pa.array(list(values), kind))


def _nested(depth: int) -> bytes:
    return b'{"x":"deep one","y":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}\n"


def gz(*members: bytes) -> bytes:
    return b"".join(gzip.compress(member, mtime=0) for member in members)


ONE = b'{"x":"a first row"}\n'
MIB = 1 << 20

READ = (
    # --- marks and line ends
    Read("a byte order mark", "f.csv", codecs.BOM_UTF8 + text("one", "two"), ("one", "two")),
    Read("a byte order mark before JSON", "f.jsonl", codecs.BOM_UTF8 + ONE, ("a first row",)),
    Read("a byte order mark before a document", "f.json", codecs.BOM_UTF8 + b'[{"x":"one"}]', ("one",)),
    Read("a second mark is text", "f.txt", codecs.BOM_UTF8 * 2 + b"one\n", ("\ufeffone",), whole=True),
    Read("CRLF mixed with bare LF", "f.csv", b'x\r\none\n"two\r\nlines"\r\nthree\n', ("one", "two\r\nlines", "three")),
    Read("CRLF mixed with LF in JSON Lines", "f.jsonl", b'{"x":"one"}\r\n\r\n{"x":"two"}\n\n', ("one", "two")),
    Read("CR alone ends a csv line", "f.csv", b"x\rone\rtwo", ("one", "two")),
    Read("CR alone is text elsewhere", "f.txt", b"one\rtwo\nthree\n", ("one\rtwo", "three"), whole=True),
    Read("newlines inside quotes", "f.csv", b'x,y\n"a\n\nb",1\n"c ""d""\n",2\n', ("a\n\nb", 'c "d"\n')),
    Read("U+2028 and U+0085 end no line", "f.txt", "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(),
         ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",), whole=True),
    Read("U+2028 and U+0085 in a csv cell", "f.csv", text("a\u2028b\x85c"), ("a\u2028b\x85c",)),
    Read("U+2028 and U+0085 in JSON", "f.jsonl", '{"x":"a\u2028b\x85c"}\n'.encode(), ("a\u2028b\x85c",)),
    Read("no newline at the end", "f.tsv", b"x\ty\none\t1", ("one",)),
    Read("a quote is a character of tsv", "f.tsv", b'x\ty\n"one\t2\n', ('"one',)),
    Read("spaces around a text stay", "f.txt", b"  one \n\ttwo\n", ("  one ", "\ttwo"), whole=True),
    # --- encodings
    Read("UTF-16 that is declared", "f.csv", "x\none, 日本".replace(",", " ").encode("utf-16"), ("one  日本",),
         {"encoding": "utf-16"}),
    Read("UTF-16 without a mark, its order declared", "f.jsonl", '{"x":"é"}\n'.encode("utf-16-le"), ("é",),
         {"encoding": "utf-16-le"}),
    Read("Latin-1 that is declared", "f.csv", "x\ncafé\x85\n".encode("latin-1"), ("café\x85",),
         {"encoding": "latin-1"}),
    Read("EBCDIC, whose newline is another byte", "f.txt", "one\ntwo\n".encode("cp037"), ("one", "two"),
         {"encoding": "cp037"}, whole=True),
    Read("UTF-7, whose plus opens a shift over lines", "f.txt", "é+\nü\n".encode("utf-7"), ("é+", "ü"),
         {"encoding": "utf-7"}, whole=True),
    # --- numbers
    Read("integers beyond 2^53 and 2^64", "f.jsonl", b'{"x":9007199254740993}\n{"x":18446744073709551617}\n',
         (9007199254740993, 18446744073709551617)),
    Read("1, 1.0 and the text 1", "f.jsonl", b'{"x":1}\n{"x":1.0}\n{"x":"1"}\n', (1, 1.0, "1")),
    Read("numbers of a table are texts", "f.csv", b"x\n1\n1.0\n01\n", ("1", "1.0", "01")),
    Read("all the digits that printf gives for a float", "f.jsonl", b'{"x":0.1000000000000000055511151231257827}\n',
         (0.1,)),
    Read("the smallest float, and minus zero", "f.jsonl", b'{"x":5e-324}\n{"x":-0.0}\n', (5e-324, -0.0)),
    Read("4,300 digits", "f.jsonl", b'{"x":' + b"7" * 4300 + b"}\n", (int("7" * 4300),)),
    # --- JSON
    Read("escaped NUL is text", "f.jsonl", b'{"x":"a\\u0000b"}\n', ("a\0b",)),
    Read("a surrogate pair in escapes", "f.jsonl", b'{"x":"\\ud83d\\ude00"}\n', ("😀",)),
    Read("200 deep", "f.jsonl", _nested(200), ("deep one",)),
    Read("braces and brackets inside texts are not depth", "f.jsonl", b'{"x":"' + b"[{" * 5000 + b'"}\n',
         ("[{" * 5000,)),
    # --- gzip
    Read("members of one stream", "f.csv.gz", gz(b"x\no", b"ne\ntwo\n", b"three"), ("one", "two", "three")),
    Read("gzip under a plain name", "f.csv", gz(b"x\none\n"), ("one",)),
    Read("an empty member first", "f.csv.gz", gz(b"", b"x\none\n"), ("one",)),
    Read("zeros after the last member are padding", "f.csv.gz", gz(b"x\none\n") + bytes(512), ("one",)),
    # --- Parquet
    Read("a decimal is its exact text", "f.parquet",
         lambda: typed(pa.decimal128(30, 10), Decimal("12345678901234567890.0000000010")),
         ("12345678901234567890.0000000010",)),
    Read("a timestamp is ISO 8601, of any unit and year", "f.parquet", lambda: timestamps(1, "ns", "UTC"),
         ("1970-01-01T00:00:00.000000001Z",)),
    Read("a timestamp before year 1", "f.parquet", lambda: timestamps(-62135596800000001, "us"),
         ("0000-12-31T23:59:59.999999",)),
    Read("64-bit unsigned integers", "f.parquet", lambda: typed(pa.uint64(), 2**64 - 1), (2**64 - 1,)),
    Read("a nested column", "f.parquet", lambda: parquet(x=([[{"k": None, "l": [True, False]}], None],)),
         ([{"k": None, "l": [True, False]}], None)),
)  # fmt: skip

REFUSED = (
    # --- no rows
    Refused("an empty file", "f.csv", b"", "no-header"),
    Refused("an empty JSON Lines file", "f.jsonl", b"", "no-examples"),
    Refused("an empty document", "f.json", b"", "bad-json", {"line": 1}),
    Refused("an empty Parquet file", "f.parquet", b"", "bad-parquet"),
    Refused("an empty gzip file", "f.csv.gz", b"", "no-header"),
    Refused("a header only", "f.csv", b"x,y\n", "no-examples"),
    Refused("blank lines only", "f.txt", b"\n\r\n\n", "no-examples"),
    Refused("an empty list", "f.json", b"[]", "no-examples"),
    # --- encodings
    Refused("a byte that is not UTF-8", "f.csv", b"x\none\ncaf\xe9\n", "bad-encoding", {"line": 3, "offset": 9}),
    Refused("UTF-16 that nobody declared", "f.csv", "x\none\n".encode("utf-16"), "bad-encoding",
            {"line": 1, "offset": 0}),
    Refused("UTF-16 without a mark", "f.csv", "x\none\n".encode("utf-16-le"), "nul-byte", {"line": 1}, "NUL"),
    Refused("UTF-16 without a mark, JSON", "f.jsonl", '{"x":1}\n'.encode("utf-16-be"), "bad-json", {"line": 1}),
    Refused("utf-16 needs its mark", "f.csv", "x\none\n".encode("utf-16-le"), "bad-encoding", {"offset": 0}, "mark",
            ("--encoding", "utf-16")),
    Refused("half a UTF-16 character", "f.csv", "x\none 日\n".encode("utf-16")[:-3], "bad-encoding", {"offset": 14}, "",
            ("--encoding", "utf-16")),
    Refused("half of a pair spelt in UTF-7", "f.txt", b"a+2AA-b\n", "lone-surrogate", {"offset": 0}, "",
            ("--encoding", "utf-7")),
    Refused("a UTF-8 mark in a file declared Latin-1", "f.csv", codecs.BOM_UTF8 + b"x\none\n", "bad-encoding",
            {"line": 1, "offset": 0}, "mark", ("--encoding", "latin-1")),
    Refused("an encoding that spells characters out", "f.csv", b"x\n\\u0041\n", "unknown-encoding", {}, "",
            ("--encoding", "unicode_escape")),
    # --- NUL
    Refused("NUL in csv", "f.csv", b"x\na\0b\n", "nul-byte", {"line": 2}),
    Refused("NUL in tsv", "f.tsv", b"x\ty\na\0b\t1\n", "nul-byte", {"line": 2}),
    Refused("NUL in txt", "f.txt", b"one\na\0b\n", "nul-byte", {"line": 2}),
    Refused("NUL in a manifest", "f.manifest", b"split: a\nid: 1\ntext: a\0b\n", "nul-byte", {"line": 3}),
    Refused("NUL in JSON", "f.jsonl", ONE + b'{"x":"a\0b"}\n', "bad-json", {"line": 2}),
    # --- tables
    Refused("a row too short", "f.csv", b"x,y\n1,2\n3\n", "ragged-row", {"line": 3}, "expected 2 cells, found 1"),
    Refused("a row too long", "f.tsv", b"x\ty\n1\t2\t3\n", "ragged-row", {"line": 2}, "expected 2 cells, found 3"),
    Refused("a quote never closed", "f.csv", b'x,y\n1,2\n"three,4\n5,6\n', "open-quote", {"line": 3}),
    Refused("a quote never closed, after closed ones", "f.csv", b'x,y\n"a\nb","c ""d"", \ne\n5,6\n', "open-quote",
            {"line": 3}),
    Refused("text after a closing quote", "f.csv", b'x,y\n"one"two,3\n', "bad-csv", {"line": 2}),
    Refused("a column named twice", "f.csv", b"x,y,x\n1,2,3\n", "bad-header", {"line": 1}, "'x' twice"),
    Refused("a column without a name", "f.csv", b"x,,z\n1,2,3\n", "bad-header", {"line": 1}, "column 2"),
    # --- JSON values
    Refused("NaN", "f.jsonl", ONE + b'{"x":NaN}\n', "not-finite", {"line": 2}, "$.x"),
    Refused("Infinity", "f.jsonl", ONE + b'{"x":[1,-Infinity]}\n', "not-finite", {"line": 2}, "$.x[1]"),
    Refused("NaN in a document", "f.json", b'[\n{"x":"a"},\n{"x":NaN}]', "not-finite", {"line": 3}),
    Refused("a key twice", "f.jsonl", ONE + b'{"x":"a","y":{"z":1,"z":1}}\n', "duplicate-key", {"line": 2}, "$.y"),
    Refused("a key twice, once escaped", "f.jsonl", b'{"x":"a","\\u0078":"b"}\n', "duplicate-key", {"line": 1}),
    Refused("a lone surrogate", "f.jsonl", ONE + b'{"x":"\\ud800"}\n', "lone-surrogate", {"line": 2}, "$.x"),
    Refused("a lone surrogate in a key", "f.jsonl", b'{"x":"a","\\udc00":1}\n', "lone-surrogate", {"line": 1}),
    Refused("beyond the floats", "f.jsonl", ONE + b'{"x":1e400}\n', "number-too-large", {"line": 2}, "$.x"),
    Refused("4,301 digits", "f.jsonl", b'{"x":' + b"7" * 4301 + b"}\n", "number-too-large", {"line": 1}),
    Refused("2^53+1 as a float", "f.jsonl", b'{"x":9007199254740993.0}\n', "inexact-number", {"line": 1}, "$.x"),
    Refused("more digits than a float keeps", "f.jsonl", b'{"x":0.1234567890123456789}\n', "inexact-number",
            {"line": 1}),
    Refused("so small that it would be 0", "f.jsonl", b'{"x":1e-400}\n', "inexact-number", {"line": 1}),
    Refused("201 deep", "f.jsonl", ONE + _nested(201), "too-deep", {"line": 2}, "200"),
    Refused("10,000 deep", "f.jsonl", ONE + _nested(10_000), "too-deep", {"line": 2}),
    Refused("10,000 deep, in a document", "f.json", b"[\n" + _nested(10_000) + b"]", "too-deep", {"line": 2}),
    Refused("a row cut off", "f.jsonl", ONE + b'{"x":"b', "bad-json", {"line": 2}),
    Refused("two values on a line", "f.jsonl", b'{"x":"a"} {"x":"b"}\n', "bad-json", {"line": 1}),
    Refused("a document cut off", "f.json", b'[{"x":"a"},\n{"x":"b"}', "bad-json", {"line": 2}),
    Refused("JSON Lines called .json", "f.json", ONE * 2, "bad-json", {"line": 2}),
    # --- size
    Refused("one line of 100 MB", "f.jsonl", lambda: b'{"x":"' + b"a b c " * 16_666_667 + b'"}\n', "row-too-large",
            {"line": 1}, "64 MiB"),
    Refused("one cell of 100 MB", "f.csv", lambda: b'x\none\n"' + (b"a b c " * 99_999 + b"\n") * 170 + b'"\n',
            "open-quote", {"line": 3}, "not closed within 64 MiB"),
    # --- gzip
    Refused("a gzip stream cut off", "f.csv.gz", gz(b"x\n" + b"one\ntwo\n" * 99)[:-9], "bad-gzip", {},
            "ends in the middle"),
    Refused("its second member cut off", "f.csv.gz", gz(b"x\none\n") + gz(b"two\n")[:12], "bad-gzip"),
    Refused("other bytes after a member", "f.csv.gz", gz(b"x\none\n") + b"two\n", "bad-gzip"),
    Refused("a flipped byte", "f.csv.gz", gz(b"x\none\n")[:-8] + b"\0" * 8, "bad-gzip", {}, "damaged"),
    Refused("a plain file called .gz", "f.csv.gz", b"x\none\n", "bad-gzip"),
    Refused("a gzip bomb of one line", "f.txt.gz", lambda: gzip.compress(bytes(96 * MIB).replace(b"\0", b"a"), 1),
            "row-too-large", {"line": 1}),
    Refused("a zip file", "f.csv", b"PK\x03\x04\x14\0\0\0\x08\0\xbf\xff", "bad-encoding", {"line": 1, "offset": 10}),
    # --- Parquet
    Refused("Parquet cut off", "f.parquet", lambda: damaged_parquet(-20), "bad-parquet"),
    Refused("zeros amid its pages", "f.parquet", lambda: damaged_parquet(2000), "bad-parquet"),
    Refused("NaN in a column", "f.parquet", lambda: parquet(x=([1.0, float("nan")],)), "bad-value", {"row": 2}, "NaN"),
    Refused("an infinity in a list", "f.parquet", lambda: parquet(x=([[1.0], [float("-inf")]],)), "bad-value",
            {"row": 2}),
    Refused("a time of no calendar", "f.parquet", lambda: timestamps(2**62, "us"), "bad-value", {"row": 1}),
    Refused("a date of no calendar", "f.parquet",
            lambda: parquet(x=pa.array([1, 2**31 - 1], "int32").cast("date32")), "bad-value", {"row": 2}),
    Refused("bytes without a text mark", "f.parquet", lambda: parquet(x=([b"a"],)), "unsupported-type"),
    Refused("a duration", "f.parquet", lambda: typed(pa.duration("s"), 1), "unsupported-type"),
    Refused("a map with numbers for keys", "f.parquet",
            lambda: typed(pa.map_(pa.int8(), pa.int8()), [(1, 2)]), "unsupported-type"),
)  # fmt: skip

PARQUET: Mapping[str, str | int] = {
    # parquet-testing by name: how many rows, or the slug
    "alltypes_plain": "unsupported-type",
    "alltypes_plain.snappy": "unsupported-type",
    "binary": "unsupported-type",
    "byte_array_decimal": 24,
    "concatenated_gzip_members": 513,
    "datapage_v1-corrupt-checksum": "bad-parquet",
    "delta_byte_array": 1000,
    "dict-page-offset-zero": 39,
    "int96_from_spark": "unsupported-type",
    "large_string_map.brotli": "row-too-large",
    "list_columns": 3,
    "nested_lists.snappy": 3,
    "nested_maps.snappy": "unsupported-type",
    "nonnullable.impala": 1,
    "null_list": 1,
    "nullable.impala": 7,
    "nulls.snappy": 8,
    "old_list_structure": 1,
    "repeated_no_annotation": 6,
    "rle_boolean_encoding": 68,
    "single_nan": 1,  # the NaN is a null there
    "unknown-logical-type": "unsupported-type",
    "ARROW-GH-41317": "unsupported-type",
    "ARROW-GH-41321": "unsupported-type",
    "ARROW-GH-43605": 21186,  # its pages use a bit width of 0, which is allowed: all values are one
    "ARROW-GH-45185": "bad-parquet",
    "ARROW-GH-47662": "unsupported-type",
    "ARROW-RS-GH-6229-DICTHEADER": "unsupported-type",
    "ARROW-RS-GH-6229-LEVELS": "bad-parquet",
    "PARQUET-1481": "bad-parquet",
}
