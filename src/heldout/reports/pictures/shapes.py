"""Where the marks of a picture go, and as what: elements of SVG as values, placed in pixels."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from heldout.reports.pictures.model import Mark, Picture, Tone

Element = tuple[str, dict[str, Any], str, str]
_CHARACTER = 7.4
"""Pixels that a character of 13 px text takes at most, nearly always."""
_NAME = 34
"""Characters of a name that are drawn; who points at it sees all of them."""


@dataclass(slots=True)
class Drawing:
    """Elements, and how far down and to the right they reach."""

    elements: list[Element] = field(default_factory=list)
    width: int = 0
    height: int = 0

    def text(self, x: float, y: float, text: str, style: str = "", title: str = "", **more: Any) -> None:
        attributes = ({"class": style} if style else {}) | {"x": round(x), "y": round(y)} | more
        self.elements.append(("text", attributes, text, title))

    def line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        self.elements.append(("line", {"class": "line", "x1": x1, "y1": y1, "x2": x2, "y2": y2}, "", ""))

    @staticmethod
    def box(tone: Tone, x: int, y: int, width: int, height: int = 14, title: str = "") -> Element:
        place = {"class": str(tone), "x": x, "y": y, "width": width, "height": height, "rx": 2}
        return "rect", place, "", title

    @staticmethod
    def sign(tone: Tone, x: int, y: int, title: str = "") -> Element:
        """A shape of its own for each tone: circle, triangle, diamond, small circle."""
        if tone is Tone.BAD:
            return "path", {"class": "bad", "d": f"M{x} {y - 8}l9 15h-18z"}, "", title
        if tone is Tone.UNKNOWN:
            return "path", {"class": "unknown", "d": f"M{x} {y - 9}l9 9l-9 9l-9 -9z"}, "", title
        radius = 5 if tone is Tone.FAINT else 8
        return "circle", {"class": str(tone), "cx": x, "cy": y, "r": radius}, "", title


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _room(names: tuple[str, ...], least: int) -> int:
    return max([least, *(int(len(_short(name)) * _CHARACTER) + 12 for name in names)])


def matrix(picture: Picture, left: int, top: int) -> Drawing:
    """Names of columns stand upright, so that forty of them fit."""
    made = Drawing()
    cell, row_height = _cell_width(picture), 30
    first = left + _room((*picture.rows, picture.row_title), 90)
    head = top + 12 + _room(picture.columns, 40)
    marks = {(mark.row, mark.column): mark for mark in picture.marks}
    made.text(left, head - 8, picture.row_title, "muted")
    made.text(first, top, picture.column_title, "muted")
    for number, name in enumerate(picture.columns):
        x, y = first + number * cell + cell // 2 + 4, head - 8
        made.text(x, y, _short(name), "", _full(name), transform=f"rotate(-90 {x} {y})")
    for line, row in enumerate(picture.rows):
        y = head + line * row_height
        made.text(first - 10, y + 19, _short(row), "end", _full(row))
        for number, column in enumerate(picture.columns):
            mark = marks.get((row, column))
            if mark is not None:
                _matrix_cell(made, picture, mark, (first + number * cell, y, cell - 3, row_height - 3))
    made.width = first + cell * len(picture.columns)
    made.height = head + row_height * len(picture.rows)
    return made


def _cell_width(picture: Picture) -> int:
    widest = max((len(f"{mark.value:,}") for mark in picture.marks if mark.value), default=1)
    return max(38, int(widest * _CHARACTER) + 14)


def _matrix_cell(made: Drawing, picture: Picture, mark: Mark, place: tuple[int, int, int, int]) -> None:
    x, y, width, height = place
    tone = picture.tone(mark.state)
    said = mark.text or f"{mark.row}, {mark.column}: {mark.state}"
    made.elements.append(Drawing.box(tone, x, y, width, height, said))
    number = "?" if mark.value is None else f"{mark.value:,}"
    made.text(x + width / 2, y + 18, number, "mid on-bad" if tone is Tone.BAD else "mid")


def bars(picture: Picture, left: int, top: int, length: int = 360) -> Drawing:
    """A bar a row, in parts; the number of each part stands behind the whole."""
    made = Drawing()
    first, height = left + _room((*picture.rows, picture.row_title), 90), 26
    by_row = {name: [mark for mark in picture.marks if mark.row == name] for name in picture.rows}
    longest = max((sum(mark.value or 0 for mark in marks) for marks in by_row.values()), default=0) or 1
    made.text(first - 10, top, picture.row_title, "muted end")
    widest = 0
    for number, name in enumerate(picture.rows):
        y = top + 12 + number * height
        made.text(first - 10, y + 14, _short(name), "end", _full(name))
        x = first
        for mark in by_row[name]:
            width = max(2, round((mark.value or 0) * length / longest)) if mark.value else 0
            if width:
                made.elements.append(Drawing.box(picture.tone(mark.state), x, y + 2, width, height - 10, mark.text))
            x += width
        numbers = " + ".join(f"{mark.value:,}" for mark in by_row[name] if mark.value is not None) or "0"
        made.text(x + 8, y + 14, numbers)
        widest = max(widest, x + 16 + int(len(numbers) * _CHARACTER))
    made.line(first, top + 8, first, top + 12 + height * len(picture.rows))
    made.width, made.height = max(widest, first + length), top + 12 + height * len(picture.rows)
    return made


def timeline(picture: Picture, left: int, top: int) -> Drawing:
    """Versions in the order of their days, a step each: days can be years apart, or one and the same."""
    made = Drawing()
    first, lane = left + _room(picture.rows, 90), 74
    numbers = {mark.column: mark.column.rpartition("@")[2] for mark in picture.marks}
    step = max([84, *(int(len(name) * _CHARACTER) + 18 for name in numbers.values())])
    end = first + step * max(len(picture.marks), 1)
    middle = {name: top + 20 + lane * number for number, name in enumerate(picture.rows)}
    for name, y in middle.items():
        made.text(first - 10, y + 4, _short(name), "end", _full(name))
        made.line(first, y, end, y)
    for number, mark in enumerate(picture.marks):
        x, y = first + step * number + step // 2, middle[mark.row]
        made.elements.append(Drawing.sign(picture.tone(mark.state), x, y, mark.text))
        made.text(x, y - 14, numbers[mark.column], "mid")
        if mark.value is not None:
            made.text(x, y + 24, f"{mark.value:,}", "mid muted")
    made.width, made.height = end, top + lane * len(picture.rows) + 14
    _days(made, picture, first, step)
    return made


def _days(made: Drawing, picture: Picture, first: int, step: int) -> None:
    """Each day once, below the first of its versions."""
    place = 0
    for day, marks in groupby(picture.marks, key=lambda mark: mark.day):
        made.text(first + step * place + step // 2, made.height, day, "mid muted")
        place += len(list(marks))


def _full(name: str) -> str:
    return name if len(name) > _NAME else ""
