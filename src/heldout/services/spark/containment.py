"""Containment in Spark: every text's rarest minimiser is looked for among all others', and texts decide.

A minimiser of a text is one wherever that text stands (`heldout.matching.minimisers`), so a join on the hash of one of
them meets every containment. How rare it is comes from a table of counts by part of the hash; that, and the filter that
keeps other minimisers out of the shuffle, change the work and never the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heldout.matching.minimisers import minimisers
from heldout.matching.occurrences import stands, word_aligned
from heldout.services.spark.columns import Batch, Rows, batch, column_texts, ints, rows_of
from heldout.services.spark.near import sides, with_texts
from heldout.services.spark.session import Cluster, Shared, Table

INSIDE = "short bigint, long bigint, position tinyint, offset bigint, aligned boolean"
_SLICES = 64
_COUNTED_BITS = 22
_MOST_BITS = 33  # a filter of 1 GiB


def inside(cluster: Cluster, texts: Table, min_length: int, cap: int) -> tuple[Table, int]:
    """Pairs as `INSIDE`, and how many shorts stand in more than `cap` longs and keep one a class.

    `texts` has columns row, text and classes.
    """
    plain = texts.select("row", "text")
    counts = cluster.share(_rarity(cluster, plain, min_length))
    kept = partial(anchors, min_length=min_length, counts=counts)
    shorts = cluster.keep(plain.mapInArrow(kept, "hash bigint, short bigint, shift bigint, size bigint"))
    known = cluster.share(_filter(cluster, shorts))
    everywhere = plain.mapInArrow(
        partial(occurrences, min_length=min_length, known=known),
        "hash bigint, long bigint, place bigint, length bigint",
    )
    fits = "place >= shift AND place - shift + size <= length AND size < length"
    candidates = (
        everywhere.join(shorts, "hash").filter(fits).selectExpr("short AS a", "long AS b", "place - shift AS offset")
    )
    literal = with_texts(candidates, plain).mapInArrow(literal_matches, INSIDE)
    # One occurrence a pair: the prefix if there is one, else the suffix, else the first inside.
    ranked = literal.selectExpr("short", "long", "STRUCT(position, offset, aligned) AS place")
    best = ranked.groupBy("short", "long").agg({"place": "min"}).toDF("short", "long", "best")
    pairs = cluster.keep(best.selectExpr("short", "long", "best.position", "best.offset", "best.aligned"))
    return _within_cap(cluster, pairs, texts, cap)


def _within_cap(cluster: Cluster, pairs: Table, texts: Table, cap: int) -> tuple[Table, int]:
    crowded = pairs.groupBy("short").count().filter(f"count > {cap}").select("short")
    capped = cluster.count(crowded, "looking for contained texts")
    if not capped:
        return pairs, 0
    thick = pairs.join(crowded, "short", "left_semi").select("short", "long")
    classes = texts.selectExpr("row AS long", "EXPLODE(classes) AS name")
    first = thick.join(classes, "long").groupBy("short", "name").agg({"long": "min"})
    kept = first.select("short", "min(long)").toDF("short", "long").distinct()
    thin = pairs.join(crowded, "short", "left_anti")
    return thin.union(pairs.join(kept, ["short", "long"], "left_semi")), capped


def _rarity(cluster: Cluster, plain: Table, min_length: int) -> NDArray[np.uint32]:
    """How often minimisers with each value of their hash's upper bits occur."""
    parts = plain.mapInArrow(partial(counted, min_length=min_length), "slice bigint, numbers binary")
    total = cluster.by_group(parts, ["slice"], summed, "slice bigint, numbers binary")
    rows = cluster.collect(total, "counting pieces of texts")
    result = np.zeros((_SLICES, (1 << _COUNTED_BITS) // _SLICES), np.uint32)
    for number, data in zip(rows.column("slice").to_pylist(), rows.column("numbers").to_pylist(), strict=True):
        result[number] = np.frombuffer(data, np.uint32)
    return result.ravel()


def _filter(cluster: Cluster, shorts: Table) -> NDArray[np.uint8]:
    """A bit for each value of the upper bits of a hash; cleared where no anchor has it."""
    bits = min(max(cluster.count(shorts, "choosing anchors").bit_length() + 4, 16), _MOST_BITS)
    parts = shorts.select("hash").mapInArrow(partial(marked, bits=bits), "slice bigint, numbers binary")
    total = cluster.by_group(parts, ["slice"], united, "slice bigint, numbers binary")
    rows = cluster.collect(total, "choosing anchors")
    result = np.zeros((_SLICES, (1 << bits) // 8 // _SLICES), np.uint8)
    for number, data in zip(rows.column("slice").to_pylist(), rows.column("numbers").to_pylist(), strict=True):
        result[number] = np.frombuffer(data, np.uint8)
    return result.ravel()


def counted(batches: Iterator[Batch], *, min_length: int) -> Iterator[Batch]:
    counts = np.zeros(1 << _COUNTED_BITS, np.uint32)
    for rows in batches:
        slots = _slot(minimisers(column_texts(rows.column("text")), min_length).hashes, _COUNTED_BITS)
        values, times = np.unique(slots, return_counts=True)
        counts[values] += times.astype(np.uint32)
    yield from _sliced(counts)


def marked(batches: Iterator[Batch], *, bits: int) -> Iterator[Batch]:
    present = np.zeros((1 << bits) // 8, np.uint8)
    for rows in batches:
        slots = _slot(ints(rows, "hash").view(np.uint64), bits)
        np.bitwise_or.at(present, slots >> 3, np.left_shift(np.uint8(1), (slots & 7).astype(np.uint8)))
    yield from _sliced(present)


def _sliced(values: NDArray[np.uint32] | NDArray[np.uint8]) -> Iterator[Batch]:
    """Slices that say something."""
    for number, part in enumerate(np.split(values, _SLICES)):
        if part.any():
            yield batch(slice=[number], numbers=[part.tobytes()])


def summed(group: Rows) -> Rows:
    return _merged(group, np.add, np.uint32)


def united(group: Rows) -> Rows:
    return _merged(group, np.bitwise_or, np.uint8)


def _merged(group: Rows, merge: np.ufunc, kind: type[np.uint32 | np.uint8]) -> Rows:
    parts = [np.frombuffer(data, kind) for data in group.column("numbers").to_pylist()]
    total = parts[0].copy()
    for part in parts[1:]:
        merge(total, part, out=total)
    return rows_of([batch(slice=[group.column("slice")[0].as_py()], numbers=[total.tobytes()])])


def anchors(batches: Iterator[Batch], *, min_length: int, counts: Shared[NDArray[np.uint32]]) -> Iterator[Batch]:
    """The rarest minimiser of each text that has one, the first of equally rare ones; one that occurs once meets
    nothing but itself, so its text stands in no other."""
    for rows in batches:
        texts = column_texts(rows.column("text"))
        grams = minimisers(texts, min_length)
        rarity = counts.value[_slot(grams.hashes, _COUNTED_BITS)].astype(np.int64)
        order = np.lexsort((grams.places, rarity, grams.owners))
        first = order[np.flatnonzero(np.diff(grams.owners[order], prepend=-1))]
        first = first[rarity[first] > 1]
        owner = grams.owners[first]
        yield batch(
            hash=grams.hashes[first].view(np.int64), short=ints(rows, "row")[owner],
            shift=grams.places[first] - texts.offsets[owner], size=texts.lengths[owner],
        )  # fmt: skip


def occurrences(batches: Iterator[Batch], *, min_length: int, known: Shared[NDArray[np.uint8]]) -> Iterator[Batch]:
    """Where minimisers are that may be an anchor."""
    bits = int(known.value.size).bit_length() + 2
    for rows in batches:
        texts = column_texts(rows.column("text"))
        grams = minimisers(texts, min_length)
        slots = _slot(grams.hashes, bits)
        likely = np.flatnonzero(known.value[slots >> 3] >> (slots & 7).astype(np.uint8) & 1)
        owner = grams.owners[likely]
        yield batch(
            hash=grams.hashes[likely].view(np.int64), long=ints(rows, "row")[owner],
            place=grams.places[likely] - texts.offsets[owner], length=texts.lengths[owner],
        )  # fmt: skip


def _slot(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    return (hashes >> np.uint64(64 - bits)).astype(np.int64)


def literal_matches(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The candidates, short `a` at `offset` of long `b`, that are matches code point by code point."""
    for rows in batches:
        short, long, texts = sides(rows, "a", "b")
        offset = ints(rows, "offset")
        kept = stands(texts, short, texts, texts.offsets[long] + offset)
        short, long, offset = short[kept], long[kept], offset[kept]
        sizes = texts.lengths[short]
        ends = offset + sizes == texts.lengths[long]
        yield batch(
            short=ints(rows, "a")[kept], long=ints(rows, "b")[kept],
            position=np.where(offset == 0, 0, np.where(ends, 1, 2)).astype(np.int8), offset=offset,
            aligned=word_aligned(texts, long, offset, sizes),
        )  # fmt: skip
