"""What the fuzzers hold the readers and codecs to, whatever bytes they are given.

Each target takes bytes and raises nothing, or `Broken` where a promise does not hold: a value that an independent
reader of the standard library or of ruamel.yaml would not give, an error of another kind than the documented one, or
time that runs away. Any other exception is a finding as well. `tools/fuzz.py` drives them by coverage, and
tests/files/test_fuzz_targets.py with mutations by hypothesis.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile
from heldout.domain.text import text_of
from heldout.errors import ConfigError, DataError, TamperedError
from heldout.storage import dataset_file, finding_lines, pointers, records, retirements, settings_file, yaml_files
from heldout.storage.dvc import store
from heldout.storage.json_strict import JSONFault, Walker, parse_json
from heldout.storage.readers import Row, read_rows
from heldout.storage.yaml_simple import parse_simple
from tools.fuzzing.oracles import Inexact, decoded, standard_json

Run = Callable[[bytes], None]
TARGETS: dict[str, Run] = {}


class Broken(AssertionError):
    """A promise that did not hold."""


def target(function: Run) -> Run:
    TARGETS[function.__name__.replace("_", "-")] = function
    return function


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader gave: its rows, or why it refused the file."""

    rows: tuple[Row, ...]
    fault: DataError | ConfigError | None

    @property
    def values(self) -> list[Any]:
        return [row.value for row in self.rows]


def read(data: bytes, name: str, **settings: Any) -> Read:
    """Rows are what scans make of them, so each must have a digest and a text; lines go up."""
    rows: list[Row] = []
    try:
        for row in read_rows(io.BytesIO(data), DataFile(name, **settings), name):
            digest(row.value)
            text_of(row.value)
            rows.append(row)
    except (DataError, ConfigError) as fault:
        if fault.file != name or not fault.message:
            raise Broken(f"a refusal without its place: {fault!r}") from fault
        return Read(tuple(rows), fault)
    require(all(one.line <= other.line for one, other in pairwise(rows)), "lines go back")
    return Read(tuple(rows), None)


def require(held: bool, promise: str) -> None:
    if not held:
        raise Broken(promise)


def same(one: object, other: object) -> bool:
    """Equal with their types: 1 is not 1.0 and not true here; and equal in the order of keys."""
    return repr(one) == repr(other)


# --- JSON -------------------------------------------------------------------------------------------------------------


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
    if found.fault is None and not data.startswith(b"\x1f\x8b"):
        parts = [part.strip(" \t\r") for part in (text or "").split("\n")]
        require(same(found.values, [standard_json(part) for part in parts if part]), "other rows")


@target
def json_document(data: bytes) -> None:
    found = read(data, "f.json")
    if found.fault is None and not data.startswith(b"\x1f\x8b"):
        require(same(found.values, json.loads(decoded(data) or "")), "other rows")
    read(data, "f.json", records="a.{split}.0")


# --- tables and lines -------------------------------------------------------------------------------------------------


@target
def csv_rows(data: bytes) -> None:
    """Rows are those of Python's csv module on the whole text."""
    found = read(data, "f.csv")
    read(data, "f.csv", header=False, columns=("a", "b"), delimiter=";")
    text = decoded(data)
    if found.fault is None and text is not None and not data.startswith(b"\x1f\x8b"):
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
        require(same(found.values, [dict(zip(header, row, strict=True)) for row in rows]), "other rows")


@target
def plain_lines(data: bytes) -> None:
    found = read(data, "f.txt")
    text = decoded(data)
    if found.fault is None and text is not None and not data.startswith(b"\x1f\x8b"):
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
    if found.fault is None and not body.startswith(b"\x1f\x8b"):
        text = body.decode(name).removeprefix("\ufeff")
        require(found.values == [part for part in re.split("\r?\n", text) if part], "other characters")


@target
def gzip_members(data: bytes) -> None:
    """Raw bytes, and each half of them as a member of one stream: both are what Python's gzip says."""
    found = read(data, "f.txt.gz")
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, ValueError, Exception):  # zlib.error has no better base
        require(found.fault is not None, "a damaged stream was read")
    else:
        require(same(found.values, read(plain, "f.txt").values), "other rows")
    half = len(data) // 2
    packed = gzip.compress(data[:half], 1, mtime=0) + gzip.compress(data[half:], 1, mtime=0)
    if not data.startswith(b"\x1f\x8b"):
        require(same(read(packed, "f.csv.gz").values, read(data, "f.csv").values), "members are not one stream")


@target
def parquet_rows(data: bytes) -> None:
    read(data, "f.parquet")


# --- YAML and what is written in it -----------------------------------------------------------------------------------


@target
def yaml_values(data: bytes) -> None:
    """The fast parser agrees with ruamel's on all that it takes, lines too; what is read can be written and read."""
    text = decoded(data)
    simple = None if text is None else parse_simple(text)
    if text is not None and simple is not None:
        full = yaml_files._parse_full(text, "f")
        require(same(simple, full), f"the fast parser gives {simple!r}, the full one {full!r}")
    try:
        value = yaml_files.load_yaml(data, "f")
    except ConfigError as fault:
        require(fault.file == "f" and bool(fault.message), "a refusal without its place")
        return
    digest(value)
    require(same(yaml_files.load_yaml(yaml_files.dump_yaml(value), "f"), value), "another value after writing")


@target
def datasets(data: bytes) -> None:
    """A dataset.yaml that is read keeps its meaning when it is written, and when a file is added to it."""
    try:
        spec = dataset_file.parse_dataset(data, "dataset.yaml")
    except ConfigError:
        return
    again = dataset_file.parse_dataset(dataset_file.render_dataset(spec), "dataset.yaml")
    require(again == spec, "another dataset after writing")
    added = DataFile("added by the fuzzer.csv", "train")
    longer = replace(spec, data=(*spec.data, added))
    written = dataset_file.append_data(data, "dataset.yaml", longer, [added])
    require(dataset_file.parse_dataset(written, "dataset.yaml") == longer, "another dataset after adding a file")


@target
def scan_records(data: bytes) -> None:
    """The short cut through a record's long list gives what YAML gives."""
    try:
        found = records.parse_record(data, "scan.yaml")
    except TamperedError:
        return
    require(found == records._record(yaml_files.load_yaml(data, "scan.yaml"), ()), "another record")
    ordered = replace(found, compared=tuple(sorted(found.compared, key=lambda item: item.source)))
    again = records.parse_record(records.render_record(found), "scan.yaml")
    require(again == ordered, "another record after writing")


@target
def findings(data: bytes) -> None:
    try:
        finding_lines.parse_findings(data, ("sha256:" + "0" * 64,))
    except ValueError:
        return


@target
def small_files(data: bytes) -> None:
    for attempt in _small_files(data):
        try:
            attempt()
        except (ConfigError, TamperedError):
            continue


def _small_files(data: bytes) -> Iterator[Callable[[], object]]:
    yield lambda: pointers._parse_dvc_file(data, "train.csv.dvc")
    yield lambda: pointers.Pointers(_Lock(data))._in_file("dvc.lock")
    yield lambda: settings_file.parse_settings(data)
    yield lambda: retirements.parse_retirement(data, "datasets/a/reviews/retired-v1.0.0.yaml")


@dataclass(frozen=True, slots=True)
class _Lock:
    """A tree with one text as the pipeline and its lock at once."""

    data: bytes

    def read(self, path: str) -> bytes | None:
        return self.data if path in ("dvc.lock", "dvc.yaml") else None

    def paths(self, prefix: str = "", without: Collection[str] = ()) -> Iterable[str]:  # noqa: ARG002
        return ("dvc.lock", "dvc.yaml")


@target
def folder_manifests(data: bytes) -> None:
    """DVC's manifest of a folder: the paths in it stay inside the folder and can be paths."""
    folder = pointers.Output("shards", "0" * 32 + ".dir", None, True, False, "shards.dvc")
    try:
        entries = store._parse_manifest(data, folder)
    except TamperedError:
        return
    for name, _ in entries:
        require(not name.startswith("/") and ".." not in name.split("/"), "a path leads out of the folder")
        require(b"\0" not in name.encode("utf-8"), "no path")
