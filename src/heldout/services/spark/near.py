"""Near pairs in Spark: bitmaps refuse most candidates, texts are brought to the survivors only, exact sets decide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heldout.matching.jaccard import Bounds, bitmaps, verify
from heldout.matching.parameters import NearParameters
from heldout.matching.ragged import blocks
from heldout.matching.shingles import shingle_counts
from heldout.matching.texts import NormalisedTexts
from heldout.services.spark.bands import Bucketed, proposed
from heldout.services.spark.columns import Batch, batch, binary, chosen, column_texts, ints, one_core
from heldout.services.spark.session import Cluster, Table

PAIR = "a bigint, b bigint, intersection bigint, union bigint"
_BLOCK = 1 << 22  # code points verified at a time


def listed_pairs(cluster: Cluster, texts: Table, found: Bucketed, parameters: NearParameters) -> Table:
    """Verified pairs outside families, as `PAIR`. `texts` has columns row and text."""
    pairs = cluster.keep(proposed(found))
    asked = pairs.selectExpr("a AS row").union(pairs.selectExpr("b AS row")).distinct()
    met = texts.select("row", "text").join(asked, "row", "left_semi")
    sketched = cluster.keep(met.mapInArrow(bitmaps_of, "row bigint, size bigint, bitmap binary"))
    left, right = sketched.toDF("a", "size_a", "bitmap_a"), sketched.toDF("b", "size_b", "bitmap_b")
    possible = (
        pairs.join(left, "a")
        .join(right, "b")
        .mapInArrow(partial(admitted, threshold=parameters.threshold), "a bigint, b bigint")
    )
    return (
        with_texts(possible, texts)
        .mapInArrow(partial(verified, threshold=parameters.threshold), PAIR)
    )  # fmt: skip


def with_texts(pairs: Table, texts: Table) -> Table:
    """Columns text_a and text_b beside a and b."""
    plain = texts.select("row", "text")
    return pairs.join(plain.toDF("a", "text_a"), "a").join(plain.toDF("b", "text_b"), "b")


def bitmaps_of(batches: Iterator[Batch]) -> Iterator[Batch]:
    for rows in batches:
        texts = column_texts(rows.column("text"))
        bits = [row.tobytes() for row in bitmaps(texts)]
        yield batch(row=rows.column("row"), size=shingle_counts(texts), bitmap=binary(bits))


def admitted(batches: Iterator[Batch], *, threshold: tuple[int, int]) -> Iterator[Batch]:
    for rows in batches:
        count = rows.num_rows
        sides = [rows.column(name).to_pylist() for name in ("bitmap_a", "bitmap_b")]
        bits = np.frombuffer(b"".join(sides[0] + sides[1]), np.uint64).reshape(2 * count, -1)
        sizes = np.concatenate([ints(rows, "size_a"), ints(rows, "size_b")])
        limits = Bounds(np.arange(2 * count, dtype=np.int64), bits, sizes, threshold)
        left = np.arange(count, dtype=np.int64)
        kept = np.flatnonzero(limits.admits(left, left + count))
        yield batch(a=ints(rows, "a")[kept], b=ints(rows, "b")[kept])


def verified(batches: Iterator[Batch], *, threshold: tuple[int, int]) -> Iterator[Batch]:
    one_core()
    for rows in batches:
        a, b, texts = sides(rows, "a", "b")
        for low, high in blocks(texts.lengths[a] + texts.lengths[b], _BLOCK):
            part = slice(low, high)
            met, places = np.unique(np.concatenate([a[part], b[part]]), return_inverse=True)
            size = high - low
            exact = verify(texts.take(met), places[:size], places[size:], threshold)
            chosen = low + exact.places
            yield batch(
                a=ints(rows, "a")[chosen], b=ints(rows, "b")[chosen],
                intersection=exact.intersection, union=exact.union,
            )  # fmt: skip


def sides(rows: Batch, a: str, b: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NormalisedTexts]:
    """The texts of both columns of pairs, each once, and where in them each pair's are."""
    names = np.concatenate([ints(rows, a), ints(rows, b)])
    _, first, place = np.unique(names, return_index=True, return_inverse=True)
    texts = column_texts(chosen((rows.column(f"text_{a}"), rows.column(f"text_{b}")), first))
    return place[: rows.num_rows], place[rows.num_rows :], texts
