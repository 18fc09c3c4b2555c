"""One pool on Spark: the pairs that `near_pairs` and `containments` find, from a table of its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heldout.domain.method import Method
from heldout.matching.containment import Containments
from heldout.matching.near import NearPairs
from heldout.matching.texts import NormalisedTexts
from heldout.services.matching.near_method import near_parameters
from heldout.services.spark.bands import bucketed
from heldout.services.spark.columns import Rows, batch, column_texts, ints, rows_of
from heldout.services.spark.containment import inside
from heldout.services.spark.families import PART, partner_pairs
from heldout.services.spark.near import listed_pairs
from heldout.services.spark.session import Cluster, Table


@dataclass(frozen=True, slots=True)
class Matched:
    """Verified pairs, by the rows of the table until `placed` puts places of a pool there.

    `rows` ascends; they are those that a pair has, with the `digests` and `texts` of their inputs. `blank` are digests
    of inputs without text.
    """

    near: NearPairs
    inside: Containments
    rows: NDArray[np.int64]
    digests: Sequence[str]
    texts: NormalisedTexts
    blank: Sequence[str]

    def placed(self, index: Mapping[str, int]) -> Matched:
        """By the places that digests have in `index`, which ascend with them, as rows do: order stays."""
        place = np.fromiter((index[digest] for digest in self.digests), np.int64, len(self.digests))

        def put(rows: NDArray[np.int64]) -> NDArray[np.int64]:
            return place[np.searchsorted(self.rows, rows)]

        near = replace(self.near, a=put(self.near.a), b=put(self.near.b))
        contained = replace(self.inside, short=put(self.inside.short), long=put(self.inside.long))
        return replace(self, near=near, inside=contained, rows=place)


def numbered(cluster: Cluster, inputs: Table) -> Table:
    """Distinct inputs (digest, text, classes) with a `row` each that ascends with the digest.

    Numbers are a partition's and the place in it, so that nothing has to be counted; they stay the same when a lost
    partition is computed again, for range boundaries are fixed and digests distinct.
    """
    ordered = inputs.repartitionByRange("digest").sortWithinPartitions("digest")
    return cluster.keep(ordered.selectExpr("monotonically_increasing_id() AS row", "digest", "text", "classes"))


def matched(cluster: Cluster, texts: Table, method: Method, part: int = PART) -> Matched:
    """All pairs of a numbered table."""
    near = _near(cluster, texts, method, part)
    contained, crowded = inside(cluster, texts, method.containment_min_length, method.containment_cap)
    pairs = _sorted(cluster.collect(contained, "verifying contained texts"), "short", "long")
    rows = np.unique(np.concatenate([near.a, near.b, ints(pairs, "short"), ints(pairs, "long")]))
    needed = texts.join(cluster.table(rows_of([batch(row=rows)])), "row").select("row", "digest", "text")
    named = _sorted(cluster.collect(needed, "fetching the texts of pairs"), "row")
    blank = cluster.collect(texts.filter("LENGTH(text) = 0").select("digest"), "fetching the texts of pairs")
    return Matched(
        near=near,
        inside=Containments(
            ints(pairs, "short"),
            ints(pairs, "long"),
            ints(pairs, "position").astype(np.uint8),
            ints(pairs, "offset"),
            pairs.column("aligned").to_numpy(),
            crowded,
        ),
        rows=rows,
        digests=named.column("digest").to_pylist(),
        texts=column_texts(named.column("text")),
        blank=blank.column("digest").to_pylist(),
    )


def _near(cluster: Cluster, texts: Table, method: Method, part: int) -> NearPairs:
    parameters = near_parameters(method)
    buckets = bucketed(cluster, texts, parameters)
    pairs = listed_pairs(cluster, texts, buckets, parameters).selectExpr("*", "false AS capped")
    if buckets.labels is not None:
        partners = partner_pairs(cluster, texts, buckets.labels, parameters, part)
        pairs = pairs.union(partners.selectExpr("*", "true AS capped"))
    found = _sorted(cluster.collect(pairs, "verifying near texts"), "a", "b")
    return NearPairs(
        ints(found, "a"),
        ints(found, "b"),
        ints(found, "intersection"),
        ints(found, "union"),
        found.column("capped").to_numpy(),
        buckets.capped_buckets,
    )


def _sorted(table: Rows, *keys: str) -> Rows:
    return table.sort_by([(key, "ascending") for key in keys])
