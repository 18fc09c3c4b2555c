"""Records for `heldout leak`: manifests, or any data files, each record with the id that findings name it by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DataFile, DatasetSpec, Fields
from heldout.domain.example import JSON, Example
from heldout.domain.leaks.leak import LeakRecord
from heldout.domain.paths import MISSING, lookup, parse_path
from heldout.domain.proposal import propose_fields
from heldout.domain.text import text_of
from heldout.errors import ConfigError, DataError, UsageError
from heldout.services.checking.files import HERE, CheckRequest, Planned, plan
from heldout.services.progress import Progress
from heldout.services.reading import examples
from heldout.storage.readers import format_of, read_rows
from heldout.storage.readers.compressed import decompressed

_LOOK = 100  # rows
_HEAD = 1 << 16  # bytes in which a manifest says that it is one
_NAME = "files"
_ID, _SOURCE = "id", "source"


@dataclass(frozen=True, slots=True)
class LeakRequest:
    """Which files, and where their parts are. None and () mean that Heldout is to find out, or to ask."""

    files: tuple[str, ...]
    text_field: str | None = None
    id_field: str | None = None
    source_field: str | None = None
    split_field: str | None = None
    format: str | None = None
    encoding: str = "utf-8"
    columns: tuple[str, ...] = ()
    records: str | None = None
    splits: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class LeakInput:
    """All records in the order of the files, and their texts as they stand there."""

    records: list[LeakRecord] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def splits(self) -> dict[str, int]:
        return dict(sorted(Counter(record.split for record in self.records).items()))


def read_records(request: LeakRequest, progress: Progress) -> LeakInput:
    """Every record of every file; one that cannot be read exactly is refused, never skipped (E7).

    Raises DataError with file, line and field, MissingDataError, and UsageError where a choice is open.
    """
    found = LeakInput()
    with _hints_for_flags():
        for planned in _plan(request):
            progress.stage(f"reading {planned.item.path}")
            before = len(found.records)
            for file, example in examples(DatasetSpec(_NAME, (planned.item,), planned.fields), HERE, own_names=False):
                found.records.append(_record(file, example))
                found.texts.append(text_of(example.input))
                progress.advance()
            if len(found.records) == before:
                hint = "leave the file out, or give the right one"
                raise DataError("no-examples", "it holds no record", file=planned.item.path, hint=hint)
            _settle_ids(found, before, planned)
    if request.source_field is not None and not any(record.source is not None for record in found.records):
        hint = "name a field that the records have; a manifest has none"
        raise UsageError("no-source", f"--source-field {request.source_field}: no record has it", hint=hint)
    _require_unique(found.records)
    return found


def _plan(request: LeakRequest) -> Iterator[Planned]:
    """Manifests are known by their suffix, by --file-format, or by their first line, whatever they are called."""
    manifests = {path for path in request.files if _is_manifest(path, request)}
    if named := sorted(manifests & set(request.splits)):
        message = f"--split {named[0]}: a manifest names its own split"
        raise UsageError("bad-split-option", message, hint="change its `split:` line")
    others = tuple(path for path in request.files if path not in manifests)
    asked = CheckRequest(
        files=request.files,
        text_field=request.text_field,
        split_field=request.split_field,
        key=request.id_field,
        records=request.records,
        format=request.format,
        encoding=request.encoding,
        columns=request.columns,
        splits=request.splits,
    )
    if not others:
        plan(replace(asked, files=request.files, format="manifest"))  # refuses what was named wrongly
    planned = {item.item.path: item for item in plan(_among(asked, others))} if others else {}
    for path in request.files:
        if path in manifests:
            item = DataFile(path, None, format="manifest", encoding=request.encoding)
            yield Planned(item, "manifest", Fields(input="input", key="key"), path, ())
        else:
            yield _with_parts(planned[path], request)


def _among(asked: CheckRequest, files: tuple[str, ...]) -> CheckRequest:
    splits = {path: name for path, name in asked.splits.items() if path in files or path not in asked.files}
    return replace(asked, files=files, splits=splits)


def _is_manifest(path: str, request: LeakRequest) -> bool:
    if request.format is not None:
        return request.format == "manifest"
    try:
        by_suffix = format_of(DataFile(path))
    except ConfigError:
        by_suffix = "txt"
    if by_suffix != "txt":
        return by_suffix == "manifest"
    for name, stream in HERE.open(path):
        head = decompressed(stream, name).read(_HEAD)
        lines = (line.strip(b" \t\r") for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
        first = next((line for line in lines if line and not line.startswith(b"#")), b"")
        return first.partition(b":")[0].rstrip() == b"split" and b":" in first
    return False


def _with_parts(planned: Planned, request: LeakRequest) -> Planned:
    """The plan of a data file, with its id column where one is sensible, and its source field where it has one."""
    rows = _first_values(planned.item)
    metadata: dict[str, str] = {}
    if request.id_field is None and (key := propose_fields(rows).key) is not None:
        metadata[_ID] = key
    if request.source_field is not None:
        path = _source_path(request.source_field)
        if any(lookup(row, path) is not MISSING for row in rows):
            metadata[_SOURCE] = request.source_field
    return replace(planned, fields=replace(planned.fields, metadata=metadata))


def _source_path(text: str) -> tuple[str, ...]:
    try:
        return parse_path(text)
    except ValueError as error:
        raise UsageError("bad-path", f"--source-field {text}: {error}", hint="--source-field column") from None


def _first_values(item: DataFile) -> list[JSON]:
    for name, stream in HERE.open(item.path):
        return [row.value for row in islice(read_rows(stream, item, name), _LOOK)]
    return []


def _record(file: str, example: Example) -> LeakRecord:
    """The id is the record's own, or for now a guess of one: "" where there is none."""
    guess = example.metadata.get(_ID)
    known = example.key if example.key is not None else str(guess) if _is_id(guess) else ""
    source = example.metadata.get(_SOURCE)
    if source is not None and not isinstance(source, str):
        source = canonical_json(source).decode("utf-8")
    return LeakRecord(example.split, known, file, example.line, source)


def _is_id(value: JSON) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _settle_ids(found: LeakInput, start: int, planned: Planned) -> None:
    """Where not every record of a file has an id of its own, or two have the same, lines (or rows) are the ids."""
    if planned.fields.key is not None:
        return
    records = found.records[start:]
    names = {(record.split, record.id) for record in records}
    if all(record.id for record in records) and len(names) == len(records):
        found.notes.append(f"{planned.item.path}: ids are those of {planned.fields.metadata[_ID]!r}")
        return
    what = "rows" if format_of(planned.item, records[0].file) == "parquet" else "lines"
    one_file = len({record.file for record in records}) == 1
    found.notes.append(f"{planned.item.path}: ids are numbers of {what}; --id-field names a field instead")
    found.records[start:] = [
        replace(record, id=str(record.line) if one_file else f"{record.file}:{record.line}") for record in records
    ]


def _require_unique(records: Sequence[LeakRecord]) -> None:
    first: dict[tuple[str, str], LeakRecord] = {}
    for record in records:
        other = first.setdefault((record.split, record.id), record)
        if other is not record:
            raise DataError(
                "duplicate-key",
                f"the id {record.id!r} is already used in split {record.split!r}, at {other.file}:{other.line}",
                file=record.file,
                line=record.line,
                hint="ids are unique in their split; --split FILE=NAME makes another split of a file",
            )


@contextmanager
def _hints_for_flags() -> Iterator[None]:
    """Readers advise what to write into dataset.yaml; here the same is said with a flag."""
    try:
        yield
    except (DataError, ConfigError) as error:
        if not (error.hint or "").startswith(("Did you mean", "It is UTF-8", "Without the mark")):
            error.hint = _FLAGS.get(error.slug, error.hint)
        raise


_FLAGS = {
    "bad-encoding": "--encoding latin-1, if that is the file's encoding",
    "bad-header": "--columns a,b,c names the columns of a file without a header line",
    "bad-manifest": "a manifest is one `split: NAME` line, then `id: ...` and `text: ...` lines for each record",
    "missing-column": "name a field that every record has",
    "missing-input": "--text-field COLUMN",
    "no-header": "--columns a,b,c names the columns of a file without a header line",
    "no-rows": "--records data.items points at the list of rows; --records '{split}' where its keys are splits",
    "no-split": "--split FILE=NAME, or --split-field COLUMN",
    "nul-byte": "--encoding utf-16, if that is the file's encoding",
    "unknown-format": "--file-format csv, tsv, json, jsonl, parquet, txt or manifest",
}
