"""Pairs found on Spark are those of the local engine, one by one, whatever happens to workers on the way."""

from pathlib import Path

import numpy as np
import pytest
from support.dying import Deadly
from support.spark_pool import METHOD, LocalPool, local_pool

from heldout.matching.texts import normalise_batch
from heldout.services.spark.columns import batch, rows_of, text_column
from heldout.services.spark.match import Matched, matched, numbered
from heldout.services.spark.session import Cluster, Table

pytestmark = [pytest.mark.req("B33"), pytest.mark.req("B34")]


@pytest.fixture(scope="module")
def pool() -> LocalPool:
    return local_pool(5)


def _table(spark: Cluster, pool: LocalPool) -> Table:
    texts = text_column(normalise_batch(pool.texts))
    return spark.table(rows_of([batch(digest=pool.digests, text=texts, classes=pool.classes)]))


def _require_same(found: Matched, pool: LocalPool) -> None:
    placed = found.placed({digest: place for place, digest in enumerate(pool.digests)})
    for ours, theirs in ((placed.near, pool.near), (placed.inside, pool.inside)):
        for name in type(theirs).__dataclass_fields__:
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    linked = np.unique(np.concatenate([pool.near.a, pool.near.b, pool.inside.short, pool.inside.long]))
    assert placed.rows.tolist() == linked.tolist()
    expected = normalise_batch([pool.texts[row] for row in linked])
    assert [found.texts.text(at) for at in range(linked.size)] == [expected.text(at) for at in range(linked.size)]
    assert sorted(found.blank) == sorted(
        pool.digests[at] for at in range(len(pool.texts)) if pool.texts[at] in ("", "!!! …")
    )


def test_the_fixture_has_every_relation(pool: LocalPool) -> None:
    assert pool.near.capped_buckets > 2
    assert 0 < pool.near.capped.sum() < len(pool.near)
    assert pool.inside.capped
    assert set(pool.inside.position.tolist()) == {0, 1, 2}


def test_pairs_are_the_local_ones_with_a_worker_killed(spark: Cluster, pool: LocalPool, tmp_path: Path) -> None:
    """Parts of 64 cut both families over several tasks and rounds."""
    deadly = Deadly(tmp_path / "killed", "killed")
    inputs = _table(spark, pool).repartition(3, "digest")
    texts = numbered(spark, inputs.mapInArrow(deadly.rows, "digest string, text binary, classes array<string>"))
    _require_same(matched(spark, texts, METHOD, 64), pool)
    assert deadly.marker.exists()
