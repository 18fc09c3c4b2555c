"""Foreign text in Markdown: names, reasons and examples are data, and nothing of them may act where they are read.

GitHub and GitLab read CommonMark with tables, and act on more than its marks: `@name` calls people, `#1` and `GH-1`
leave a mark in another thread, an address becomes a link, a line that begins with `/close` is a command to GitLab. So a
foreign text never begins a line of a report.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from heldout.reports.excerpts import printable, visible

_MARKS = re.compile(r"([\\`*_\[\]|~$])")
_OPENS_A_BLOCK = re.compile(r"^([-+#=]|\d+(?=[.)]))")
_CALL = re.compile(r"[@#](?=\w)|(?<!\w)!(?=\w)|:(?=//)|\bwww(?=\.)|\bgh(?=-\d)", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w@/.+-])([a-z0-9][\w/-]*@v\d+\.\d+\.\d+)(?![\w@+-]|\.\w)", re.ASCII | re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")
_APART = r"\g<0><b></b>"
"""Forges look for calls in what is rendered: an empty element parts them, and copies as nothing."""


def code(text: str, width: int | None = None) -> str:
    """As a code span, in a table or outside: nothing in it is marked up, linked or called."""
    shown = _short(printable(text), width)
    fence = "`" * (_longest_run([shown]) + 1)
    space = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    # In a table a bar ends the cell even inside a code span, unless it is escaped; elsewhere there are no bars here.
    return f"{fence}{space}{shown or ' '}{space}{fence}".replace("|", "\\|")


def plain(text: str, width: int | None = None) -> str:
    """As running text, every mark escaped, so that nothing of it is more than words.

    A version's name is set as code: it would be an address of mail otherwise, and people copy it into a command.
    """
    pieces = _VERSION.split(_short(printable(text), width))
    said = "".join(code(piece) if place % 2 else _words(piece) for place, piece in enumerate(pieces))
    return _OPENS_A_BLOCK.sub(lambda found: f"&#{ord(found[0][0])};{found[0][1:]}", said)


def html(text: str) -> str:
    """As it is, except that no tag is in it."""
    return escape(text, quote=False)


def element(text: str) -> str:
    """As the words of an HTML element, where Markdown does not act and forges do."""
    return _CALL.sub(_APART, html(printable(text)))


def fenced(lines: Sequence[str], language: str = "") -> list[str]:
    """A block of code that no line inside can end."""
    shown = [visible(line, keep="\t") for line in lines]
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return [f"{ticks}{language}", *shown, ticks]


def _longest_run(lines: Sequence[str]) -> int:
    """Of backticks: fewer or more of them end nothing that so many open."""
    return max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)


def _words(text: str) -> str:
    return _CALL.sub(_APART, _MARKS.sub(r"\\\1", html(text)))


def _short(text: str, width: int | None) -> str:
    return text if width is None or len(text) <= width else text[: width - 1] + "…"
