"""Near candidates in Spark: the band table, its buckets, and the families that buckets over the cap make.

The band table has a row for every text and band: (band, hash, row), hash being the uint64 band key bit-cast to int64,
for Spark has no unsigned integers. It is shuffled once, by bucket. Buckets stream through a task in order, so a task
holds one bucket up to the cap and of a larger one nothing: it passes a family of any size through in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heldout.matching.parameters import NearParameters
from heldout.matching.ragged import segments
from heldout.matching.sketch import sketch
from heldout.services.spark.columns import Batch, batch, column_texts, ints, one_core
from heldout.services.spark.session import Cluster, Table

_BUCKETS = "band smallint, hash bigint, row bigint, over boolean"


@dataclass(frozen=True, slots=True)
class Bucketed:
    """`buckets` has the rows of every bucket of two texts or more, `over` saying that it is above the cap. `labels`
    (row, label) names the family of each text in such a bucket by its lowest row; None where there is none."""

    buckets: Table
    labels: Table | None
    capped_buckets: int


def bucketed(cluster: Cluster, texts: Table, parameters: NearParameters) -> Bucketed:
    """`texts` has columns row and text."""
    table = texts.select("row", "text").mapInArrow(
        partial(band_table, parameters=parameters), "band smallint, hash bigint, row bigint"
    )
    grouped = table.repartition("band", "hash").sortWithinPartitions("band", "hash", "row")
    buckets = cluster.keep(grouped.mapInArrow(partial(shared_buckets, cap=parameters.bucket_cap), _BUCKETS))
    over = buckets.filter("over").select("band", "hash", "row")
    capped = cluster.count(over.select("band", "hash").distinct(), "signing texts and joining their bands")
    return Bucketed(buckets, _labels(cluster, over) if capped else None, capped)


def _labels(cluster: Cluster, over: Table) -> Table:
    """Connected components: the lowest row spreads through buckets until nothing moves."""
    labels = over.selectExpr("row", "row AS label").distinct()
    while True:
        lowest = over.join(labels, "row").groupBy("band", "hash").agg({"label": "min"})
        spread = over.join(lowest, ["band", "hash"]).groupBy("row").agg({"min(label)": "min"})
        after = cluster.settle(spread.toDF("row", "label"))
        moved = after.join(labels.toDF("row", "before"), "row").filter("label < before")
        if not cluster.count(moved, "joining buckets into families"):
            return after
        labels = after


def proposed(found: Bucketed) -> Table:
    """Distinct pairs (a, b), a < b, that share a bucket within the cap and are not of one family."""
    inside = found.buckets.filter("NOT over").select("band", "hash", "row")
    if found.labels is None:
        labelled = inside.selectExpr("band", "hash", "row", "CAST(-1 AS bigint) AS label")
    else:
        labelled = inside.join(found.labels, "row", "left").selectExpr(
            "band", "hash", "row", "COALESCE(label, -1) AS label"
        )
        labelled = labelled.repartition("band", "hash").sortWithinPartitions("band", "hash", "row")
    return labelled.mapInArrow(bucket_pairs, "a bigint, b bigint").distinct()


def band_table(batches: Iterator[Batch], *, parameters: NearParameters) -> Iterator[Batch]:
    one_core()
    for rows in batches:
        sketched = sketch(column_texts(rows.column("text")), parameters, keep_signatures=False)
        present = sketched.present
        keys = sketched.keys[:, present].view(np.int64)
        bands = np.repeat(np.arange(keys.shape[0], dtype=np.int16), present.size)
        yield batch(band=bands, hash=keys.ravel(), row=np.tile(ints(rows, "row")[present], keys.shape[0]))


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive rows of the sorted band table."""

    band: NDArray[np.int64]
    hash: NDArray[np.int64]
    row: NDArray[np.int64]
    label: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Batch) -> _Run:
        columns = [ints(rows, name) for name in ("band", "hash", "row")]
        label = ints(rows, "label") if "label" in rows.schema.names else np.zeros(rows.num_rows, np.int64)
        return cls(columns[0], columns[1], columns[2], label)

    def part(self, low: int, high: int) -> _Run:
        return _Run(self.band[low:high], self.hash[low:high], self.row[low:high], self.label[low:high])

    def then(self, other: _Run) -> _Run:
        return _Run(
            np.concatenate([self.band, other.band]),
            np.concatenate([self.hash, other.hash]),
            np.concatenate([self.row, other.row]),
            np.concatenate([self.label, other.label]),
        )

    def starts(self) -> NDArray[np.int64]:
        """Where buckets begin."""
        fresh = np.ones(self.row.size, np.bool_)
        fresh[1:] = (self.hash[1:] != self.hash[:-1]) | (self.band[1:] != self.band[:-1])
        return np.flatnonzero(fresh)


_NOTHING = _Run(*(np.zeros(0, np.int64) for _ in range(4)))


def shared_buckets(batches: Iterator[Batch], *, cap: int) -> Iterator[Batch]:
    """The rows of buckets of at least two. A bucket that a batch ends in is carried on, up to one row over the cap."""
    held, passed = _NOTHING, 0  # of the held rows of the open bucket, how many were passed on already
    for rows in batches:
        run = held.then(_Run.of(rows))
        if not run.row.size:
            continue
        last = int(run.starts()[-1])
        done = run.part(0, last)
        if last:
            yield _shared(done, cap, passed)
            passed = 0
        held = run.part(last, run.row.size)
        if held.row.size > cap:
            yield _shared(held, cap, passed)
            held = held.part(0, cap + 1)
            passed = held.row.size
    if held.row.size:
        yield _shared(held, cap, passed)


def _shared(run: _Run, cap: int, passed: int) -> Batch:
    starts = run.starts()
    sizes = np.repeat(sizes_of(starts, run.row.size), sizes_of(starts, run.row.size))
    kept = sizes > 1
    kept[:passed] = False
    return batch(
        band=run.band[kept].astype(np.int16), hash=run.hash[kept], row=run.row[kept], over=sizes[kept] > cap
    )  # fmt: skip


def sizes_of(starts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    return np.diff(starts, append=total)


def bucket_pairs(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Every pair inside each bucket but those of one family; buckets are whole, in order and within the cap."""
    held = _NOTHING
    for rows in batches:
        run = held.then(_Run.of(rows))
        if not run.row.size:
            continue
        last = int(run.starts()[-1])
        yield from _pairs(run.part(0, last))
        held = run.part(last, run.row.size)
    yield from _pairs(held)


def _pairs(run: _Run) -> Iterator[Batch]:
    if not run.row.size:
        return
    starts = run.starts()
    ends = np.repeat(np.append(starts[1:], run.row.size), sizes_of(starts, run.row.size))
    places = np.arange(run.row.size, dtype=np.int64)
    following = ends - places - 1
    # At most cap pairs a row: a few million for a batch of the largest buckets.
    for low in range(0, run.row.size, 4096):
        counts = following[low : low + 4096]
        left, right = np.repeat(places[low : low + 4096], counts), segments(places[low : low + 4096] + 1, counts)
        kept = (run.label[left] != run.label[right]) | (run.label[left] < 0)
        yield batch(a=run.row[left[kept]], b=run.row[right[kept]])
