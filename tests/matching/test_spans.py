from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.matching.spans import Span, longest_shared_span


def brute(a: str, b: str) -> Span:
    for length in range(min(len(a), len(b)), 0, -1):
        for start in range(len(a) - length + 1):
            if a[start : start + length] in b:
                return Span(start, b.index(a[start : start + length]), length)
    return Span(0, 0, 0)


@settings(max_examples=200)
@given(st.text("ab 日", max_size=25), st.text("ab 日", max_size=25))
def test_equals_brute_force(a: str, b: str) -> None:
    assert longest_shared_span(a, b) == brute(a, b)


@pytest.mark.req("A46")
def test_long_texts_agree_with_difflib() -> None:
    a = " ".join(f"word{n * 7 % 1009}" for n in range(600))
    b = "before " + a[500:2100] + " after " + a[3000:3400]
    match = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    span = longest_shared_span(a, b)
    assert span.length == match.size >= 1600
    assert a[span.start_a : span.start_a + span.length] == b[span.start_b : span.start_b + span.length]


def test_characters_beyond_the_basic_plane_count_one() -> None:
    assert longest_shared_span("x\U00020000\U00020001y", "\U00020000\U00020001") == Span(1, 0, 2)
