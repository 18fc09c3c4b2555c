"""A dataset described: files, splits, fields, slices and the leakage answer. None of its text is in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.answer import Answer
from heldout.domain.example import JSON

PARTS = ("key", "split", "input", "expected", "tags", "metadata")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One data file. `path` is relative to the dataset's folder, `records` where its rows are in a JSON document.

    `sha256` and `md5` are of its bytes, `size` their number; `by_split` counts its examples.
    """

    path: str
    format: str
    sha256: str
    md5: str
    size: int
    by_split: Mapping[str, int]
    encoding: str = "utf-8"
    records: str | None = None


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A part of examples: where it stands in a row (None where it is made of several values), and of which kinds it is.

    `name` is key, split, input, expected, tags, or `metadata.NAME`; kinds are text, integer, number, boolean, list and
    object.
    """

    name: str
    path: tuple[str, ...] | None
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class SliceFacts:
    name: str
    number: int | None
    digest: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class Description:
    """`version` is None for a state that is not frozen, `date` is the day of its commit.

    `frozen` are the dataset's versions, oldest first, each with the word of its answer.
    """

    name: str
    version: str | None
    text: str
    licence: str | None
    commit: str | None
    source: str
    content: str
    files: tuple[FileFacts, ...]
    fields: tuple[FieldFacts, ...]
    by_split: Mapping[str, int]
    held_out: frozenset[str]
    slices: tuple[SliceFacts, ...]
    answer: Answer
    frozen: tuple[tuple[str, str], ...] = ()
    date: str | None = None

    @property
    def examples(self) -> int:
        return sum(self.by_split.values())

    @property
    def subject(self) -> str:
        return self.name if self.version is None else f"{self.name}@v{self.version}"


def kind_of(value: JSON) -> str | None:
    """None for null, which says nothing about a field's kind."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"
