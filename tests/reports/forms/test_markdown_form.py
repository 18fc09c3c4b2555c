"""Markdown, read by a CommonMark parser with GitHub's tables: names stay names, and a page stays within its limit."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.forms import AWKWARD, MANY, findings

from heldout.domain.reporting import Report
from heldout.reports.excerpts import printable
from heldout.reports.forms.markdown import LIMIT, markdown
from heldout.reports.marking import code, plain

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = {
    "<details open>",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
    "<b>",
    "</b>",
    "<br>",
    "<sub>",
    "</sub>",
}


def spans(text: str) -> list[Token]:
    return [child for token in PARSER.parse(text) for child in token.children or []]


@pytest.mark.parametrize("name", AWKWARD)
def test_a_name_is_a_code_span_in_a_cell_and_nothing_else(name: str) -> None:
    page = f"| a | b |\n|---|---|\n| {code(name)} | end |\n"
    cells = [token for token in PARSER.parse(page) if token.type == "inline"][2:]
    assert [[child.type for child in cell.children or []] for cell in cells] == [["code_inline"], ["text"]]
    assert (cells[0].children or [])[0].content.strip() == printable(name)


@pytest.mark.parametrize("name", AWKWARD)
def test_a_sentence_shows_what_it_says_and_nothing_else(name: str) -> None:
    found = spans(plain(name))
    assert {token.type for token in found} <= {"text", "html_inline", "text_special"}
    assert {token.content for token in found if token.type == "html_inline"} <= {"<b>", "</b>"}
    assert "".join(token.content for token in found if token.type != "html_inline").strip() == printable(name)


def test_every_row_has_its_cells_and_all_html_is_ours(report: Report) -> None:
    tokens = PARSER.parse("".join(markdown(report, 200_000)))
    html = [token.content for token in tokens if token.type == "html_block"]
    html += [c.content for token in tokens for c in token.children or [] if c.type == "html_inline"]
    assert {*re.findall(r"<[^>]+>", "".join(html))} <= OURS
    kinds = {child.type for token in tokens for child in token.children or []}
    assert not kinds & {"link_open", "image", "s_open"}


def test_the_worst_fit_and_the_total_is_told(report: Report) -> None:
    text = "".join(markdown(report))
    assert len(text.encode()) <= LIMIT
    listed = len(re.findall(r"^\| (?:blocks|to look at|note) \|", text, re.MULTILINE))
    if report.total < MANY:
        assert listed == report.total
        return
    assert 1000 < listed < MANY
    assert f"_{listed:,} of 30,000 are listed, the worst of them._" in text
    assert "| note |" not in text  # graver ones fill the page


@pytest.mark.parametrize("limit", [2_000, 5_000, 60_000])
def test_any_limit_is_kept(limit: int) -> None:
    text = "".join(markdown(findings(500), limit))
    assert len(text.encode()) <= max(limit, 3_000)
    assert "of 500 are listed" in text
