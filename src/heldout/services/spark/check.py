"""`heldout check` on Spark: executors read the files and keep the texts, the driver learns of rows and of pairs.

The driver holds of every row its split, key, digests and line, as columns; of the texts only those that a pair has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from heldout.domain.method import Method
from heldout.errors import DataError
from heldout.services.checking.files import Planned
from heldout.services.matching.feed import PoolTexts
from heldout.services.matching.pool import Links
from heldout.services.matching.rows import PoolRows
from heldout.services.matching.texts import TextStore
from heldout.services.progress import Progress
from heldout.services.spark.check_reading import DRIVER, PREFIX, SCHEMA, Shard, read_shards, shards_of
from heldout.services.spark.columns import Rows, ints
from heldout.services.spark.faults import unpacked
from heldout.services.spark.match import Matched, matched, numbered
from heldout.services.spark.session import Cluster, SparkOptions, Table, cluster
from heldout.storage.quick.members import Facts


@contextmanager
def check_engine(
    options: SparkOptions, planned: Sequence[Planned], *, skip_bad_rows: bool, progress: Progress
) -> Iterator[SparkCheck]:
    with cluster(options, progress) as spark:
        yield SparkCheck(spark, planned, skip_bad_rows)


class SparkCheck:
    """The work of one check that executors do."""

    def __init__(self, spark: Cluster, planned: Sequence[Planned], skip_bad_rows: bool) -> None:
        self._spark = spark
        self._shards: Sequence[Shard] = shards_of(planned)
        read = partial(read_shards, shards=self._shards, planned=tuple(planned), skip_bad_rows=skip_bad_rows)
        self._read: Table = spark.keep(spark.range(len(self._shards)).mapInArrow(read, SCHEMA))

    def facts(self, planned: int, on_bad_row: Callable[[DataError], None]) -> Iterator[tuple[str, Facts]]:
        """Rows of one of the files given as `RowStream.facts` has them, without their texts ("" stands for each).

        Raises what the local engine raises, when it would have come to it.
        """
        rows = self._rows
        owners = np.array([shard.planned for shard in self._shards], np.int64)[ints(rows, "shard")]
        low, high = np.searchsorted(owners, (planned, planned + 1)).tolist()
        for part in rows.slice(low, high - low).to_batches(max_chunksize=4096):
            columns = [part.column(name).to_pylist() for name in DRIVER]
            for shard, _, line, split, key, content, example, _, fault, skipped in zip(*columns, strict=True):
                if fault is None:
                    digests = bytes.fromhex(content.removeprefix(PREFIX)), example, b""
                    yield self._shards[shard].name, Facts(split, key, digests, "", line)
                elif skipped:
                    on_bad_row(unpacked(fault))  # type: ignore[arg-type]  # readers hand nothing else to it
                else:
                    raise unpacked(fault)

    @property
    def marked_rows(self) -> int:
        """How many rows have many combining marks."""
        return int(np.count_nonzero(self._rows.column("marked").fill_null(False).to_numpy()))

    @cached_property
    def _rows(self) -> Rows:
        found = self._spark.collect(self._read.select(*DRIVER), f"reading {len(self._shards)} files")
        return found.sort_by([("shard", "ascending"), ("number", "ascending")])

    def match(self, rows: PoolRows, store: TextStore, method: Method) -> Links:
        """The links of `heldout.services.matching.pool.match`, and in the store the texts that they have."""
        inputs = self._read.filter("input IS NOT NULL").selectExpr("input AS digest", "text", "split")
        distinct = inputs.groupBy("digest").agg({"text": "max", "split": "collect_set"})
        named = distinct.selectExpr("digest", "`max(text)` AS text", "`collect_set(split)` AS classes")
        texts = numbered(self._spark, named)
        found = matched(self._spark, texts, method)
        return _links(rows, store, found)


def _links(rows: PoolRows, store: TextStore, found: Matched) -> Links:
    places = _Places(store.index.digests()[rows.inputs])
    placed = found.placed(places)
    store.adopt(rows.inputs[placed.rows], found.texts)
    # Of the other inputs it is only known whether they have a text, and that is all that anyone asks of them.
    lengths = np.ones(rows.inputs.size, np.int64)
    lengths[[places[digest] for digest in found.blank]] = 0
    lengths[placed.rows] = found.texts.lengths
    numbers = np.full(rows.inputs.size, -1, np.int64)
    numbers[placed.rows] = store.numbers(rows.inputs[placed.rows])
    return Links(PoolTexts(store, numbers, lengths), placed.near, placed.inside)


class _Places(Mapping[str, int]):
    """Where digests stand among sorted ones, of shape (n, 32)."""

    def __init__(self, digests: NDArray[np.uint8]) -> None:
        self._sorted = np.ascontiguousarray(digests).view("S32").reshape(-1)

    def __getitem__(self, digest: str) -> int:
        return int(np.searchsorted(self._sorted, np.bytes_(bytes.fromhex(digest.removeprefix(PREFIX)))))

    def __iter__(self) -> Iterator[str]:
        return (PREFIX + item.ljust(32, b"\0").hex() for item in self._sorted.tolist())

    def __len__(self) -> int:
        return self._sorted.size
