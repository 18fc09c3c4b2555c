"""`heldout check --engine spark` answers as the local engine does, byte for byte: verdict, places, refusals."""

import csv
import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.cli import Ran, heldout
from support.spark_pool import relatives

from heldout.domain.method import Method
from heldout.services.checking import check
from heldout.services.spark.session import Cluster

SPARK = ("--engine", "spark", "--master", "local[2]")


def _jsonl(texts: Sequence[str]) -> bytes:
    return "".join(json.dumps({"text": text, "label": "x"}, ensure_ascii=False) + "\n" for text in texts).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five files of four formats, one of them a folder of shards; families above the cap in several of them."""
    top = tmp_path_factory.mktemp("check")
    chance = random.Random(8)
    texts = relatives(8)
    texts += chance.sample(texts, 80)  # exact, across files and inside them
    texts += [f"สวัสดีครับ นี่คือข้อความ {number} ที่มีสระ" for number in range(30)]  # many combining marks
    chance.shuffle(texts)
    parts = [texts[start::5] for start in range(5)]
    (top / "train").mkdir()
    (top / "train" / "0.jsonl").write_bytes(_jsonl(parts[0]))
    (top / "train" / "1.jsonl.gz").write_bytes(gzip.compress(_jsonl(parts[1]), mtime=0))
    pq.write_table(pa.table({"text": parts[2]}), top / "more.parquet")
    with (top / "test.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["text"], *([text] for text in parts[3])])
    (top / "dev.txt").write_text("\n".join(text or "?" for text in parts[4]) + "\n", encoding="utf-8")
    return top


def _both(folder: Path, *arguments: str) -> tuple[Ran, Ran]:
    return heldout(folder, "check", *arguments), heldout(folder, "check", *arguments, *SPARK)


def test_the_answer_is_the_local_one(spark: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = Method(bucket_cap=40, containment_cap=25, pair_cap=100)
    # Families need hundreds of texts otherwise.
    monkeypatch.setattr(check.check, "__defaults__", (small, *(check.check.__defaults__ or ())[1:]))
    files = ("train", "more.parquet", "test.csv", "dev.txt", "--holdout", "test")
    local, ours = _both(folder, *files, "--json", "--show-text")
    assert local.code == 1
    assert ours == local
    counted = local.json
    assert all(counted["pairs"][kind] for kind in ("exact", "near", "containment"))
    assert counted["capped"]["buckets"]


def test_a_row_that_cannot_be_read_is_refused_alike(spark: Cluster, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(_jsonl(["one text", "another text"]) + b'{"text": 1e999}\n' + _jsonl(["third"]))
    (tmp_path / "b.jsonl").write_bytes(_jsonl(["one text"]) + b"nonsense\n")
    for arguments in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl"), ("a.jsonl", "b.jsonl", "--on-bad-row", "skip")):
        local, ours = _both(tmp_path, *arguments)
        assert local.code == (1 if "skip" in arguments else 2)
        assert ours == local


def test_a_key_given_twice_is_refused_alike(spark: Cluster, tmp_path: Path) -> None:
    rows = "".join(json.dumps({"id": f"k{number % 7}", "text": f"text {number}"}) + "\n" for number in range(9))
    (tmp_path / "a.jsonl").write_text(rows)
    (tmp_path / "b.jsonl").write_text('{"id": "k1", "text": "text 1"}\n')
    local, ours = _both(tmp_path, "b.jsonl", "a.jsonl", "--key", "id", "--text-field", "text")
    assert local.code == 2
    assert "duplicate-key" in local.err
    assert ours == local
