"""Strict JSON: places of faults, kinds of numbers, and the fast parser against the slow one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.storage.json_strict import JSONFault, Walker, parse_json


def outcome(source: str | bytes) -> tuple[object, JSONFault | None]:
    try:
        return parse_json(source), None
    except JSONFault as fault:
        return None, fault


@pytest.mark.req("A50", "A1")
@pytest.mark.parametrize(
    ("text", "slug", "line", "column", "path"),
    [
        ('{"a":1,"a":2}', "duplicate-key", 1, 8, "$"),
        ('{"b":\n{"a":1,"a":2}}', "duplicate-key", 2, 8, "$.b"),
        ("[1,NaN]", "not-finite", 1, 4, "$[1]"),
        ("[-Infinity]", "not-finite", 1, 2, "$[0]"),
        ('{"x y":["\\ud800"]}', "lone-surrogate", 1, 9, '$["x y"][0]'),
        ("1e400", "number-too-large", 1, 1, "$"),
        ("[" + "9" * 5000 + "]", "number-too-large", 1, 2, "$[0]"),
        ("[1,\n 2,,]", "bad-json", 2, 4, "$[2]"),
        ("[1] x", "bad-json", 1, 5, "$"),
        ("", "bad-json", 1, 1, "$"),
        ("[" * 100_000, "too-deep", 1, 201, "$"),
        ("[1,\n1e-400]", "inexact-number", 2, 1, "$[1]"),
    ],
)
def test_refusals_name_the_place(text: str, slug: str, line: int, column: int, path: str) -> None:
    with pytest.raises(JSONFault) as caught:
        parse_json(text)
    fault = caught.value
    assert (fault.slug, fault.line, fault.column, fault.path) == (slug, line, column, path)


def test_invalid_utf8_has_its_byte_offset() -> None:
    with pytest.raises(JSONFault) as caught:
        parse_json(b'{"a":\n"\xff"}')
    assert (caught.value.slug, caught.value.offset, caught.value.line) == ("bad-encoding", 7, 2)


def test_a_walk_keeps_lines_and_columns_forwards_and_back() -> None:
    walker = Walker("[1,\n  2,\n\n 3]")
    seen = []
    for _ in walker.elements("$"):
        seen.append((walker.line(), walker.text[walker.position]))
        walker.position += 1
    assert seen == [(1, "1"), (2, "2"), (4, "3")]
    for position, place in ((0, (1, 1)), (6, (2, 3)), (9, (3, 1)), (1, (1, 2))):
        with pytest.raises(JSONFault) as caught:
            walker.fail("bad-json", "here", "$", position)
        assert (caught.value.line, caught.value.column) == place


def test_numbers_keep_their_kind_and_digits() -> None:
    value = parse_json("[1, 1.0, 9007199254740993, 123456789012345678901234567890, -0, 1e2]")
    assert repr(value) == "[1, 1.0, 9007199254740993, 123456789012345678901234567890, 0, 100.0]"


def test_surrogate_pairs_and_escaped_backslashes_are_text() -> None:
    assert parse_json('["\\ud83d\\ude00", "\\\\ud800"]') == ["😀", "\\ud800"]
    assert parse_json(b"\xef\xbb\xbf[]") == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(json_values, st.booleans())
@settings(max_examples=100, deadline=None)
def test_fast_and_slow_parser_agree(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    walker = Walker(text)
    assert parse_json(text) == walker.value() == value
    walker.end()


@given(st.text('{}[]",:0123456789.eE+-truefalsn\\ud \n', max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused_as_the_standard_library_does(text: str) -> None:
    value, fault = outcome(text)
    if fault is not None and fault.slug == "bad-json":
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    elif fault is None:
        assert value == json.loads(text)
