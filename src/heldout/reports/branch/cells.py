"""Foreign text in Markdown: names, reasons and examples are data, and nothing of them may act in a comment.

GitHub and GitLab read CommonMark with tables, and act on more than its marks: `@name` calls people, `#1` and `GH-1`
leave a mark in another thread, an address becomes a link, a line that begins with `/close` is a command to GitLab. So a
foreign text never begins a line here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from heldout.reports.excerpts import printable

_MARKS = re.compile(r"([\\`*_\[\]|~$])")
_OPENS_A_BLOCK = re.compile(r"^([-+#=]|\d+(?=[.)]))")
_CALL = re.compile(r"[@#](?=\w)|(?<!\w)!(?=\w)|:(?=//)|\bwww(?=\.)|\bgh(?=-\d)", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")
_APART = "\u200b"
"""A space without a width: what stands before and after it is no longer one word to a forge."""

WIDTH = 160
"""Characters of a foreign text in a cell."""


def code(text: str, width: int = WIDTH) -> str:
    """As a code span, in a table or outside: nothing in it is marked up, linked or called."""
    shown = _short(printable(text), width)
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest or not shown.strip() else ""
    # In a table a bar ends the cell even inside a code span, unless it is escaped; elsewhere there are no bars here.
    return f"{fence}{space}{shown or ' '}{space}{fence}".replace("|", "\\|")


def plain(text: str, width: int = 1000) -> str:
    """As running text, every mark escaped, so that nothing of it is more than words."""
    shown = _CALL.sub(lambda found: found[0] + _APART, _short(printable(text), width))
    marked = _MARKS.sub(r"\\\1", html.escape(shown, quote=False))
    return _OPENS_A_BLOCK.sub(lambda found: f"&#{ord(found[0][0])};{found[0][1:]}", marked)


def summary(text: str) -> str:
    """For inside an HTML tag."""
    return html.escape(_CALL.sub(lambda found: found[0] + _APART, printable(text)), quote=False)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Lines of a table. Cells are Markdown already; `numbers` are the columns that are set to the right."""
    rule = ["---:" if place in numbers else "---" for place in range(len(heads))]
    return [_line(heads), _line(rule), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def fenced(lines: Sequence[str], language: str = "") -> list[str]:
    """A block of code that no line inside can end."""
    shown = ["".join(c if c.isprintable() or c == "\t" else f"\\u{{{ord(c):x}}}" for c in line) for line in lines]
    longest = max((len(run) for line in shown for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *shown, fence]


def folded(title: str, lines: Sequence[str]) -> list[str]:
    """A part that opens when somebody clicks on it; `title` is HTML already."""
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
