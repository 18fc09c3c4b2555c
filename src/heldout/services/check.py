"""Check files of any origin against each other: no repository, no record, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.checked import Checked, CheckedFile, ManyMarks, Place, worst_first
from heldout.domain.dataset import DatasetSpec
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.record import Capped
from heldout.domain.tally import Tally
from heldout.errors import ConfigError, DataError, ExitCode, HeldoutError, UsageError
from heldout.services.check_files import HERE, CheckRequest, Planned, plan
from heldout.services.matching_pool import Links, match
from heldout.services.matching_rows import Held, PoolRows
from heldout.services.matching_texts import TextStore
from heldout.services.memory_limit import MemoryLimit
from heldout.services.progress import SILENT, Progress
from heldout.services.row_stream import RowStream
from heldout.services.scanning import blank_rows, expand
from heldout.storage.member_builder import MemberBuilder, RepeatedKeyError
from heldout.storage.member_table import MemberTable
from heldout.storage.readers import format_of

if TYPE_CHECKING:
    from heldout.services.spark.check import SparkCheck
    from heldout.services.spark.session import SparkOptions

_NAME = "files"
"""Stands where findings name a dataset and a version."""

_MANY = 0.01  # share of examples with many combining marks that is worth a word


@dataclass(slots=True)
class _Read:
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


def check(
    request: CheckRequest,
    method: Method = DEFAULT_METHOD,
    progress: Progress = SILENT,
    memory: MemoryLimit | None = None,
    spark: SparkOptions | None = None,
) -> Checked:
    """Compare all examples of all files across splits and inside each, in as much memory as `memory` says, or on Spark.

    Raises DataError and MissingDataError for what cannot be read exactly, UsageError where the request leaves a choice
    open or names what the files do not have.
    """
    store = TextStore(method, memory, marks=True)
    try:
        with _hints_for_flags():
            planned = plan(request)
        with _engine(spark, planned, request, progress) as engine:
            read = _Read(store, MemberBuilder(store.index, None if engine else store, expected=False), engine)
            with _hints_for_flags(), _repeated_keys(read):
                for number in range(len(planned)):
                    _read_file(read, planned, number, request, progress)
                table = read.builder.table()
            holdout = tuple(dict.fromkeys(request.holdout))
            _require_splits(holdout, dict.fromkeys(table.splits))
            rows = PoolRows.of(Held(_NAME, _NAME, table, frozenset(holdout)))
            links = engine.match(rows, store, method) if engine else match(rows, store, method, progress)
            return _checked(read, holdout, method, rows, links)
    finally:
        store.close()


def _engine(
    spark: SparkOptions | None, planned: Sequence[Planned], request: CheckRequest, progress: Progress
) -> AbstractContextManager[SparkCheck | None]:
    if spark is None:
        return nullcontext()
    from heldout.services.spark.check import check_engine

    return check_engine(spark, planned, skip_bad_rows=request.skip_bad_rows, progress=progress)


def exit_code(checked: Checked) -> ExitCode:
    """Found for any blocking finding (A51); unknown where rows were skipped and the rest is clean (A43)."""
    if checked.blocking:
        return ExitCode.FOUND
    return ExitCode.UNKNOWN if checked.skipped else ExitCode.CLEAN


def _read_file(
    read: _Read, files: Sequence[Planned], number: int, request: CheckRequest, progress: Progress
) -> None:  # fmt: skip
    planned = files[number]
    path, builder = planned.item.path, read.builder
    progress.stage(f"reading {path}")
    first, skipped = len(builder), len(read.skipped)
    spec = DatasetSpec(_NAME, (planned.item,), planned.fields)
    rows = RowStream(spec, HERE, skip_bad_rows=request.skip_bad_rows, own_names=False, first=first)
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
def _repeated_keys(read: _Read) -> Iterator[None]:
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


def _checked(read: _Read, holdout: tuple[str, ...], method: Method, rows: PoolRows, links: Links) -> Checked:
    expanded = expand(rows, links, method)
    pool, overlaps, table = expanded.pool, expanded.overlaps, rows.held[0].table
    tally = Tally(pool, links.near(expanded.place), links.contained(expanded.place), table.by_split())
    places = _places(read, rows, expanded.place)
    return Checked(
        files=tuple(read.files),
        splits=tally.sizes,
        holdout=holdout,
        method_id=method.id,
        method_digest=method.digest,
        pairs=tally.pairs,
        rates=tally.rates(holdout),
        contaminated=tally.contamination(holdout),
        capped=Capped(links.capped_buckets, overlaps.capped_pairs, links.capped_containments),
        skipped=tuple(read.skipped),
        no_text=tuple(_row_places(read, table, blank_rows(rows, links))),
        many_marks=_many_marks(read, rows, links),
        findings=tuple(sorted(overlaps.findings, key=lambda finding: worst_first(finding, places))),
        places=places,
        texts=_FoundTexts(read.streams, {side.input for item in overlaps.findings for side in (item.a, item.b)}),
    )


def _row_places(read: _Read, table: MemberTable, rows: NDArray[np.int64]) -> Iterator[Place]:
    for file, line in zip(table.file[rows].tolist(), table.line[rows].tolist(), strict=True):
        yield read.place(file, line)


def _places(read: _Read, rows: PoolRows, place: NDArray[np.int64]) -> dict[tuple[str, str], Place]:
    """Where the examples stand that take part in anything, by (split, key)."""
    table = rows.held[0].table
    involved = np.flatnonzero(place[rows.places[0]] >= 0)
    members = ((member.split, member.key) for member in table.take(involved))
    return dict(zip(members, _row_places(read, table, involved), strict=True))


class _FoundTexts(Mapping[str, str]):
    """Texts of some inputs by digest, read once more when the first one is asked for."""

    def __init__(self, streams: Sequence[RowStream], wanted: set[str]) -> None:
        self._streams = streams
        self._wanted = wanted

    @cached_property
    def _texts(self) -> dict[str, str]:
        wanted = {bytes.fromhex(digest.removeprefix(DIGEST_PREFIX)): digest for digest in self._wanted}
        found = {}
        for stream in self._streams:
            for _, facts in stream.facts(lambda _: None, inputs_only=True):
                digest = wanted.pop(facts.digests[0], None)
                if digest is not None and facts.text is not None:
                    found[digest] = facts.text
                if not wanted:
                    return found
        return found

    def __getitem__(self, digest: str) -> str:
        return self._texts[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._wanted)

    def __len__(self) -> int:
        return len(self._wanted)


def _many_marks(read: _Read, rows: PoolRows, links: Links) -> ManyMarks | None:
    numbers = links.texts.numbers[rows.places[0]]
    count = read.engine.marked_rows if read.engine else int(read.store.marked(numbers[numbers >= 0]).sum())
    return ManyMarks(count, numbers.size) if count >= _MANY * numbers.size and count else None


@contextmanager
def _hints_for_flags() -> Iterator[None]:
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
    "unknown-format": "--format csv, tsv, json, jsonl, parquet, txt or manifest",
}
