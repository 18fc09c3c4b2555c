"""Files of any origin for `heldout check`: what each is called as a split, and which column holds the texts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from heldout.domain.dataset import DataFile, Fields, JoinedField
from heldout.domain.example import JSON
from heldout.domain.paths import parse_path
from heldout.domain.proposal import Proposal, no_header, propose_fields
from heldout.errors import DataError, UsageError
from heldout.services.sources import PlainFiles
from heldout.storage.readers import Row, format_of, read_rows

_LOOK = 100
"""Rows that a proposal is made from."""

HERE = PlainFiles(Path())


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What a person asked for. Field names are field paths; `splits` gives files a split's name; None and () mean
    that Heldout is to find out, and to say so where it cannot."""

    files: tuple[str, ...]
    holdout: tuple[str, ...] = ()
    text_field: str | None = None
    split_field: str | None = None
    expected: str | None = None
    key: str | None = None
    records: str | None = None
    format: str | None = None
    encoding: str = "utf-8"
    columns: tuple[str, ...] = ()
    splits: Mapping[str, str] = field(default_factory=dict)
    skip_bad_rows: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """One file, how to read it, and why so. `split` is its split's name where no row says otherwise. With `own_names`
    parts that no field maps are the row's own fields of their names, as in a dataset."""

    item: DataFile
    format: str
    fields: Fields
    split: str
    reasons: tuple[str, ...]
    own_names: bool = False

    @property
    def text_field(self) -> str | None:
        """The field path of the text; None where a row is a text itself."""
        text = self.fields.input
        return text.path if isinstance(text, JoinedField) else text


def plan(request: CheckRequest) -> list[Planned]:
    """Look at the first rows of each file. Raises UsageError where there is no one sensible choice, DataError and
    MissingDataError for files that cannot be read."""
    _refuse_repeats(request)
    _refuse_bad_paths(request)
    return [_planned(request, path, split) for path, split in _split_names(request).items()]


def _refuse_repeats(request: CheckRequest) -> None:
    first: dict[str, str] = {}
    for path in request.files:
        other = first.setdefault(os.path.realpath(path), path)
        if other != path or request.files.count(path) > 1:
            raise UsageError(
                "file-given-twice",
                f"{path} is given twice: every example in it would be found in itself",
                hint="name each file once",
            )


def _refuse_bad_paths(request: CheckRequest) -> None:
    flags = {
        "--text-field": request.text_field,
        "--split-field": request.split_field,
        "--expected": request.expected,
        "--key": request.key,
    }
    for flag, path in flags.items():
        try:
            parse_path(path or "none")
        except ValueError as error:
            raise UsageError("bad-path", f"{flag} {path}: {error}", hint=f"{flag} column") from None
    if request.key is not None and request.key == request.text_field:
        raise UsageError("key-is-input", "--key and --text-field name the same field", hint="leave out --key")


def _split_names(request: CheckRequest) -> dict[str, str]:
    """A file is the split that its name says: train.jsonl.gz is train.

    Files whose names say the same take in as much of their paths as sets them apart: they were given side by side to be
    compared, not to be one.
    """
    unknown = [path for path in request.splits if path not in request.files]
    if unknown:
        hint = f"files are {', '.join(request.files)}"
        raise UsageError("unknown-file", f"--split names {unknown[0]}, which is no file of this check", hint=hint)
    named = {path: request.splits.get(path) or stem(path) for path in request.files}
    shared = Counter(named.values())
    alike = [path for path in request.files if shared[named[path]] > 1 and path not in request.splits]
    return {**named, **(_told_apart(alike) if len(alike) > 1 else {})}


def stem(path: str) -> str:
    """A file's name without .gz and then without its suffix."""
    name = PurePosixPath(Path(path).as_posix()).name.removesuffix(".gz")
    return PurePosixPath(name).stem or name


def _told_apart(paths: Sequence[str]) -> dict[str, str]:
    parts = {path: Path(os.path.realpath(path)).parts for path in paths}
    for depth in range(2, max(map(len, parts.values())) + 1):
        names = {path: "/".join((*parts[path][-depth:-1], stem(path))) for path in paths}
        if len(set(names.values())) == len(paths):
            return names
    return {path: path for path in paths}


def _planned(request: CheckRequest, path: str, split: str) -> Planned:
    item = DataFile(path, split, format=request.format, encoding=request.encoding, records=request.records)
    if request.columns:
        item = replace(item, header=False, columns=request.columns)
    rows, kind = _first_rows(item)
    reasons: list[str] = []
    found = _proposal(kind, [row.value for row in rows])
    split_field = _split_field(request, path, found, rows, reasons)
    text_field = _text_field(request, path, kind, found, rows, reasons)
    if split_field is not None:
        item = replace(item, split=None)
    text = JoinedField(text_field) if text_field and "*" in parse_path(text_field) else text_field
    fields = Fields(input=text, split=split_field, key=request.key, expected=request.expected)
    return Planned(item, kind, fields, split, tuple(reasons))


def _first_rows(item: DataFile) -> tuple[list[Row], str]:
    """Some rows, and the format. Rows that cannot be read are met again, and refused or counted, when all are read."""
    for name, stream in HERE.open(item.path):
        kind = format_of(item, name)
        return list(islice(_readable(read_rows(stream, item, name, lambda _: None)), _LOOK)), kind
    raise DataError("no-examples", "the folder is empty", file=item.path, hint="name files that hold examples")


def _readable(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows before a fault after which the file cannot be read on."""
    try:
        yield from rows
    except DataError:
        return


def _proposal(kind: str, values: Sequence[JSON]) -> Proposal:
    """For rows without names there is nothing to propose: a line of a text file is the text."""
    if kind == "manifest":
        return Proposal("input", None, None, None, ("input: the manifest's text",))
    if values and all(isinstance(value, str) for value in values):
        return Proposal(None, None, None, None, ("input: each row is a text",))
    return propose_fields(values)


def _split_field(
    request: CheckRequest, path: str, found: Proposal, rows: Sequence[Row], reasons: list[str]
) -> str | None:
    if request.split_field is not None:
        return request.split_field
    if path in request.splits or any(row.split is not None for row in rows):
        return None
    if found.split is not None:
        reasons.append(f"split: the column {found.split!r}")
    return found.split


def _text_field(
    request: CheckRequest, path: str, kind: str, found: Proposal, rows: Sequence[Row], reasons: list[str]
) -> str | None:
    texts_only = bool(rows) and all(isinstance(row.value, str) for row in rows)
    why = [reason for reason in found.reasons if reason.startswith("input:")]
    if kind == "manifest" or texts_only:
        reasons += why
        return found.input
    if request.text_field is not None:
        return request.text_field
    if found.input is None and rows:
        if found.header_is_row:
            raise no_header(path)
        names = ", ".join(found.choices) or "none"
        reason = why[0].removeprefix("input: ") if why else "its rows have no columns"
        raise UsageError(
            "text-field-unclear",
            f"{path}: which column is the text? {reason}. Candidates: {names}",
            hint=f"--text-field {found.choices[0] if found.choices else 'COLUMN'}",
        )
    reasons += why
    return found.input
