"""Markdown that is read by somebody else's program: what it makes of foreign texts, and what it has room for.

markdown-it-py is the reader here: CommonMark with GitHub's tables, and nothing of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from heldout.domain.answer import Answer, Contamination, Gap, GapKind
from heldout.domain.branch import Branch, DatasetChange, FindingChanges, What
from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.reports.branch.cells import code, plain, table
from heldout.reports.branch.markdown import GITHUB_LIMIT, MARKER, branch_markdown
from heldout.reports.excerpts import printable
from heldout.reports.marking import element, fenced

READER = MarkdownIt("commonmark", {"html": True}).enable("table")
NASTY = st.text(
    st.sampled_from("ab1 `|\\*_<>[]()#@!&;~$-+=.:/\n\r\t\u200b\u202e\x00\x1bü") | st.characters(codec="utf-8"),
    max_size=40,
)


def cells(markdown: str) -> list[tuple[str, str]]:
    """(type, content) of what a table's second row consists of."""
    tokens = READER.parse(markdown)
    inlines = [token for token in tokens if token.type == "inline"]
    return [(child.type, child.content) for token in inlines[2:] for child in token.children or ()]


@given(NASTY)
def test_a_name_in_a_cell_stays_one_code_span(text: str) -> None:
    found = cells("\n".join(table(["a", "b"], [[code(text), "x"]])))
    (kind, content), *rest = found
    assert kind == "code_inline"
    assert content.strip() == printable(text).strip()
    assert rest == [("text", "x")], "the row has its two cells, and nothing else"


@given(NASTY)
def test_words_of_people_stay_words(text: str) -> None:
    found = cells("\n".join(table(["a", "b"], [[plain(text) or "-", "x"]])))
    words = [(kind, content) for kind, content in found if content not in ("<b>", "</b>")]
    assert {kind for kind, _ in words} <= {"text", "text_special"}, found
    assert "".join(content for _, content in words).removesuffix("x").strip() in (printable(text), "-")


@pytest.mark.parametrize(
    "said", ["see support@v1.0.0", "nlp/banking77@v2.10.3: gone", "(a@v0.0.1, b-2@v3.0.0)", "x@v1.0.0."]
)
def test_a_version_can_be_copied_from_a_sentence(said: str) -> None:
    found = cells("\n".join(table(["a", "b"], [[plain(said), "x"]])))
    names = re.findall(r"[\w/-]+@v[\d.]*\d", said)
    assert [content for kind, content in found if kind == "code_inline"] == names
    assert "".join(content for _, content in found).removesuffix("x") == said


@pytest.mark.parametrize("said", ["@v1.0.0", "a@v1.0", "a@v1.0.0.example", "me.a@v1.0.0", "a@v1.0.0@b", "a@v1.0.0-rc1"])
def test_what_only_looks_like_a_version_stays_words(said: str) -> None:
    assert "`" not in plain(said)
    assert not ACTED_ON.search(plain(said))


ACTED_ON = re.compile(r"[@#]\w|(?<!\w)!\w|\bgh-\d|https?://|ftp://|www\.", re.IGNORECASE)
"""What GitHub and GitLab make a call or a link of, beside Markdown: GFM's section 6.9, and their own references."""


@pytest.mark.parametrize("draw", [plain, element])
@pytest.mark.parametrize(
    "text",
    ["@everyone look", "see @team/all", "fixes #12", "owner/repo#3", "!5", "GH-26", "gh-1",
     "owner/repo@0123456", "a@b.example", "www.evil.example", "WWW.evil.example",
     "https://evil.example/#1", "see (http://evil.example)", "ftp://x.example"],
)  # fmt: skip
def test_nobody_is_called_and_nothing_is_linked(draw: Callable[[str], str], text: str) -> None:
    assert ACTED_ON.search(text)
    assert not ACTED_ON.search(draw(text))


@given(st.lists(NASTY, max_size=4))
def test_no_line_ends_a_block_of_code(lines: list[str]) -> None:
    tokens = READER.parse("\n".join([*fenced(lines, "diff"), "", "after"]))
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


def leaking(count: int, datasets: int = 1) -> Branch:
    """A branch on which `count` held-out examples are given away in each of some datasets."""
    hits, changes = [], []
    for number in range(datasets):
        name = f"dataset-{number}"
        here = []
        for row in range(count):
            held = Side(name, "test", f"test-{row}", f"sha256:{row:064x}", held_out_in=("s",))
            other = Side(name, "train", f"train-{row}", f"sha256:{row:064x}", open_in=("s",))
            here.append(Contamination(Finding(Kind.EXACT, Severity.BLOCK, held, other), held, other))
        gaps = tuple(Gap(GapKind.NOT_COMPARED, f"it has not been compared with other@v1.{n}.0") for n in range(300))
        changes.append(DatasetChange(name, What.CHANGED, None, Answer(name, "s", tuple(here), gaps)))
        hits += here
    return Branch("a" * 40, "origin/main", "b" * 40, 3, tuple(changes), (), (), FindingChanges(new=tuple(hits)), ())


@pytest.mark.parametrize(("count", "datasets"), [(1, 1), (30_000, 1), (20, 400)])
@pytest.mark.parametrize("room", [GITHUB_LIMIT, 2_500])
def test_it_fits_and_says_what_it_leaves_out(count: int, datasets: int, room: int) -> None:
    said = branch_markdown(leaking(count, datasets), room=room)
    assert len(said.encode()) <= room
    assert said.startswith(MARKER + "\n")
    assert f"{count * datasets:,} examples that" in said or f"{count * datasets:,} example that" in said
    assert said.count("<details>") == said.count("</details>")
    if count * datasets > 50:
        assert "more: `heldout findings --holdout-only`" in said or "Not shown" in said
    if room == 2_500 and datasets > 1:
        assert "has no room for it" in said
    assert "heldout verify</code> decides" in said, "the foot is there however short it is"


def test_a_table_of_the_whole_report_is_read_as_one() -> None:
    tokens = READER.parse(branch_markdown(leaking(3)))
    assert [token.type for token in tokens].count("table_open") == 3, "the overview, the leaks and the gaps"
