"""What `--engine spark` says where it cannot work, before anything is read. These need neither pyspark nor Java."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.cli import heldout
from support.git import Repo

from heldout.cli.engine_options import Engine, spark_options
from heldout.errors import ExitCode, UsageError
from heldout.services.spark.session import SparkOptions, require_spark

SCAN = ("corpus", "scan", "x.jsonl", "--against", "all-holdouts")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = Repo.create(tmp_path / "repo")
    return repo.path


def test_without_the_extra_it_says_what_to_install(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = heldout(repo, *SCAN, "--engine", "spark")
    assert ran.code == ExitCode.NO_VERDICT
    assert "pip install 'heldout[spark]'" in ran.err
    assert "spark-missing" in ran.err


@pytest.mark.parametrize("home", [None, "/nowhere"])
def test_without_java_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    for name in ("pyspark", "pandas"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home:
        monkeypatch.setenv("JAVA_HOME", home)
    with pytest.raises(UsageError) as caught:
        require_spark()
    assert caught.value.slug == "java-missing"
    assert "Java 17" in caught.value.message
    assert "JAVA_HOME" in (caught.value.hint or "")
    assert (home or "PATH") in caught.value.message


@pytest.mark.parametrize("option", [("--master", "local[2]"), ("--spark-conf", "a=b")])
def test_options_of_spark_need_the_engine(repo: Path, option: tuple[str, str]) -> None:
    ran = heldout(repo, *SCAN, *option)
    assert ran.code == ExitCode.NO_VERDICT
    assert f"{option[0]} is for --engine spark" in ran.err


@pytest.mark.parametrize("setting", ["spark.x", "=4", " =4"])
def test_a_setting_is_a_name_and_a_value(setting: str) -> None:
    with pytest.raises(UsageError, match="expected NAME=VALUE"):
        spark_options(Engine.SPARK, None, [setting])


def test_settings_reach_spark_and_win() -> None:
    options = spark_options(Engine.SPARK, "local[2]", ["spark.ui.enabled=true", "spark.x=a=b"])
    assert options is not None
    settings = options.settings()
    assert settings["spark.ui.enabled"] == "true"
    assert settings["spark.x"] == "a=b"


@pytest.mark.parametrize(
    ("master", "expected"),
    [
        ("local", "local[1,4]"),
        ("local[2]", "local[2,4]"),
        ("local[*]", "local[*,4]"),
        ("local[3,7]", "local[3,7]"),
        ("spark://host:7077", "spark://host:7077"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
    ],
)
def test_a_local_master_tries_a_task_again(master: str, expected: str) -> None:
    """Spark's own local[2] gives up at the first failure, so a killed worker would end the work."""
    assert SparkOptions(master).settings()["spark.master"] == expected


def test_a_local_master_speaks_to_loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    for options in (SparkOptions(), SparkOptions("local[2]")):
        settings = options.settings()
        assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
        assert settings["spark.ui.enabled"] == "false"
    assert "spark.driver.host" not in SparkOptions("yarn").settings()


def test_under_spark_submit_its_own_master_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    settings = SparkOptions().settings()
    assert "spark.master" not in settings
    assert "spark.driver.host" not in settings
