"""Files of any origin, read and compared: what `heldout check` counts, and what splits are made and cleaned by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heldout.domain.checked import CheckedFile, Place
from heldout.domain.dataset import DatasetSpec
from heldout.domain.method import Method
from heldout.errors import ConfigError, DataError, HeldoutError, UsageError
from heldout.services.checking.files import HERE, CheckRequest, Planned, plan
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.pool import Links, match
from heldout.services.matching.rows import Held, PoolRows
from heldout.services.matching.texts import TextStore
from heldout.services.progress import SILENT, Progress
from heldout.services.row_stream import RowStream
from heldout.storage.member_builder import MemberBuilder, RepeatedKeyError
from heldout.storage.readers import format_of

if TYPE_CHECKING:
    from heldout.services.spark.check import SparkCheck
    from heldout.services.spark.session import SparkOptions

NAME = "files"
"""Stands where findings name a dataset and a version."""


@dataclass(slots=True)
class ReadFiles:
    """What was read so far; `in_rows` are of the builder's files. `engine` works in place of this process."""

    store: TextStore
    builder: MemberBuilder
    engine: SparkCheck | None = None
    skipped: list[str] = field(default_factory=list)
    files: list[CheckedFile] = field(default_factory=list)
    streams: list[RowStream] = field(default_factory=list)
    in_rows: list[bool] = field(default_factory=list)

    def place(self, file: int, line: int) -> Place:
        return Place(self.builder.files[file], line, in_rows=self.in_rows[file])


@dataclass(frozen=True, slots=True)
class Compared:
    """All rows of all files, one behind the other in the order of the request, and the links between their inputs."""

    read: ReadFiles
    planned: tuple[Planned, ...]
    rows: PoolRows
    links: Links
    method: Method

    def relinked(self, rows: PoolRows, progress: Progress = SILENT) -> Links:
        """The links of the same inputs, their rows in other splits: families keep a partner for every split."""
        return match(rows, self.read.store, self.method, progress)


@contextmanager
def compared(
    request: CheckRequest,
    method: Method,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
    spark: SparkOptions | None = None,
    planned: Sequence[Planned] | None = None,
) -> Iterator[Compared]:
    """Read all files and match their texts, in as much memory as `memory` says, or on Spark. Digests of expected
    outputs are kept where the request names their field. `planned` says how to read the files, where that is known.

    Raises DataError and MissingDataError for what cannot be read exactly, UsageError where the request leaves a choice
    open or names what the files do not have.
    """
    store = TextStore(method, memory, marks=True)
    try:
        if planned is None:
            with hints_for_flags():
                planned = plan(request)
        with _engine(spark, planned, request, progress) as engine:
            expected = request.expected is not None
            builder = MemberBuilder(store.index, None if engine else store, expected=expected)
            read = ReadFiles(store, builder, engine)
            with hints_for_flags(), _repeated_keys(read):
                for number in range(len(planned)):
                    _read_file(read, planned, number, request, progress)
                table = read.builder.table()
            holdout = frozenset(request.holdout)
            _require_splits(request.holdout, dict.fromkeys(table.splits))
            rows = PoolRows.of(Held(NAME, NAME, table, holdout))
            links = engine.match(rows, store, method) if engine else match(rows, store, method, progress)
            yield Compared(read, tuple(planned), rows, links, method)
    finally:
        store.close()


def _engine(
    spark: SparkOptions | None, planned: Sequence[Planned], request: CheckRequest, progress: Progress
) -> AbstractContextManager[SparkCheck | None]:
    if spark is None:
        return nullcontext()
    from heldout.services.spark.check import check_engine

    return check_engine(spark, planned, skip_bad_rows=request.skip_bad_rows, progress=progress)


def _read_file(
    read: ReadFiles, files: Sequence[Planned], number: int, request: CheckRequest, progress: Progress
) -> None:  # fmt: skip
    planned = files[number]
    path, builder = planned.item.path, read.builder
    progress.stage(f"reading {path}")
    first, skipped = len(builder), len(read.skipped)
    spec = DatasetSpec(NAME, (planned.item,), planned.fields)
    rows = RowStream(spec, HERE, skip_bad_rows=request.skip_bad_rows, own_names=planned.own_names, first=first)
    builder.flush()
    read.store.begin(rows.again)
    read.streams.append(rows)
    counts: Counter[str] = Counter()

    def skip(error: DataError) -> None:
        read.skipped.append(str(error))

    for name, facts in read.engine.facts(number, skip) if read.engine else rows.facts(skip):
        file = builder.file(name)
        if file == len(read.in_rows):
            read.in_rows.append(format_of(planned.item, name) == "parquet")
        counts[facts.split] += 1
        builder.add(*facts[:4], (file, facts.line))
        progress.advance()
    if len(builder) == first:
        reason = "it holds no example" if len(read.skipped) == skipped else "none of its rows could be read"
        raise DataError("no-examples", reason, file=path, hint="leave the file out, or give the right one")
    read.files.append(CheckedFile(path, planned.format, planned.text_field, planned.split, counts, planned.reasons))


@contextmanager
def _repeated_keys(read: ReadFiles) -> Iterator[None]:
    """Keys are looked at now and then only, so one that is repeated may come before another error."""
    try:
        try:
            yield
        except HeldoutError:
            read.builder.check_keys()
            raise
    except RepeatedKeyError as error:
        place = read.place(*error.row)
        raise DataError(
            "duplicate-key",
            f"the key {error.key!r} is already used in split {error.split!r}, at {read.place(*error.first)}",
            file=place.file,
            line=place.number,
            hint="keys are unique in their split; leave out --key to go without",
        ) from None


def _require_splits(holdout: Collection[str], splits: Collection[str]) -> None:
    for name in holdout:
        if name not in splits:
            raise UsageError(
                "holdout-absent",
                f"--holdout {name}: no example is in a split of that name; splits are {', '.join(splits)}",
                hint=f"name one of these, or say which file it is: --split FILE={name}",
            )


@contextmanager
def hints_for_flags() -> Iterator[None]:
    """Readers advise what to write into dataset.yaml; here the same is said with a flag."""
    try:
        yield
    except (DataError, ConfigError) as error:
        hint = error.hint or ""
        if error.slug == "no-rows" and "`records`" in hint:
            error.hint = hint.replace("Set `records` to", "give --records").replace(
                "use '{split}'", "--records '{split}'"
            )
        elif not hint.startswith(_EXACT_HINTS):
            error.hint = _FLAGS.get(error.slug, error.hint)
        raise


_EXACT_HINTS = ("Did you mean", "It is UTF-8", "Without the mark")
_FLAGS = {
    "bad-encoding": "--encoding latin-1, if that is the file's encoding; --on-bad-row skip goes on without the row",
    "bad-header": "--columns a,b,c names the columns of a file without a header line",
    "missing-column": "name a field that every row has",
    "missing-input": "--text-field COLUMN, or --on-bad-row skip to go on without the row",
    "no-header": "--columns a,b,c names the columns of a file without a header line",
    "no-rows": "--records data.items points at the list of rows; --records '{split}' where its keys are splits",
    "no-split": "--split FILE=NAME, or --split-field COLUMN",
    "nul-byte": "--encoding utf-16, if that is the file's encoding",
    "ragged-row": "--on-bad-row skip goes on without the row and counts it",
    "unknown-format": "--file-format csv, tsv, json, jsonl, parquet, txt or manifest",
}
