from __future__ import annotations

import hashlib
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.text import UNICODE_VERSION, drop_unassigned, normalise, text_of
from heldout.domain.unicode14 import ASSIGNED, LETTERS_AND_NUMBERS, ranges


def members(table: str) -> set[int]:
    return {code for first, last in ranges(table) for code in range(first, last + 1)}


@pytest.fixture(scope="module")
def assigned() -> set[int]:
    return members(ASSIGNED)


@pytest.fixture(scope="module")
def letters() -> set[int]:
    return members(LETTERS_AND_NUMBERS)


@pytest.mark.req("B30", "A17")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Hello", "Hello"),
        ({"b": "two", "a": "one"}, "one two"),
        ({"q": "half", "n": [1, 2.5, -3.14, 1.0, 1e21], "flag": True, "none": None}, "1 2.5 -3.14 1 1e+21 half"),
        ([["deep", {"k": "er"}], "end"], "deep er end"),
        ({"key is no text": None}, ""),
        (True, ""),
        (None, ""),
        (0, "0"),
        # U+FB33 sorts after the surrogate pair of an emoji in UTF-16, before it by code point.
        ({"\ufb33": "second", "\U0001f600": "first"}, "first second"),
        ({"a": {"z": "1", "b": "2"}, "B": "0"}, "0 2 1"),
    ],
)
def test_text_is_strings_and_numbers_in_canonical_key_order(value: object, text: str) -> None:
    assert text_of(value) == text  # type: ignore[arg-type]


def test_depth_of_an_input_is_no_limit() -> None:
    value: object = "bottom"
    for _ in range(sys.getrecursionlimit() * 2):
        value = [value]
    assert text_of(value) == "bottom"  # type: ignore[arg-type]


@pytest.mark.req("B31", "A17", "A18", "A19", "A48")
@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Hello,   World! ", "hello world"),
        ("-3.14", "3 14"),
        ("a_b", "a b"),
        ("", ""),
        ("?!…", ""),
        ("ÀÉ ß ﬁx ①２ Straße", "àé ß fix 12 straße"),
        ("e\u0301t\u0301", "ét"),  # a composed letter stays one; a mark nothing composes with is a space, trimmed here
        ("हिन्दी", "ह न द"),  # marks become spaces: minhash_lsh_v1 as it is defined
        ("ΌΔΟΣ ΣΑΣ", "όδος σας"),
        ("½ x² Ⅷ", "1 2 x2 viii"),
        ("\u2028line\u00a0sep\ufefff", "line sep f"),
        ("\U0001f600 grin", "grin"),
        ("a\U0001fae8b", "ab"),  # assigned in Unicode 15: dropped, so that no Python splits the word
        ("x\U000323b0y", "xy"),  # a CJK ideograph of Unicode 15.1
        ("日本語、テスト", "日本語 テスト"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.req("A48")
def test_tables_agree_with_the_unicode_database(assigned: set[int], letters: set[int]) -> None:
    """Newer Pythons may know more characters; what Unicode 14 assigned has the category it had."""
    assert UNICODE_VERSION == "14.0.0"
    assert letters < assigned
    current = {code for code in range(0x110000) if unicodedata.category(chr(code)) != "Cn"}
    assert assigned <= current
    assert {code for code in assigned if unicodedata.category(chr(code))[0] in "LN"} == letters
    if unicodedata.unidata_version == UNICODE_VERSION:
        assert current == assigned
    # The counts that the Unicode Consortium publishes for 14.0: 144,697 characters, with 65 control characters,
    # 137,468 private-use code points and 2,048 surrogates.
    assert len(assigned) == 144_697 + 65 + 137_468 + 2_048


@pytest.mark.req("A48")
def test_every_python_folds_assigned_characters_alike(assigned: set[int]) -> None:
    """One digest over the normal form of each character, computed with Python 3.11, holds for every version."""
    folded = "\n".join(normalise(f"a{chr(code)}b") for code in sorted(assigned))
    assert hashlib.sha256(folded.encode("utf-8")).hexdigest() == FOLDED


INSIDE = members(LETTERS_AND_NUMBERS)
FOLDED = "3cc2c1fe66927635cff2007a6b9d18578dffdf4611447ae617ede896ba855fc6"


@pytest.mark.req("B31")
@settings(max_examples=200)
@given(st.text(max_size=60))
def test_normal_form_holds_only_letters_digits_and_single_spaces(text: str) -> None:
    normal = normalise(text)
    assert all(ord(char) in INSIDE for char in normal.replace(" ", ""))
    assert "  " not in normal
    assert normal == normal.strip(" ")
    assert normalise(drop_unassigned(text)) == normal
