"""`heldout scan` on Spark: versions are read here, through DVC, and each distinct text goes to executors once.

Executors have no DVC cache to read from, as those of a check have files. What the driver keeps of texts is bounded by
`--memory`, as in a local scan; comparing them, which is most of the work, is done by `heldout.services.spark.match`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from heldout.domain.method import Method
from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.services.matching.feed import PoolTexts
from heldout.services.matching.pool import Links
from heldout.services.matching.rows import PoolRows
from heldout.services.matching.texts import TextStore
from heldout.services.progress import Progress
from heldout.services.spark.columns import Batch, Rows, batch, rows_of, string_lists, strings, text_column
from heldout.services.spark.match import matched
from heldout.services.spark.session import Cluster, SparkOptions, Table, cluster, require_spark
from heldout.storage.member_table import digest_texts

_TOGETHER: Final = 1 << 25
"""Code points sent in one table: some hundred megabytes here until Spark has them."""


class SparkMatcher:
    """A `heldout.services.scanning.Matcher`. Spark is started when there is something to compare."""

    def __init__(self, options: SparkOptions, progress: Progress) -> None:
        require_spark()
        self._options = options
        self._progress = progress
        self._running = ExitStack()
        self._spark: Cluster | None = None

    def close(self) -> None:
        self._running.close()

    def __call__(self, rows: PoolRows, store: TextStore, method: Method, progress: Progress) -> Links:
        progress.stage(f"comparing {rows.inputs.size:,} distinct inputs")
        if self._spark is None:
            self._spark = self._running.enter_context(cluster(self._options, self._progress))
        texts = PoolTexts.of(store, rows.inputs, rows.inline)
        table = sent(self._spark, texts, rows)
        # The table's rows are the pool's, so what is found needs no other names.
        found = matched(self._spark, table, method)
        return Links(texts, found.near, found.inside)


def sent(spark: Cluster, texts: PoolTexts, rows: PoolRows) -> Table:
    """The texts that say something, as `matched` takes them: a row's number is its place in the pool."""
    tables = [spark.table(part) for part in _parts(texts, rows)]
    return spark.keep(reduce(lambda whole, table: whole.union(table), tables))


def _parts(texts: PoolTexts, rows: PoolRows) -> Iterator[Rows]:
    """One at least."""
    digests, classes = texts.store.index.digests()[rows.inputs], rows.classes()

    def columns(places: NDArray[np.int64], block: NormalisedTexts) -> Batch:
        bounds = [(int(classes.offsets[at]), int(classes.offsets[at + 1])) for at in places.tolist()]
        return batch(
            row=places,
            digest=strings(digest_texts(digests[places])),
            text=text_column(block),
            classes=string_lists([[str(number) for number in classes.ids[low:high]] for low, high in bounds]),
        )

    waiting, size = [columns(np.zeros(0, np.int64), normalise_batch(()))], 0
    for places, block in texts.blocks(np.flatnonzero(texts.lengths)):
        waiting.append(columns(places, block))
        size += block.codepoints.size
        if size >= _TOGETHER:
            yield rows_of(waiting)
            waiting, size = [], 0
    if waiting:
        yield rows_of(waiting)
