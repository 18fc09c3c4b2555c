"""The one door to pyspark: sessions, what they are set to, and their failures as errors of ours."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from heldout.errors import HeldoutError, UsageError
from heldout.services.progress import SILENT, Progress
from heldout.services.spark.columns import Batch, Rows
from heldout.services.spark.watch import watched

Table = Any
"""A Spark DataFrame. Only integer columns are ever compared or joined in it, and digests."""

Task = Callable[[Iterator[Batch]], Iterator[Batch]]
"""What runs on executors: a module-level function, or `functools.partial` of one, so that it is sent by name."""

_T_co = TypeVar("_T_co", covariant=True)
_RETRIES: Final = 4
_LOCAL: Final = re.compile(r"local(?:\[([^,\]]+)\])?")

_ALWAYS: Final = {
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.maxResultSize": "0",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    # Ordered collection and range partitioning repeat exactly only while plans are not rewritten under way.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
}
_LOCAL_ONLY: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "8",
}


class Shared(Protocol[_T_co]):
    """A value that every executor holds once."""

    @property
    def value(self) -> _T_co: ...


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """`master` is any master URL; None is what spark-submit was given, else this machine. `conf` wins over what Heldout
    sets."""

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def local(self) -> bool:
        return self.master.startswith("local") if self.master else "PYSPARK_GATEWAY_PORT" not in os.environ

    def settings(self) -> dict[str, str]:
        """A local master tries each task four times, as clusters do: plain `local[2]` gives up at the first failure."""
        result = {**_ALWAYS, **(_LOCAL_ONLY if self.local else {})}
        if self.master or self.local:
            master = self.master or "local[*]"
            plain = _LOCAL.fullmatch(master)
            result["spark.master"] = f"local[{plain[1] or '1'},{_RETRIES}]" if plain else master
        return {**result, **self.conf}


class Cluster:
    """A running session."""

    def __init__(self, session: Any, progress: Progress) -> None:
        self._session = session
        self._progress = progress

    @property
    def cores(self) -> int:
        """Tasks that run at one time."""
        return int(self._session.sparkContext.defaultParallelism)

    def range(self, count: int) -> Table:
        """Rows `id` 0 to count - 1, in partitions of consecutive ones: of one each, as long as there are not many."""
        return self._session.range(0, count, 1, max(1, min(count, 10_000)))

    def table(self, columns: Rows) -> Table:
        return self._session.createDataFrame(columns)

    def share(self, value: Any) -> Shared[Any]:
        shared: Shared[Any] = self._session.sparkContext.broadcast(value)
        return shared

    def by_group(self, table: Table, keys: list[str], task: Callable[[Rows], Rows], schema: str) -> Table:
        """`task` of all rows of each group, which must fit into a task's memory.

        Spark reads the hints of a function to find out what kind it is, and fails at those it cannot: a lambda has
        none.
        """
        return table.groupBy(*keys).applyInArrow(lambda group: task(group), schema)  # noqa: PLW0108

    def keep(self, table: Table) -> Table:
        """The table as computed once, on the local disks of executors; a part that is lost is computed again."""
        from pyspark import StorageLevel

        return table.persist(StorageLevel.DISK_ONLY)

    def settle(self, table: Table) -> Table:
        """`keep`, with the plan cut off behind it.

        A plan that a loop builds on its own result doubles in every round, and planning it takes all of the driver's
        memory by the tenth. What is lost is still computed again: the lineage stays, which a checkpoint would cut.
        """
        from pyspark.sql import DataFrame

        kept = self.keep(table)._jdf  # noqa: SLF001
        java = self._session._jsparkSession  # noqa: SLF001
        return DataFrame(java.createDataFrame(kept.toJavaRDD(), kept.schema()), self._session)

    def collect(self, table: Table, stage: str) -> Rows:
        """All rows of a table, in the order of its partitions."""
        with self._running(stage):
            rows: Rows = table.toArrow()
            return rows

    def count(self, table: Table, stage: str) -> int:
        with self._running(stage):
            return int(table.count())

    @contextmanager
    def _running(self, stage: str) -> Iterator[None]:
        self._progress.stage(stage)
        try:
            with watched(self._session.sparkContext, self._progress):
                yield
        except Exception as error:
            if not _is_sparks(error):
                raise
            raise HeldoutError(
                "spark-failed", f"Spark gave up while {stage}: {_reason(error)}",
                hint="its log says more; a task that fails four times ends the work",
            ) from error  # fmt: skip


@contextmanager
def cluster(options: SparkOptions, progress: Progress = SILENT) -> Iterator[Cluster]:
    """A session for one piece of work; it is stopped at the end, and at ^C with its jobs.

    A session that runs in this process already, a notebook's for instance, is taken as it is and left running. Raises
    UsageError where pyspark or Java is not installed.
    """
    require_spark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield Cluster(running, progress)
        return
    progress.stage("starting Spark")
    handler = signal.getsignal(signal.SIGINT)
    session = _started(options)
    try:
        yield Cluster(session, progress)
    finally:
        with suppress(Exception):
            session.stop()
        with suppress(ValueError):  # not the main thread: pyspark did not touch the handler either
            signal.signal(signal.SIGINT, handler)


def require_spark() -> None:
    """Raises UsageError, with what to install, before anything is started."""
    try:
        import_module("pyspark")
        import_module("pandas")  # pyspark hands out no Arrow batches without it
    except ImportError:
        raise UsageError(
            "spark-missing", "--engine spark needs pyspark, which is not installed", hint="pip install 'heldout[spark]'"
        ) from None
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java").exists() if home else shutil.which("java")
    if not found and "PYSPARK_GATEWAY_PORT" not in os.environ:
        raise UsageError(
            "java-missing",
            "--engine spark needs Java 17 or 21, and there is none"
            + (f" in JAVA_HOME ({home})" if home else " on the PATH"),
            hint="apt install default-jre-headless, or set JAVA_HOME",
        )


def _started(options: SparkOptions) -> Any:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if options.local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("heldout")
    for name, value in options.settings().items():
        builder = builder.config(name, value)
    with _quiet_start() as log:
        try:
            return builder.getOrCreate()
        except (PySparkException, OSError, RuntimeError) as error:
            said = log.read_text(errors="replace").strip().splitlines()
            reason = next((line for line in said if "Error" in line or "Exception" in line), str(error).splitlines()[0])
            raise HeldoutError(
                "spark-not-started", f"Spark did not start: {reason.strip()}",
                hint="Java 17 or 21 is needed; --master names the cluster, --spark-conf its settings",
            ) from error  # fmt: skip


@contextmanager
def _quiet_start() -> Iterator[Path]:
    """What Java prints until Spark's log level is set goes to a file: a dozen lines that mean nothing to anyone."""
    handle, name = tempfile.mkstemp(prefix="heldout-spark-", suffix=".log")
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        os.dup2(handle, 2)
        yield Path(name)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def _is_sparks(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")


def _reason(error: Exception) -> str:
    """The last line of a task's Python traceback, or the first line of whatever Spark said."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"(: )?\w[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (raised or lines or ["no reason given"])[-1 if raised else 0].removeprefix(": ")
