"""A corpus read by Spark: the record and the findings are the local engine's, byte for byte."""

import gzip
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpora import holdouts, jsonl, sentences, varied
from support.dying import Deadly, DeadlyHoldouts

from heldout.domain.corpora.corpus import CorpusReading
from heldout.domain.method import DEFAULT_METHOD
from heldout.errors import DataError
from heldout.services.corpora import reader as corpus_reader
from heldout.services.corpora.holdouts import Holdouts
from heldout.services.corpora.scan import CorpusScan, scan_corpus
from heldout.services.progress import SILENT
from heldout.services.spark.corpus import run
from heldout.services.spark.session import Cluster, SparkOptions
from heldout.storage.corpora.files import find_files
from heldout.storage.corpora.state import CorpusState

HELD = sentences(1, 60)
READING = CorpusReading("text")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Plain, gzipped and Parquet shards, and one large enough to be read in parts."""
    top = tmp_path_factory.mktemp("corpus")
    (top / "a").mkdir()
    (top / "a" / "00.jsonl").write_bytes(jsonl(varied(0, HELD, 900)))
    (top / "a" / "01.jsonl.gz").write_bytes(gzip.compress(jsonl(varied(1, HELD, 200)), mtime=0))
    pq.write_table(pa.table({"text": varied(2, HELD, 200), "n": list(range(200))}), top / "02.parquet")
    (top / "03.jsonl").write_bytes(jsonl(varied(3, HELD, 9000)))
    return top


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_reader, "PART", 20_000)


def _scan(corpus: Path, held: Holdouts, *, spark: bool, state: CorpusState | None = None) -> CorpusScan:
    runner = partial(run, SparkOptions("local[2]")) if spark else None
    found = find_files([str(corpus)])
    return scan_corpus("crawl", found, READING, held, DEFAULT_METHOD, SILENT, state=state, jobs=1, runner=runner)


@pytest.mark.parametrize("how", ["killed", "failed"])
def test_the_record_is_the_local_one_with_a_worker_lost(spark: Cluster, corpus: Path, tmp_path: Path, how: str) -> None:
    held = holdouts(HELD)
    deadly = Deadly(tmp_path / how, how)
    ours = _scan(corpus, DeadlyHoldouts.of(held, deadly), spark=True)
    theirs = _scan(corpus, held, spark=False)
    assert deadly.marker.exists()
    assert ours.files() == theirs.files()
    assert theirs.record.shards == 4
    assert min(theirs.record.hits.values()) > 100


def test_finished_parts_are_not_read_again(spark: Cluster, corpus: Path, tmp_path: Path) -> None:
    state, held = CorpusState(tmp_path, ("test",)), holdouts(HELD)
    first = _scan(corpus, held, spark=True, state=state)
    assert first.resumed == 0
    parts = len([*state.folder.glob("*.json")])
    again = _scan(corpus, held, spark=True, state=state)
    assert again.resumed == parts > 10
    assert again.files() == first.files()


def test_a_row_that_cannot_be_read_is_refused_with_its_place(spark: Cluster, corpus: Path, tmp_path: Path) -> None:
    """Not Spark's error after four attempts: the local engine's, for the first file at fault."""
    for number in (1, 2):
        (tmp_path / f"{number}.jsonl").write_bytes(jsonl(HELD) + b'{"text": "half a row\n' + jsonl(HELD))
    told = []
    for on_spark in (False, True):
        with pytest.raises(DataError) as caught:
            _scan(tmp_path, holdouts(HELD), spark=on_spark)
        error = caught.value
        told.append((error.slug, str(error), error.hint, error.location()))
    assert told[0] == told[1]
    assert told[0][3] == {"file": str(tmp_path / "1.jsonl"), "line": len(HELD) + 1}
