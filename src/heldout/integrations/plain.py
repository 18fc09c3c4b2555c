"""Rows for anything that takes an iterable, and for what takes a sequence: a PyTorch `DataLoader` wants no more.

from heldout.integrations.plain import rows

for row in rows("support@v1.2.0", split="test", fields={"question": "input", "answer": "expected"}):
    ...
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import overload

from heldout.api import Require
from heldout.integrations.fields import Fields, Mapper, Record, default_fields
from heldout.integrations.holdout import Holdout, Provenance, holdout


class Rows(Sequence[Record]):
    """One dictionary an example, JSON values as they stand in the data. `provenance` says what they are."""

    def __init__(self, records: Sequence[Record], provenance: Provenance) -> None:
        self._records = tuple(records)
        self.provenance = provenance

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | Sequence[Record]:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<rows of {self.provenance}>"


def rows(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    repo: str | os.PathLike[str] = ".",
) -> Rows:
    """Examples as dictionaries, once the gate has said what `require` asks for.

    Without `fields` a row has every part that some example has. Raises what `heldout.integrations.holdout.holdout`
    does, and UsageError (slug unknown-field).
    """
    taken = holdout(version, split=split, slice=slice, require=require, repo=repo)
    return rows_of(taken, fields)


def rows_of(taken: Holdout, fields: Fields | None) -> Rows:
    mapper = Mapper(default_fields(taken.examples) if fields is None else fields)
    return Rows(mapper.records(taken.examples), taken.provenance)
