"""Where the work of a command is done: options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.services.spark.session import SparkOptions


class Engine(StrEnum):
    """Who does the work; the result is the same, byte for byte."""

    LOCAL = "local"
    SPARK = "spark"


EngineOption = Annotated[Engine, typer.Option("--engine", help="spark needs the extra heldout[spark] and Java.")]
MasterOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Spark's master; default: what spark-submit says, else local[*]."),
]
SparkConfOption = Annotated[
    list[str] | None,
    typer.Option("--spark-conf", metavar="NAME=VALUE", help="A setting of Spark's, repeatable."),
]


def spark_options(engine: Engine, master: str | None, settings: Sequence[str] | None) -> SparkOptions | None:
    """None for the local engine. Raises UsageError (bad-value)."""
    if engine is Engine.LOCAL:
        if master or settings:
            option = "--master" if master else "--spark-conf"
            raise UsageError("bad-value", f"{option} is for --engine spark", hint="--engine spark")
        return None
    from heldout.services.spark.session import SparkOptions

    conf = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not (name.strip() and equals):
            hint = "--spark-conf spark.executor.memory=8g"
            raise UsageError("bad-value", f"--spark-conf {setting}: expected NAME=VALUE", hint=hint)
        conf[name.strip()] = value
    return SparkOptions(master, conf)
