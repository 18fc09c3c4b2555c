"""Files of a check read by executors: a file is a task, and its rows come out as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from heldout.domain.dataset import DatasetSpec
from heldout.domain.marks import texts_with_many_marks
from heldout.errors import DataError, HeldoutError
from heldout.matching.texts import normalise_batch
from heldout.services.checking.files import Planned
from heldout.services.row_stream import RowStream
from heldout.services.spark.columns import Batch, batch, binary, flags, ints, one_core, strings, text_column
from heldout.services.spark.faults import packed
from heldout.storage.quick.members import Facts
from heldout.storage.regular_files import files_below, is_folder, opened

SCHEMA: Final = (
    "shard bigint, number bigint, line bigint, split string, key string, input string, example binary, "
    "text binary, marked boolean, fault binary, skipped boolean"
)
DRIVER: Final = ("shard", "number", "line", "split", "key", "input", "example", "marked", "fault", "skipped")
"""Columns that the driver needs of every row: all but the text."""

PREFIX: Final = "sha256:"
_BATCH: Final = 4096  # rows
_CHARACTERS: Final = 1 << 21


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: which of the files given it belongs to, where it is, and what messages call it."""

    planned: int
    place: Path
    name: str

    def open(self, path: str) -> Iterator[tuple[str, BinaryIO]]:  # noqa: ARG002
        """A `heldout.services.sources.DataSource` of this file alone, whatever path is asked for."""
        with opened(self.place, self.name) as (stream, _):
            yield self.name, stream


def shards_of(planned: Sequence[Planned]) -> list[Shard]:
    """The files in the order in which the local engine reads them. Executors must find them at the same paths."""
    found = []
    for number, item in enumerate(planned):
        path = item.item.path
        place = Path(path).absolute()
        files = files_below(place, path) if is_folder(place, path) else [(place, path)]
        found += [Shard(number, file, name) for file, name in files]
    return found


@dataclass(slots=True)
class _Block:
    """Rows on their way into columns. `events` are (number, error, skipped) of rows that could not be read."""

    numbers: list[int] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    events: list[tuple[int, HeldoutError, bool]] = field(default_factory=list)
    characters: int = 0

    def add(self, number: int, facts: Facts) -> None:
        self.numbers.append(number)
        self.facts.append(facts)
        self.characters += len(facts.text or "")

    @property
    def full(self) -> bool:
        return len(self.facts) + len(self.events) >= _BATCH or self.characters >= _CHARACTERS

    def columns(self, shard: int) -> Iterator[Batch]:
        count = len(self.facts)
        if count:
            texts = [facts.text or "" for facts in self.facts]
            marked = texts_with_many_marks({str(at): text for at, text in enumerate(texts)})
            yield batch(
                shard=[shard] * count,
                number=self.numbers,
                line=[facts.line for facts in self.facts],
                split=strings([facts.split for facts in self.facts]),
                key=strings([facts.key for facts in self.facts]),
                input=strings([PREFIX + facts.digests[0].hex() for facts in self.facts]),
                example=binary([facts.digests[1] for facts in self.facts]),
                text=text_column(normalise_batch(texts)),
                marked=flags([str(at) in marked for at in range(count)]),
                fault=binary([None] * count),
                skipped=flags([None] * count),
            )
        for number, error, skipped in self.events:
            nothing = strings([None])
            yield batch(
                shard=[shard], number=[number], line=[0], split=nothing, key=nothing, input=nothing,
                example=binary([None]), text=binary([None]), marked=flags([None]),
                fault=binary([packed(error)]), skipped=flags([skipped]),
            )  # fmt: skip


def read_shards(
    batches: Iterator[Batch], *, shards: Sequence[Shard], planned: Sequence[Planned], skip_bad_rows: bool
) -> Iterator[Batch]:
    """Rows as `SCHEMA`. A fault of the data is a row of its own: Spark would try it again, and tell it as its own."""
    one_core()
    for rows in batches:
        for number in ints(rows, "id").tolist():
            yield from _shard(number, shards[number], planned[shards[number].planned], skip_bad_rows)


def _shard(number: int, shard: Shard, planned: Planned, skip_bad_rows: bool) -> Iterator[Batch]:
    block, count = _Block(), 0

    def skip(error: DataError) -> None:
        nonlocal count
        block.events.append((count, error, True))
        count += 1

    stream = RowStream(
        DatasetSpec("files", (planned.item,), planned.fields), shard, skip_bad_rows=skip_bad_rows, own_names=False
    )
    try:
        for _, facts in stream.facts(skip):
            block.add(count, facts)
            count += 1
            if block.full:
                yield from block.columns(number)
                block = _Block()
    except HeldoutError as error:
        block.events.append((count, error, False))
    yield from block.columns(number)
