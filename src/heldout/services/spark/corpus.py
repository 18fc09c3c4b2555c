"""Parts of a corpus on Spark: a task reads a part with our own readers, so rows and refusals are the local engine's."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from heldout.domain.corpora.part import PartResult
from heldout.errors import HeldoutError
from heldout.services.corpora.crew import Task, done
from heldout.services.corpora.worker import Target
from heldout.services.progress import Progress
from heldout.services.spark.columns import Batch, batch, binary, ints, one_core
from heldout.services.spark.faults import packed, unpacked
from heldout.services.spark.session import Cluster, Shared, SparkOptions, cluster
from heldout.storage.corpora.files import as_seen_here

_WAVE: Final = 32
"""Parts a core in one job: results come home after each, and what came home is not read again after a kill."""


def run(
    options: SparkOptions, target: Target, tasks: Sequence[Task], progress: Progress
) -> Iterator[tuple[Task, PartResult]]:  # fmt: skip
    """Results of all parts, in waves. The target, which holds the index, goes to every executor once.

    Raises what the local engine raises, for the first part at fault, and HeldoutError (spark-failed).
    """
    with cluster(options, progress) as spark:
        shared = spark.share(target)
        size = _WAVE * spark.cores
        for low in range(0, len(tasks), size):
            wave = tasks[low : low + size]
            yield from zip(
                wave, _wave(spark, shared, wave, f"scanning parts {low + 1} to {low + len(wave)}"), strict=True
            )


def _wave(spark: Cluster, shared: Shared[Target], wave: Sequence[Task], stage: str) -> Iterator[PartResult]:
    scan = partial(scan_parts, shared=shared, tasks=tuple(wave))
    parts = spark.range(len(wave)).mapInArrow(scan, "number bigint, result binary, fault binary")
    rows = spark.collect(parts, stage).sort_by("number")
    for result, fault in zip(rows.column("result").to_pylist(), rows.column("fault").to_pylist(), strict=True):
        if fault is not None:
            raise unpacked(fault)
        yield pickle.loads(result)


def scan_parts(batches: Iterator[Batch], *, shared: Shared[Target], tasks: Sequence[Task]) -> Iterator[Batch]:
    """A fault of the data is a result: Spark would try it again, and tell it as its own."""
    one_core()
    for rows in batches:
        for number in ints(rows, "id").tolist():
            task = tasks[number]
            result = fault = None
            try:
                part = replace(task.part, file=as_seen_here(task.part.file))
                result = pickle.dumps(done(shared.value, replace(task, part=part), _ignore))
            except HeldoutError as error:
                fault = packed(error)
            yield batch(number=[number], result=binary([result]), fault=binary([fault]))


def _ignore(rows: int) -> None:
    """Rows are counted in the result."""
