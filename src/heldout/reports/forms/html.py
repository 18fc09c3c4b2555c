"""A page of one file for people: no script, nothing fetched, dark or light as the reader's system is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from heldout.domain.reporting import Item, Level, Part, Report, Rule
from heldout.reports.excerpts import excerpts, printable

SHOWN = 20_000
"""Rows that a browser lays out without a pause that people notice; the worst of what there is."""

_OPEN = 200  # rows of a page whose sections need no folding

_LEVELS = {Level.ERROR: "blocks", Level.WARNING: "to look at", Level.NOTE: "note"}

_HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{title} <span class="badge {outcome}">{said}</span></h1>
"""


def page(report: Report) -> Iterator[str]:
    """Every value goes through `_e`; what is written without it is ours."""
    style = (files("heldout.reports.forms") / "page.css").read_text(encoding="utf-8")
    yield _HEAD.format(title=_e(report.title), style=style, outcome=report.outcome.value, said=report.outcome.said)
    yield from (f"<p>{_e(sentence)}</p>\n" for sentence in report.answer)
    yield from _counts(report)
    worst = report.worst(SHOWN)
    if len(worst) < report.total:
        yield f'<p class="less">{len(worst):,} of {report.total:,} are listed, the worst of them.</p>\n'
    known = {rule.id: rule for rule in report.rules}
    for rule in dict.fromkeys(item.rule for item in worst):
        members = [item for item in worst if item.rule == rule]
        yield from _section(known.get(rule, Rule(rule, rule, "")), members, opened=len(worst) <= _OPEN)
    yield from _list("Next", report.next)
    yield from _list("Notes", report.notes)
    yield "</main>\n</body>\n</html>\n"


def _counts(report: Report) -> Iterator[str]:
    counts = [(words, number) for words, number in report.counts if number]
    if counts:
        yield "<dl>\n"
        yield from (f"<div><dt>{_e(words)}</dt><dd>{number:,}</dd></div>\n" for words, number in counts)
        yield "</dl>\n"


def _section(rule: Rule, items: Sequence[Item], *, opened: bool) -> Iterator[str]:
    summary = f"<h2>{_e(rule.title)}</h2> <code>{_e(rule.id)}</code> {len(items):,}"
    yield f"<details{' open' * opened}><summary>{summary}</summary>\n"
    yield f"<p>{_e(rule.help.replace('`', ''))}</p>\n"
    yield f'<div class="scroll"><table><caption>{_e(rule.title)}: {len(items):,}</caption>\n<thead><tr>'
    yield from (f'<th scope="col">{name}</th>' for name in ("level", "what", "where", "contaminates", "id"))
    yield "</tr></thead>\n<tbody>\n"
    yield from map(_row, items)
    yield "</tbody></table></div></details>\n"


def _row(item: Item) -> str:
    what = _e(item.message)
    if item.reason is not None:
        what += f'<div class="reason">accepted: {_e(item.reason)}</div>'
    what += "".join(f'<div class="side">{_side(part)}</div>' for part in item.parts if part.versions)
    texts = [part.text for part in item.parts if part.text is not None]
    if len(texts) == 2:
        texts = list(excerpts(*texts))
    what += "".join(f"<blockquote>{_e(text)}</blockquote>" for text in texts)
    cells = [what, f"<code>{_e(str(item.location))}</code>", _e(", ".join(item.contaminates))]
    middle = "".join(f"<td>{cell}</td>" for cell in cells)
    level = f'<td class="{item.level.value}">{_LEVELS[item.level]}</td>'
    return f'<tr id="{_e(item.id)}">{level}{middle}<td><code>{_e(item.id)}</code></td></tr>\n'


def _side(part: Part) -> str:
    return f"<code>{_e(part.label)}</code> in {_e(', '.join(part.versions))}"


def _list(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield f"<h2>{title}</h2>\n<ul>\n"
        yield from (f"<li>{_e(text)}</li>\n" for text in texts)
        yield "</ul>\n"


def _e(text: str) -> str:
    return escape(printable(text), quote=True)
