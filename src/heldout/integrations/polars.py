"""Polars: a frame, and beside it what it holds, since a Polars frame has no place for that.

from heldout.integrations.polars import frame

tests, provenance = frame("support@v1.2.0", split="test")
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from heldout.api import Require
from heldout.integrations.columns import Type, columns
from heldout.integrations.fields import Fields
from heldout.integrations.holdout import Provenance
from heldout.integrations.plain import rows

if TYPE_CHECKING:
    import polars as pl


class Framed(NamedTuple):
    frame: pl.DataFrame
    provenance: Provenance


def frame(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    repo: str | os.PathLike[str] = ".",
) -> Framed:
    """One row an example. Columns that are of no one plain type are JSON text: see `columns`.

    Raises what `heldout.integrations.plain.rows` does.
    """
    taken = rows(version, split=split, slice=slice, require=require, fields=fields, repo=repo)
    import polars as pl

    types: dict[Type, Any] = {
        Type.TEXT: pl.String,
        Type.WHOLE: pl.Int64,
        Type.NUMBER: pl.Float64,
        Type.TRUTH: pl.Boolean,
        Type.TEXTS: pl.List(pl.String),
        Type.JSON: pl.String,
    }
    series = [pl.Series(column.name, column.values, types[column.type]) for column in columns(taken)]
    return Framed(pl.DataFrame(series), taken.provenance)
