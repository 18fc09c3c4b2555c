"""The page: one file, no script, everything escaped, the worst rows kept."""

from __future__ import annotations

import re

import pytest
from lxml import html as lxml_html
from support.forms import AWKWARD

from heldout.domain.reporting import Report
from heldout.reports.excerpts import printable
from heldout.reports.forms.html import SHOWN, page

ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "span", "p", "dl", "div", "dt", "dd"),
    *("details", "summary", "code", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"),
}


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return "".join(page(report))


@pytest.fixture(scope="module")
def document(text: str) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(text.encode())


def test_it_is_one_file_without_script(document: lxml_html.HtmlElement, text: str) -> None:
    assert {element.tag for element in document.iter() if isinstance(element.tag, str)} <= ELEMENTS
    names = {name for element in document.iter() for name in element.attrib}
    assert names <= {"lang", "charset", "name", "content", "http-equiv", "class", "open", "scope", "id"}
    assert not re.search(r"url\(|@import|javascript:(?!alert)", text)


def test_rows_are_the_worst_and_the_total_is_told(document: lxml_html.HtmlElement, report: Report) -> None:
    rows = document.findall(".//tbody/tr")
    assert len(rows) == min(SHOWN, report.total)
    assert len({row.get("id") for row in rows}) == len(rows)
    if report.total > SHOWN:
        assert "20,000 of 30,000 are listed, the worst of them." in document.text_content()


@pytest.mark.req("B46")
def test_names_read_as_they_are(document: lxml_html.HtmlElement, report: Report) -> None:
    said = "\n".join(cell.text_content() for cell in document.findall(".//tbody/tr/td"))
    for item in report.worst(len(AWKWARD)):
        assert printable(item.message) in said
        assert all(version in said for part in item.parts for version in part.versions)
