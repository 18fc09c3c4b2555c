"""Readers of data files, held to the standard library and to each other."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable
from typing import Any

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile, DatasetSpec, Fields
from heldout.domain.text import text_of
from heldout.errors import DataError
from heldout.storage.json_strict import JSONFault, Walker, parse_json
from heldout.storage.quick import rows as quick
from heldout.storage.readers import read_rows
from heldout.storage.rows import RowMapper
from tools.fuzzing.oracles import Inexact, decoded, standard_json
from tools.fuzzing.promise import read, require, same, target

_ZSTANDARD = (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + number]) + b"*M\x18" for number in range(16)))
"""Its frames, and those that it passes over (RFC 8878, 3.1.1 and 3.1.2)."""

_PACKED = (b"\x1f\x8b", *_ZSTANDARD)
"""Such bytes are unpacked, once, whatever the file is called."""

_ASKED = ("split", "key", "input", "expected", "source_kind", "review_status", "synthetic", "has_input")


@target
def json_values(data: bytes) -> None:
    """A value equals the standard library's, and what it refuses is refused, as by the slow parser that explains."""
    text = decoded(data)
    try:
        found, fault = parse_json(data), None
    except JSONFault as caught:
        found, fault = None, caught
    try:
        if text is None:
            raise Inexact
        expected, refused = standard_json(text), False
    except (ValueError, RecursionError):
        expected, refused = None, True
    require(refused == (fault is not None), f"refused by one of two: {fault}")
    require(same(found, expected), "another value")
    if fault is None:
        walker = Walker(text or "")
        require(same(walker.value(), found), "the slow parser gives another value")
        digest(found)
        text_of(found)


@target
def json_lines(data: bytes) -> None:
    found = read(data, "f.jsonl")
    text = decoded(data)
    if found.fault is None and not data.startswith(_PACKED):
        parts = [part.strip(" \t\r") for part in (text or "").split("\n")]
        require(same(found.values, [standard_json(part) for part in parts if part]), "other rows")


@target
def json_document(data: bytes) -> None:
    found = read(data, "f.json")
    if found.fault is None and not data.startswith(_PACKED):
        require(same(found.values, json.loads(decoded(data) or "")), "other rows")
    read(data, "f.json", records="a.{split}.0")


@target
def quick_rows(data: bytes) -> None:
    """The quick reader of JSON Lines gives the parts that the strict one gives, and its refusals."""
    for fields in (Fields(), Fields(input="text", key="id", split="part", tags="metadata")):
        item = DataFile("f.jsonl", None if fields.split else "train")
        spec = DatasetSpec("a", (item,), fields)
        mapper = RowMapper(spec)
        rows = read_rows(io.BytesIO(data), item, "f.jsonl")
        strict = _parts(mapper.example(row, item, "f.jsonl") for row in rows)
        found = _parts(quick.quick_rows(io.BytesIO(data), spec, item, "f.jsonl", mapper))
        require(same(found, strict), f"the quick reader gives {found!r}, the strict one {strict!r}")


def _parts(rows: Iterable[Any]) -> list[Any]:
    """What conditions ask of each row, and at the end the refusal."""
    found: list[Any] = []
    try:
        for row in rows:
            found.append([getattr(row, name) for name in _ASKED])
            found[-1] += [list(row.tags), dict(row.metadata)]
    except DataError as fault:
        found.append((fault.slug, fault.location()))
    return found


# --- tables and lines -------------------------------------------------------------------------------------------------


@target
def csv_rows(data: bytes) -> None:
    """Rows are those of Python's csv module on the whole text."""
    found = read(data, "f.csv")
    read(data, "f.csv", header=False, columns=("a", "b"), delimiter=";")
    text = decoded(data)
    if found.fault is None and text is not None and not data.startswith(_PACKED):
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
        require(same(found.values, [dict(zip(header, row, strict=True)) for row in rows]), "other rows")


@target
def plain_lines(data: bytes) -> None:
    found = read(data, "f.txt")
    text = decoded(data)
    if found.fault is None and text is not None and not data.startswith(_PACKED):
        parts = re.split("\r?\n", text)
        require(found.values == [part for part in parts if part], "other lines")
    read(data, "f.manifest")
    read(data, "f.tsv")


@target
def encodings(data: bytes) -> None:
    """The first byte chooses an encoding; a text that is read has the characters that Python's codec gives."""
    names = ("utf-8", "utf-16", "utf-16-le", "utf-32", "utf-7", "shift_jis", "cp037", "latin-1", "iso2022_jp", "hz")
    name, body = names[data[0] % len(names)] if data else "utf-8", data[1:]
    read(body, "f.csv", encoding=name)
    found = read(body, "f.txt", encoding=name)
    if found.fault is None and not body.startswith(_PACKED):
        text = body.decode(name).removeprefix("\ufeff")
        require(found.values == [part for part in re.split("\r?\n", text) if part], "other characters")


@target
def gzip_members(data: bytes) -> None:
    """Raw bytes, and each half of them as a member of one stream: both are what Python's gzip says."""
    found = read(data, "f.txt.gz")
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, ValueError, Exception):  # zlib.error has no better base
        require(found.fault is not None or data.startswith(_ZSTANDARD), "a damaged stream was read")
    else:
        require(plain.startswith(_PACKED) or same(found.values, read(plain, "f.txt").values), "other rows")
    if data.startswith(_PACKED):
        return  # packed itself, so without its packing it is another file
    half = len(data) // 2
    packed = gzip.compress(data[:half], 1, mtime=0) + gzip.compress(data[half:], 1, mtime=0)
    require(same(read(packed, "f.csv.gz").values, read(data, "f.csv").values), "members are not one stream")


@target
def parquet_rows(data: bytes) -> None:
    read(data, "f.parquet")
