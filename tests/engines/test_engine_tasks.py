"""Steps that run in Spark's tasks, without Spark: they see a partition in batches, cut anywhere."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.errors import DataError
from heldout.matching.texts import normalise_batch
from heldout.services.spark.bands import bucket_pairs, shared_buckets
from heldout.services.spark.columns import batch, column_texts, rows_of, text_column
from heldout.services.spark.families import resolved
from heldout.services.spark.faults import packed, unpacked

Bucket = tuple[int, int, int]

pytestmark = pytest.mark.req("B33")


def _batches(rows: list[Bucket], cuts: list[int], labels: dict[int, int] | None = None) -> Iterator[Any]:
    bounds = [0, *sorted({cut % (len(rows) + 1) for cut in cuts}), len(rows)]
    for low, high in pairwise(bounds):
        part = np.array(rows[low:high], np.int64).reshape(-1, 3)
        columns = {"band": part[:, 0].astype(np.int16), "hash": part[:, 1], "row": part[:, 2]}
        if labels is not None:
            columns["label"] = np.array([labels.get(row, -1) for row in part[:, 2].tolist()], np.int64)
        yield batch(**columns)


BUCKETS = st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2), st.integers(0, 30)), unique=True, max_size=60)
CUTS = st.lists(st.integers(0, 100), max_size=6)


@given(BUCKETS, CUTS, st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_buckets_are_whole_however_batches_are_cut(rows: list[Bucket], cuts: list[int], cap: int) -> None:
    ordered = sorted(rows)
    sizes = Counter((band, content) for band, content, _ in ordered)
    expected = [(*row, sizes[row[:2]] > cap) for row in ordered if sizes[row[:2]] > 1]
    got = [
        tuple(row.values()) for part in shared_buckets(_batches(ordered, cuts), cap=cap) for row in part.to_pylist()
    ]  # fmt: skip
    assert got == expected


@given(BUCKETS, CUTS, st.dictionaries(st.integers(0, 30), st.integers(0, 2), max_size=20))
@settings(max_examples=150, deadline=None)
def test_pairs_of_one_family_are_left_out(rows: list[Bucket], cuts: list[int], labels: dict[int, int]) -> None:
    ordered = sorted(rows)
    expected = sorted(
        (a[2], b[2])
        for a, b in combinations(ordered, 2)
        if a[:2] == b[:2] and (a[2] not in labels or labels.get(a[2]) != labels.get(b[2]))
    )
    got = [(row["a"], row["b"]) for part in bucket_pairs(_batches(ordered, cuts, labels)) for row in part.to_pylist()]
    assert sorted(got) == expected


def test_a_part_of_a_family_takes_the_lowest_partner_of_each_class() -> None:
    """Of texts 3, 5 and 9, which are all near, 7 being near to none; 3 stands among the asking ones and the offered."""
    body = "the quick brown fox jumps over the lazy dog and then it runs away into the deep dark wood "
    texts = {
        3: body + "a",
        5: body + "b",
        7: "something else that is long enough to be compared with it",
        9: body + "c",
    }
    asking = [(3, [], True), (7, [], True), (9, ["open"], True)]
    offered = [(3, ["held"], False), (5, ["held", "open"], False)]
    rows = [*offered, *asking]
    group = batch(
        row=[row for row, _, _ in rows],
        text=text_column(normalise_batch([texts[row] for row, _, _ in rows])),
        classes=[names for _, names, _ in rows],
        asks=[asks for _, _, asks in rows],
    )
    got = resolved(rows_of([group]), threshold=(4, 5)).to_pylist()
    assert sorted((row["row"], row["other"]) for row in got if row["other"] >= 0) == [(3, 5), (9, 3)]
    state = {row["row"]: sorted(row["found"]) for row in got if row["other"] < 0}
    assert state == {3: ["held", "open"], 7: [], 9: ["held", "open"]}


def test_texts_survive_the_journey_as_columns() -> None:
    texts = normalise_batch(["", "plain ascii", "é ß", "漢字 𝒳 mixed", "٣٤", "a" * 300])
    back = column_texts(text_column(texts))
    assert back.offsets.tolist() == texts.offsets.tolist()
    assert back.codepoints.tolist() == texts.codepoints.tolist()
    assert back.codepoints.dtype == texts.codepoints.dtype


def test_an_error_arrives_as_it_was() -> None:
    error = DataError("bad-json", "not JSON", file="a.jsonl", line=3, hint="look")
    back = unpacked(packed(error))
    assert isinstance(back, DataError)
    assert (str(back), back.slug, back.hint, back.location()) == (str(error), "bad-json", "look", error.location())
