"""Two texts beside each other, on a terminal that example text must not steer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.reports.word_diff import highlighted, printable, side_by_side, word_diff

ANSI = re.compile(r"\x1b\[\d+m")


def marked(words: list) -> list[str]:  # type: ignore[type-arg]
    return [word.text for word in words if word.differs]


def test_words_without_a_match_are_marked() -> None:
    left, right = word_diff("the quick brown fox", "the slow brown fox jumps")
    assert (marked(left), marked(right)) == (["quick"], ["slow", "jumps"])


@given(st.text(max_size=60), st.text(max_size=60))
def test_both_texts_are_shown_whole(first: str, second: str) -> None:
    left, right = word_diff(first, second)
    assert "".join(word.text for word in left) == first
    assert "".join(word.text for word in right) == second


@given(st.text(max_size=60))
def test_equal_texts_have_no_mark(text: str) -> None:
    assert [marked(words) for words in word_diff(text, text)] == [[], []]


@given(st.text(max_size=80), st.text(max_size=80), st.integers(40, 100), st.booleans())
def test_lines_keep_to_the_width(first: str, second: str, width: int, colour: bool) -> None:
    texts = word_diff(printable(first), printable(second))
    plain = re.compile(r"[ -~]*")
    if not plain.fullmatch(first) or not plain.fullmatch(second):
        return  # cells of other scripts: the example below
    lines = side_by_side(("A", "B"), texts, width, colour=colour)
    assert all(len(ANSI.sub("", line)) <= width for line in lines)


def test_wide_characters_take_two_cells() -> None:
    lines = side_by_side(("A", "B"), word_diff("日本語のテキスト" * 4, "x"), 43, colour=True)
    assert all(line.index("|") <= 21 for line in (ANSI.sub("", line) for line in lines))
    assert len(lines) == 5


def test_colour_or_signs() -> None:
    texts = word_diff("a b", "a c")
    assert side_by_side(("A", "B"), texts, 40, colour=False)[1].split(" | ") == ["a [-b-]           ", "a {+c+}"]
    assert "\x1b[31mb\x1b[0m" in side_by_side(("A", "B"), texts, 40, colour=True)[1]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\rb", r"a\rb"),
        ("a\r\nb", "a\nb"),
        ("\u202egnirts", "\\u202egnirts"),
        ("a\x9b31m", r"a\x9b31m"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_text_cannot_steer_the_terminal(text: str, safe: str) -> None:
    assert printable(text) == safe


def test_a_piece_in_brackets() -> None:
    assert highlighted("one two three", 4, 3, colour=False) == "one [two] three"
