"""Versions made of rows in memory, as `read_version` would return them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.example import Example
from heldout.domain.members import member_of, with_derived_keys
from heldout.domain.text import text_of
from heldout.services.reading import Reading

Rows = Iterable[tuple[str, str | None, Any]]
"""(split, key or None, input)."""


def reading(name: str, rows: Rows, holdout: Sequence[str] = ("test",), state: str = "1") -> Reading:
    """`state` stands for what Git would know: another one makes another source digest."""
    examples = [Example(split, value, key=key) for split, key, value in rows]
    return Reading(
        spec=DatasetSpec(name, (DataFile("rows.jsonl"),), holdout=tuple(holdout)),
        source="sha256:" + hashlib.sha256(f"{name} {state}".encode()).hexdigest(),
        members=with_derived_keys([member_of(example) for example in examples]),
        texts={digest(example.input): text_of(example.input) for example in examples},
        payload_missing=0,
        skipped=(),
        empty_splits=(),
    )


def prepared_rows(rows: Iterable[dict[str, Any]]) -> list[tuple[str, str | None, Any]]:
    """Rows of `support.data.prepared`."""
    return [(row["split"], row["id"], row["input"]) for row in rows]
