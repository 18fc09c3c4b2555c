"""Tables of the report, and how much of a foreign text has room in a cell of one."""

from __future__ import annotations

from collections.abc import Sequence

from heldout.reports import marking

WIDTH = 160
"""Characters of a foreign text in a cell."""


def code(text: str, width: int = WIDTH) -> str:
    return marking.code(text, width)


def plain(text: str, width: int = 1000) -> str:
    return marking.plain(text, width)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Lines of a table. Cells are Markdown already; `numbers` are the columns that are set to the right."""
    rule = ["---:" if place in numbers else "---" for place in range(len(heads))]
    return [_line(heads), _line(rule), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def folded(title: str, lines: Sequence[str]) -> list[str]:
    """A part that opens when somebody clicks on it; `title` is HTML already."""
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]
