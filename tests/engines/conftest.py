"""One Spark session for all tests of the engine. They run by `make test-spark`, which installs pyspark and says so in
HELDOUT_SPARK; anywhere else a line says that they did not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from heldout.services.spark.session import Cluster, SparkOptions, cluster

WANTED = os.environ.get("HELDOUT_SPARK") == "1"

collect_ignore_glob = [] if WANTED else ["test_spark_*.py"]
"""Wanted and not installed, they fail: nothing is passed over in silence."""

CONF = {
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    # A hundred small plans: compiling them well would take most of the time.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.codegen.wholeStage": "false",
}


def pytest_report_header() -> str | None:
    return None if WANTED else "tests/engines: Spark is not tested in this run; make test-spark does"


@pytest.fixture(scope="session")
def spark() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch:
        # What is to die in a worker has to be imported there.
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
        with cluster(SparkOptions("local[2]", CONF)) as running:
            yield running
