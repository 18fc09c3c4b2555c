"""pandas: a frame with `attrs["heldout"]`.

from heldout.integrations.pandas import frame

tests = frame("support@v1.2.0", split="test")
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from heldout.api import Require
from heldout.integrations.columns import Type, columns
from heldout.integrations.fields import Fields
from heldout.integrations.plain import rows

if TYPE_CHECKING:
    import pandas as pd

# Nullable types: with numpy's own a null would make doubles of whole numbers and objects of booleans.
_DTYPES = {Type.WHOLE: "Int64", Type.NUMBER: "Float64", Type.TRUTH: "boolean"}


def frame(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    repo: str | os.PathLike[str] = ".",
) -> pd.DataFrame:
    """One row an example. Columns that are of no one plain type are JSON text: see `columns`.

    Raises what `heldout.integrations.plain.rows` does.
    """
    taken = rows(version, split=split, slice=slice, require=require, fields=fields, repo=repo)
    import pandas as pd

    series = {
        column.name: pd.Series(column.values, dtype=_DTYPES.get(column.type, "object"), name=column.name)
        for column in columns(taken)
    }
    made = pd.DataFrame(series)
    made.attrs["heldout"] = taken.provenance.as_json()
    return made
