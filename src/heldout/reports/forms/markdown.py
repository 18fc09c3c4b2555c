"""Markdown for a comment or a job's summary: the answer at the top, the items folded away by rule, worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from heldout.domain.reporting import Item, Level, Outcome, Report, Rule
from heldout.reports.excerpts import excerpts
from heldout.reports.marking import code, html, plain

LIMIT = 1_000_000
"""Bytes: a comment of GitLab's and a step's summary of GitHub's (1 MiB) hold no more, and drop the whole instead."""

_OUTCOMES = {Outcome.CLEAN: "✅", Outcome.FOUND: "❌", Outcome.UNKNOWN: "❔"}
_LEVELS = {Level.ERROR: "blocks", Level.WARNING: "to look at", Level.NOTE: "note"}
_TAIL = 600  # bytes kept for what closes a page that was cut short


def markdown(report: Report, limit: int = LIMIT) -> Iterator[str]:
    """At most `limit` bytes: what does not fit is left out from the end, the least grave, and counted."""
    head = "".join(_head(report))
    yield head
    left = limit - len(head.encode()) - _TAIL - sum(len(rule.help.encode()) + 200 for rule in report.rules)
    fitting, size = 0, 0
    rows: list[tuple[str, str, bool]] = []
    for item in report.worst(max(0, left) // _LEAST):
        row = _row(item)
        size += len(row.encode())
        if size > left:
            break
        rows.append((item.rule, row, item.level is Level.ERROR))
        fitting += 1
    yield from _folded(rows, report.rules)
    if fitting < report.total:
        yield f"\n{_shown(fitting, report.total)}\n"
    yield from _foot(report)


_LEAST = 40  # bytes of the shortest row


def _shown(fitting: int, total: int) -> str:
    return f"_{fitting:,} of {total:,} are listed, the worst of them._"


def _head(report: Report) -> Iterator[str]:
    yield f"### {_OUTCOMES[report.outcome]} {code(report.title)}: {report.outcome.said}\n\n"
    for sentence in report.answer:
        yield f"{plain(sentence)}  \n"
    counts = [(words, number) for words, number in report.counts if number]
    if counts:
        yield "\n| | |\n|---|--:|\n"
        yield from (f"| {plain(words)} | {number:,} |\n" for words, number in counts)


def _folded(rows: Sequence[tuple[str, str, bool]], rules: Sequence[Rule]) -> Iterator[str]:
    """A section a rule, in the order of its worst item; open where there is little to read."""
    order = list(dict.fromkeys(rule for rule, _, _ in rows))
    known = {rule.id: rule for rule in rules}
    for name, members in groupby(sorted(rows, key=lambda row: order.index(row[0])), key=lambda row: row[0]):
        lines = [line for _, line, _ in members]
        opened = " open" if len(rows) <= _OPEN else ""
        yield f"\n<details{opened}><summary><b>{html(name)}</b>: {len(lines):,}</summary>\n\n"
        if name in known:
            yield f"{known[name].help}\n\n"
        yield "| | what | where |\n|---|---|---|\n"
        yield from lines
        yield "\n</details>\n"


_OPEN = 10


def _row(item: Item) -> str:
    cells = [_LEVELS[item.level], _what(item), code(str(item.location))]
    return f"| {' | '.join(cells)} |\n"


def _what(item: Item) -> str:
    what = _sentence(item)
    if item.reason is not None:
        what += f"<br>accepted: {plain(item.reason)}"
    texts = [part.text for part in item.parts if part.text is not None]
    if len(texts) == 2:
        texts = list(excerpts(*texts))
    return what + "".join(f"<br>{code(text)}" for text in texts)


def _sentence(item: Item) -> str:
    """The message, with the names of examples set as code: what is in them is no Markdown."""
    places = (str(part.location) for part in item.parts if part.location is not None)
    names = sorted({*(part.label for part in item.parts), *places}, key=len, reverse=True)
    pieces = re.split("(" + "|".join(map(re.escape, names)) + ")", item.message) if names else [item.message]
    return "".join(code(piece) if piece in names else _between(piece) for piece in pieces)


def _between(text: str) -> str:
    """`plain` drops the blanks at both ends, which part words here."""
    return " " * text[:1].isspace() + plain(text) + " " * (text[-1:].isspace() and bool(text.strip()))


_COMMANDS = ("heldout ", "git ")


def _foot(report: Report) -> Iterator[str]:
    if report.next:
        yield "\n**Next**\n\n"
        yield from (f"- {code(step) if step.startswith(_COMMANDS) else plain(step)}\n" for step in report.next)
    if report.notes:
        yield "\n<sub>"
        yield "<br>".join(plain(note) for note in report.notes)
        yield "</sub>\n"
