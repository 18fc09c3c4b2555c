"""Field paths by decision A12."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.paths import MISSING, format_path, lookup, parse_path

ROW = {"a": {"b.c": [10, {"d": None}]}, "0": "zero", "text": "abc"}


@pytest.mark.req("A12")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b\\.c.0", 10),
        ("a.b\\.c.1.d", None),
        ("a.b\\.c.2", MISSING),
        ("a.b\\.c.-1", MISSING),
        ("a.b\\.c.00", MISSING),
        ("a.b.c", MISSING),
        ("0", "zero"),
        ("text.0", MISSING),
        ("text.length", MISSING),
        ("a.b\\.c." + "9" * 5000, MISSING),
    ],
)
def test_lookup(path: str, found: object) -> None:
    assert lookup(ROW, parse_path(path)) is found or lookup(ROW, parse_path(path)) == found  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b"])
def test_empty_components_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="dots"):
        parse_path(path)


@given(st.lists(st.text("ab.*0 é", min_size=1), min_size=1, max_size=4))
def test_paths_are_read_back(parts: list[str]) -> None:
    assert parse_path(format_path(tuple(parts))) == tuple(parts)
