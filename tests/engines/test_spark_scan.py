"""`heldout scan --engine spark` records what the local engine records, byte for byte."""

import json
import random
from contextlib import closing
from pathlib import Path

import pytest
from story.conftest import copy, empty_template, leaky_template  # noqa: F401
from support.cli import heldout, snapshot
from support.dying import Deadly
from support.spark_pool import METHOD, relatives

from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.pool import match
from heldout.services.matching.texts import TextStore
from heldout.services.progress import SILENT
from heldout.services.reading import read_version
from heldout.services.scanning import Matcher, scan
from heldout.services.sources import PlainFiles
from heldout.services.spark import match as spark_match
from heldout.services.spark import scan as spark_scan
from heldout.services.spark.scan import SparkMatcher
from heldout.services.spark.session import Cluster, SparkOptions, Table
from heldout.storage.records import RECORD_FILE, parse_record

NAMES = ("one", "two", "other")
OPTIONS = SparkOptions("local[2]")
LIMITS = [None, MemoryLimit(1)]
"""The second has every text read again from its file when it is sent."""


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two states of one dataset and another dataset, with families above the cap and crowds of containments."""
    top = tmp_path_factory.mktemp("versions")
    chance = random.Random(21)
    texts = relatives(21)
    for name in NAMES:
        rows = chance.sample(texts, 500) + chance.sample(texts, 20)
        lines = [{"split": chance.choice(["train", "train", "test"]), "input": text} for text in rows]
        (top / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return top


def _files(folder: Path, matcher: Matcher, limit: MemoryLimit | None = None) -> dict[str, bytes]:
    store = TextStore(METHOD, limit, sketches=matcher is match)
    with closing(store):
        readings = [
            read_version(
                DatasetSpec(name[0], (DataFile(f"{name}.jsonl"),), holdout=("test",)),
                name,
                PlainFiles(folder),
                store=store,
            )
            for name in NAMES
        ]
        made = scan(readings[0], readings[1:], METHOD, store=store, matcher=matcher)
        assert store.spilled == (limit is not None)
    return made.files()


@pytest.mark.req("B37", "E40")
@pytest.mark.parametrize("limit", LIMITS, ids=["texts kept", "texts read again"])
def test_the_record_is_the_local_one(spark: Cluster, versions: Path, limit: MemoryLimit | None) -> None:
    local = _files(versions, match)
    (record,) = (parse_record(data, path) for path, data in local.items() if path.endswith(RECORD_FILE))
    assert all(record.counts[kind] for kind in ("exact", "near", "containment"))
    assert record.capped.buckets
    assert record.capped.containments
    with closing(SparkMatcher(OPTIONS, SILENT)) as matcher:
        assert _files(versions, matcher, limit) == local


def test_it_is_the_same_with_a_worker_killed(
    spark: Cluster, versions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = Deadly(tmp_path / "killed", "killed")
    plain = spark_match.bucketed

    def killing(cluster: Cluster, texts: Table, parameters: object) -> object:
        schema = "row bigint, digest string, text binary, classes array<string>"
        return plain(cluster, texts.mapInArrow(deadly.rows, schema), parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(spark_match, "bucketed", killing)
    with closing(SparkMatcher(OPTIONS, SILENT)) as matcher:
        ours = _files(versions, matcher)
    assert deadly.marker.exists()
    assert ours == _files(versions, match)


@pytest.mark.parametrize("arguments", [("support@HEAD",), ("--all",)], ids=["a commit", "all"])
def test_the_command_writes_the_same_files(
    spark: Cluster, leaky_template: Path, tmp_path: Path, arguments: tuple[str, ...]  # noqa: F811
) -> None:  # fmt: skip
    local, ours = (copy(leaky_template, tmp_path / engine) for engine in ("local", "spark"))
    for team in (local, ours):
        off = ("-c", "core.hooksPath=/dev/null")  # no record of what was committed
        team.git("rm", "-rq", "datasets/support/scans")
        team.git(*off, "commit", "-q", "-m", "Forget the scan")
        team.git(*off, "tag", "-a", "support@v1.0.0", "-m", "first")
    ran = heldout(local.path, "scan", *arguments, "--json")
    again = heldout(ours.path, "scan", *arguments, "--json", "--engine", "spark", "--master", "local[2]")
    assert ran.code == 1, ran.err
    assert again == ran
    files = _written(local.path)
    assert any(path.endswith("findings.jsonl") for path in files)
    assert _written(ours.path) == files


def _written(top: Path) -> dict[str, bytes]:
    return {path: data for path, data in snapshot(top).items() if not path.startswith(".heldout/")}


def test_where_all_is_covered_spark_is_not_started(
    leaky_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    monkeypatch.setattr(spark_scan, "cluster", None)
    team = copy(leaky_template, tmp_path)
    ran = heldout(team.path, "scan", "--all", "--json", "--engine", "spark")
    assert (ran.code, ran.json["scans"]) == (0, [])
