"""What a picture shows, before it is drawn: marks with a place, a number, a state and a sentence for those who listen.

Both renderers draw the same marks, so that no two pictures of one thing tell different numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Shape(StrEnum):
    """`MATRIX`: a mark where a row and a column meet. `BARS`: a bar a row, its marks end to end. `TIMELINE`: a lane a
    row, its marks in the order of their days."""

    MATRIX = "matrix"
    BARS = "bars"
    TIMELINE = "timeline"


class Tone(StrEnum):
    """How a state looks. `UNKNOWN` never looks like `GOOD`: what nobody knows is not clean."""

    BAD = "bad"
    GOOD = "good"
    PLAIN = "plain"
    UNKNOWN = "unknown"
    FAINT = "faint"


@dataclass(frozen=True, slots=True)
class Mark:
    """`value` None is a number that nobody knows. `day` (YYYY-MM-DD) is for timelines. `text` is one sentence."""

    row: str
    column: str
    value: int | None
    state: str
    text: str
    day: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """`states` are the legend, each with its tone; every mark's state is one of them. `measure` is what numbers count.

    `rows` and `columns` give the order, and may name some that have no mark. `notes` are sentences below the picture.
    """

    name: str
    shape: Shape
    title: str
    measure: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    marks: tuple[Mark, ...]
    states: tuple[tuple[str, Tone], ...]
    row_title: str = ""
    column_title: str = ""
    notes: tuple[str, ...] = ()

    def tone(self, state: str) -> Tone:
        return dict(self.states)[state]

    def table(self) -> list[dict[str, Any]]:
        """The marks as rows of a table, for `dvc plots` and whatever else draws data."""
        return [
            {
                "row": mark.row,
                "column": mark.column,
                "value": mark.value,
                "state": mark.state,
                **({"day": mark.day} if self.shape is Shape.TIMELINE else {}),
                "text": mark.text,
            }
            for mark in self.marks
        ]

    def sentences(self) -> Iterator[str]:
        """The picture in words: everything worth a sentence, in its order."""
        yield from (mark.text for mark in self.marks if mark.text)
        yield from self.notes
