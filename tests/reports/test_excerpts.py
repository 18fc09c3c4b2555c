"""Excerpts: one line a text, what differs in brackets, nothing a terminal would obey."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.reports.excerpts import excerpts, printable


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("a b c", "a b c", ("a b c", "a b c")),
        ("a b c", "a x c", ("a [b] c", "a [x] c")),
        ("b c", "a b c d", ("b c", "[a] b c [d]")),
        ("1 2 3 4 5 6 7 8 9 10 11 12 x", "1 2 3 4 5 6 7 8 9 10 11 12", ("… 9 10 11 12 [x]", "… 9 10 11 12")),
        (
            "x 1 2 3 4 5 6 7 8 9 10 11 12 y",
            "1 2 3 4 5 6 7 8 9 10 11 12",
            ("[x] 1 2 3 4 … 9 10 11 12 [y]", "1 2 3 4 … 9 10 11 12"),
        ),
        ("one\ntwo\tthree", "one two  three", ("one two three", "one two three")),
    ],
)
def test_differences_are_marked_and_the_rest_is_short(a: str, b: str, shown: tuple[str, str]) -> None:
    assert excerpts(a, b) == shown


@given(st.text(), st.text())
def test_any_text_is_one_printable_line(a: str, b: str) -> None:
    for line in excerpts(a, b):
        assert line.isprintable()


def test_escapes_cannot_steer_a_terminal() -> None:
    assert printable("a\x1b[31mred\u202eback") == "a\\u{1b}[31mred\\u{202e}back"
