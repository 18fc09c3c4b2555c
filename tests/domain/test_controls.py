"""What others wrote stands in output without steering it."""

from __future__ import annotations

import pytest

from heldout.domain.controls import escaped, escaped_line
from heldout.domain.finding import Side


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("row\n::error::no", "row\\u000a::error::no"),
        ("\x1b[31mred\x1b[0m\x07", "\\u001b[31mred\\u001b[0m\\u0007"),
        ("a\u202eb\u2028c\x9b", "a\\u202eb\\u2028c\\u009b"),
        ("a ##[stop-commands]b ###[c ## d", "a \\u0023#[stop-commands]b #\\u0023#[c ## d"),
        ("plain \u00a0 text 👩\u200d💻 \\u000a", "plain \u00a0 text 👩\u200d💻 \\u000a"),
    ],
)
def test_controls_are_escaped_and_everything_else_stays(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_line_keeps_its_tabs_and_the_empty_lines_around_it() -> None:
    assert escaped_line("\n### Title\n") == "\n### Title\n"
    assert escaped_line("a\tb\nc") == "a\tb\\u000ac"
    assert escaped_line("\n") == "\n"


def test_only_colours_pass_where_colours_are_wanted() -> None:
    titled = "\x1b[1;31mx\x1b[0m\x1b]0;title\x07"
    assert escaped_line(titled, colours=True) == "\x1b[1;31mx\x1b[0m\\u001b]0;title\\u0007"


def test_a_key_stays_on_its_line() -> None:
    assert Side("s", "test", "1\n::add-mask::x", "sha256:aa").label() == "test/1\\u000a::add-mask::x"
