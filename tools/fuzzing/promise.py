"""What a target is, and what all of them ask: a promise about any bytes, which holds or is `Broken`."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile
from heldout.domain.text import text_of
from heldout.errors import ConfigError, DataError
from heldout.storage.readers import Row, read_rows

Run = Callable[[bytes], None]
TARGETS: dict[str, Run] = {}


class Broken(AssertionError):
    """A promise that did not hold."""


def target(function: Run) -> Run:
    TARGETS[function.__name__.replace("_", "-")] = function
    return function


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader gave: its rows, or why it refused the file."""

    rows: tuple[Row, ...]
    fault: DataError | ConfigError | None

    @property
    def values(self) -> list[Any]:
        return [row.value for row in self.rows]


def read(data: bytes, name: str, **settings: Any) -> Read:
    """Rows are what scans make of them, so each must have a digest and a text; lines go up."""
    rows: list[Row] = []
    try:
        for row in read_rows(io.BytesIO(data), DataFile(name, **settings), name):
            digest(row.value)
            text_of(row.value)
            rows.append(row)
    except (DataError, ConfigError) as fault:
        if fault.file != name or not fault.message:
            raise Broken(f"a refusal without its place: {fault!r}") from fault
        return Read(tuple(rows), fault)
    require(all(one.line <= other.line for one, other in pairwise(rows)), "lines go back")
    return Read(tuple(rows), None)


def require(held: bool, promise: str) -> None:
    if not held:
        raise Broken(promise)


def same(one: object, other: object) -> bool:
    """Equal with their types: 1 is not 1.0 and not true here; and equal in the order of keys."""
    return repr(one) == repr(other)
