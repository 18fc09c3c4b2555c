"""The page as one file: complete, the same each time, without text unless asked for, and nothing asked of a network."""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

import pytest
from support.banking import HOSTILE, LEAKY
from support.story import Team


@pytest.fixture(scope="module")
def pages(banking_template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    team, folder = Team(banking_template / "work"), tmp_path_factory.mktemp("pages")
    team.succeeds("report", "--html", str(folder / "plain.html"))
    team.succeeds("report", "--html", str(folder / "again.html"))
    team.succeeds("report", "--html", str(folder / "texts.html"), "--with-text", "--limit", "12", "--base", LEAKY)
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_the_same_repository_gives_the_same_bytes(pages: dict[str, str]) -> None:
    assert pages["plain"] == pages["again"]


@pytest.mark.req("B19", "B45", "B46")
def test_it_holds_what_the_page_shows(pages: dict[str, str]) -> None:
    page = " ".join(pages["plain"].split())
    for piece in (
        "156 held-out examples given away",
        "5 held-out examples of banking77@v1.0.0 given away by faq@v1.0.0",
        '<b>309</b> <span class="of">of 12,927</span>',
        "banking77 <b>v2.0.0</b>",
        "942, of which 181 contaminate a holdout",
        "eaad5c50",
        "181 contaminations without a decision",
    ):
        assert piece in page


def test_it_names_a_change_of_the_holdout(pages: dict[str, str]) -> None:
    assert "156 removed" in pages["texts"]


def test_without_being_asked_it_holds_no_text(pages: dict[str, str], banking_template: Path) -> None:
    with (banking_template / "work/datasets/banking77/test.csv").open(newline="", encoding="utf-8") as file:
        questions = [row["text"].strip() for row in csv.DictReader(file)]
    long = [text for text in questions if len(text) > 25]
    assert len(long) > 2000
    assert [text for text in long if text in pages["plain"]] == []
    assert "when is my card here" not in pages["plain"]
    assert "this file holds no text of any" in pages["plain"]


def test_texts_are_there_when_asked_for_and_are_text(pages: dict[str, str]) -> None:
    assert "when is my card here" in pages["texts"]
    assert HOSTILE not in pages["texts"]
    assert "<img" not in pages["texts"]
    assert len(re.findall("<script", pages["texts"])) == 1
    assert "held-out ones among them" in pages["texts"]


def test_it_asks_for_nothing(pages: dict[str, str]) -> None:
    for page in pages.values():
        assert "default-src 'none'" in html.unescape(page)
        assert re.findall(r"\b(?:src|href)=[\"'](?!#)", page) == []
        assert "unsafe-inline" not in page
        assert "url(" not in page


def test_an_older_file_is_not_overwritten(banking_template: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("older")
    done = Team(banking_template / "work").heldout("report", "--html", str(tmp_path / "page.html"))
    assert done.code == 2
    assert "output-exists" in done.err
    assert (tmp_path / "page.html").read_text() == "older"


def test_a_repository_without_datasets_has_a_page_too(tmp_path: Path) -> None:
    team = Team.create(tmp_path / "bare")
    team.commit("Start", README="hello")
    done = Team(team.path).heldout("report", "--html", str(tmp_path / "page.html"))
    assert done.code == 0, str(done)
    assert "This repository has no dataset yet." in (tmp_path / "page.html").read_text()
