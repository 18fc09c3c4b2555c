"""Families in Spark, with the partners that `heldout.matching.families` defines.

A family may be larger than any task's memory. It is cut into parts of `PART` texts in the order of rows. In round r the
texts of part r are offered as partners to every part that still has texts lacking a class which part r has; each part
is one task, which holds two parts of texts at most. In a real family the first round resolves nearly everything.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from heldout.matching.jaccard import bounds, reaches, shared_with_one
from heldout.matching.parameters import NearParameters
from heldout.matching.shingles import shingle_sets
from heldout.services.spark.columns import Rows, batch, class_lists, column_texts, ints, one_core, rows_of, string_lists
from heldout.services.spark.near import PAIR
from heldout.services.spark.session import Cluster, Table

PART = 4096
_OUT = "row bigint, other bigint, intersection bigint, union bigint, found array<string>"


def partner_pairs(
    cluster: Cluster, texts: Table, labels: Table, parameters: NearParameters, part: int = PART
) -> Table:  # fmt: skip
    """Verified pairs inside families, as `near.PAIR`, distinct. `texts` has columns row, text and classes."""
    members = cluster.keep(
        labels.join(texts.select("row", "text", "classes"), "row").selectExpr(
            "label", "row", "text", "classes",
            f"CAST((ROW_NUMBER() OVER (PARTITION BY label ORDER BY row) - 1) DIV {part} AS bigint) AS part",
        )
    )  # fmt: skip
    last = cluster.collect(members.agg({"part": "max"}), "numbering families").column(0)[0].as_py()
    found = members.selectExpr("row", "CAST(ARRAY() AS array<string>) AS found")
    pairs = None
    for number in range(last + 1):
        done = cluster.keep(_round(cluster, members, found, number, parameters))
        met = done.filter("other >= 0").selectExpr(
            "LEAST(row, other) AS a", "GREATEST(row, other) AS b", "intersection", "`union`"
        )
        pairs = met if pairs is None else pairs.union(met)
        if number < last:
            seen = done.filter("other < 0").selectExpr("row", "found AS later")
            found = cluster.settle(found.join(seen, "row", "left").selectExpr("row", "COALESCE(later, found) AS found"))
    assert pairs is not None
    return pairs.distinct()


def _round(cluster: Cluster, members: Table, found: Table, number: int, parameters: NearParameters) -> Table:
    """One row a partner found, and one (other -1) a text that was asked, with the classes it has a partner in now."""
    offered = members.filter(f"part = {number}").select("label", "row", "text", "classes")
    classes = offered.selectExpr("label", "EXPLODE(classes) AS name").groupBy("label").agg({"name": "collect_set"})
    asking = (
        members.drop("classes")
        .join(found, "row")
        .join(classes.toDF("label", "offers"), "label")
        .filter("SIZE(ARRAY_EXCEPT(offers, found)) > 0")
        .selectExpr("label", "part", "row", "text", "found AS classes", "true AS asks")
    )
    answering = offered.join(asking.select("label", "part").distinct(), "label").selectExpr(
        "label", "part", "row", "text", "classes", "false AS asks"
    )
    resolve = partial(resolved, threshold=parameters.threshold)
    return cluster.by_group(asking.union(answering), ["label", "part"], resolve, _OUT)


def resolved(group: Rows, *, threshold: tuple[int, int]) -> Rows:
    """One part of a family against the texts offered to it, as in `_round`."""
    one_core()
    group = group.sort_by([("asks", "descending"), ("row", "ascending")])
    count = int(np.count_nonzero(group.column("asks").to_numpy()))
    classes, names = class_lists(group.column("classes"))
    everywhere = np.zeros((group.num_rows, len(names)), np.bool_)
    owners, ids = classes.expand(np.arange(group.num_rows, dtype=np.int64))
    everywhere[owners, ids] = True
    lacking, offered = ~everywhere[:count], everywhere[count:]
    found, rows = [np.zeros((4, 0), np.int64)], ints(group, "row")
    compare = _Comparison(group, threshold)
    for place, columns in enumerate(offered):
        tried = np.flatnonzero((lacking & columns).any(axis=1) & (rows[:count] != rows[count + place]))
        near = compare.near(count + place, tried)
        lacking[near[0]] &= ~columns
        found.append(np.stack([rows[near[0]], np.full_like(near[0], rows[count + place]), near[1], near[2]]))
    row, other, shared, union = np.concatenate(found, axis=1)
    now = [[names[name] for name in np.flatnonzero(~lack)] for lack in lacking]
    nothing = np.full(count, -1, np.int64)
    before: list[list[str]] = [[] for _ in range(row.size)]
    lists = string_lists(before + now)
    out = batch(
        row=np.append(row, rows[:count]), other=np.append(other, nothing),
        intersection=np.append(shared, nothing), union=np.append(union, nothing), found=lists,
    )  # fmt: skip
    return rows_of([out])


class _Comparison:
    """Exact similarity of one text with others, all by their position in the group."""

    def __init__(self, group: Rows, threshold: tuple[int, int]) -> None:
        texts = column_texts(group.column("text"))
        everything = np.arange(len(texts), dtype=np.int64)
        self._bounds = bounds(texts, everything, threshold)
        self._sets = shingle_sets(texts, everything)
        self._marks = np.zeros(self._sets.universe, np.bool_)
        self._threshold = threshold

    def near(self, one: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """(position, intersection, union) of the others that are near, shape (3, k)."""
        others = others[self._bounds.admits_one(one, others)]
        shared = shared_with_one(self._sets, one, others, self._marks)
        union = self._sets.sizes[others] + self._sets.sizes[one] - shared
        return np.stack([others, shared, union])[:, reaches(shared, union, self._threshold)]


__all__ = ["PAIR", "PART", "partner_pairs", "resolved"]
