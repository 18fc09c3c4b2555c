"""One pool on Spark: the links that `heldout.services.matching_pool.match` finds, from a table of its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from heldout.domain.method import Method
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.domain.pool import Pool
from heldout.matching.containment import POSITIONS
from heldout.matching.ragged import offsets_of, segments
from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.services.corpus_block import near_parameters
from heldout.services.matching_pool import Links
from heldout.services.spark.bands import bucketed
from heldout.services.spark.columns import Batch, Rows, batch, column_texts, ints, rows_of, text_column
from heldout.services.spark.containment import inside
from heldout.services.spark.families import PART, partner_pairs
from heldout.services.spark.near import listed_pairs
from heldout.services.spark.session import Cluster, Table

_PIECE = 20_000  # texts normalised at a time where the driver has them


@dataclass(frozen=True, slots=True)
class Matched:
    """Verified pairs by row, with the texts they need. `rows` ascends; `digests` and `texts` belong to it. `blank` are
    digests of inputs without text."""

    near: tuple[NDArray[np.int64], ...]
    capped: NDArray[np.bool_]
    inside: tuple[NDArray[np.int64], ...]
    capped_buckets: int
    capped_containments: int
    rows: NDArray[np.int64]
    digests: Sequence[str]
    texts: NormalisedTexts
    blank: Sequence[str]


def numbered(cluster: Cluster, inputs: Table) -> Table:
    """Distinct inputs (digest, text, classes) with a `row` each that ascends with the digest.

    Numbers are a partition's and the place in it, so that nothing has to be counted; they stay the same when a lost
    partition is computed again, for range boundaries are fixed and digests distinct.
    """
    ordered = inputs.repartitionByRange("digest").sortWithinPartitions("digest")
    return cluster.keep(ordered.selectExpr("monotonically_increasing_id() AS row", "digest", "text", "classes"))


def matched(cluster: Cluster, texts: Table, method: Method, part: int = PART) -> Matched:
    """All pairs of a numbered table."""
    parameters = near_parameters(method)
    buckets = bucketed(cluster, texts, parameters)
    listed = listed_pairs(cluster, texts, buckets, parameters).selectExpr("*", "false AS capped")
    if buckets.labels is not None:
        partners = partner_pairs(cluster, texts, buckets.labels, parameters, part)
        listed = listed.union(partners.selectExpr("*", "true AS capped"))
    near = _sorted(cluster.collect(listed, "verifying near texts"), ("a", "b"))
    contained, crowded = inside(cluster, texts, method.containment_min_length, method.containment_cap)
    within = _sorted(cluster.collect(contained, "verifying contained texts"), ("short", "long"))
    rows = np.unique(np.concatenate([ints(near, "a"), ints(near, "b"), ints(within, "short"), ints(within, "long")]))
    needed = cluster.table(rows_of([batch(row=rows)]))
    named = _sorted(cluster.collect(texts.join(needed, "row").select("row", "digest", "text"), "fetching"), ("row",))
    blank = cluster.collect(texts.filter("LENGTH(text) = 0").select("digest"), "fetching")
    return Matched(
        near=tuple(ints(near, name) for name in ("a", "b", "intersection", "union")),
        capped=near.column("capped").to_numpy(),
        inside=tuple(ints(within, name) for name in ("short", "long", "position", "offset", "aligned")),
        capped_buckets=buckets.capped_buckets,
        capped_containments=crowded,
        rows=rows,
        digests=named.column("digest").to_pylist(),
        texts=column_texts(named.column("text")),
        blank=blank.column("digest").to_pylist(),
    )


def links(pool: Pool, found: Matched) -> Links:
    """The same links by the pool's positions.

    Of the texts, `Links` holds those of near and contained inputs. Every other one is a single character: enough to say
    that it has a text, which is all that anyone asks of it.
    """
    place = np.fromiter((pool.index[digest] for digest in found.digests), np.int64, len(found.digests))
    where = {name: place[np.searchsorted(found.rows, rows)].tolist() for name, rows in _sides(found)}
    near = zip(
        where["a"], where["b"], found.near[2].tolist(), found.near[3].tolist(), found.capped.tolist(), strict=True
    )
    contained = zip(where["short"], where["long"], *(column.tolist() for column in found.inside[2:]), strict=True)
    return Links(
        texts=_sparse(len(pool.inputs), place, found.texts, [pool.index[digest] for digest in found.blank]),
        near=tuple(NearLink(a, b, Fraction(shared, union), capped) for a, b, shared, union, capped in near),
        contained=tuple(
            ContainmentLink(short, long, POSITIONS[position], offset, bool(aligned))
            for short, long, position, offset, aligned in contained
        ),
        capped_buckets=found.capped_buckets,
        capped_containments=found.capped_containments,
    )


def pool_table(cluster: Cluster, pool: Pool, texts: Mapping[str, str]) -> Table:
    """A pool whose texts the driver holds, numbered."""
    return numbered(cluster, cluster.table(rows_of(_pieces(pool, texts))))


def _pieces(pool: Pool, texts: Mapping[str, str]) -> Iterator[Batch]:
    for low in range(0, len(pool.inputs), _PIECE):
        digests = list(pool.inputs[low : low + _PIECE])
        normalised = normalise_batch([texts.get(digest, "") for digest in digests])
        classes = [
            sorted({"\0".join(map(str, name)) for item in pool.occurrences[low + place] for name in item.classes()})
            for place in range(len(digests))
        ]
        yield batch(digest=digests, text=text_column(normalised), classes=classes)


def _sides(found: Matched) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield "a", found.near[0]
    yield "b", found.near[1]
    yield "short", found.inside[0]
    yield "long", found.inside[1]


def _sparse(count: int, place: NDArray[np.int64], texts: NormalisedTexts, blank: Sequence[int]) -> NormalisedTexts:
    lengths = np.ones(count, np.int64)
    lengths[blank] = 0
    lengths[place] = texts.lengths
    offsets = offsets_of(lengths)
    points = np.full(int(offsets[-1]), ord("x"), texts.codepoints.dtype)
    points[segments(offsets[place], texts.lengths)] = texts.codepoints
    return NormalisedTexts(points, offsets)


def _sorted(table: Rows, keys: Sequence[str]) -> Rows:
    return table.sort_by([(key, "ascending") for key in keys])
