"""Canonical JSON against RFC 8785's published vectors, the rfc8785 package, and decision A1's own cases."""

from __future__ import annotations

import struct
from types import MappingProxyType

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.canonical import (
    CanonicalError,
    LoneSurrogateError,
    NotFiniteError,
    NotJSONError,
    TooLargeError,
    canonical_json,
    digest,
    digest_bytes,
    number_text,
    sorted_keys,
)

# RFC 8785 appendix B: IEEE 754 bits and their text.
RFC_NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.req("B29", "B30")
@pytest.mark.parametrize(("bits", "text"), RFC_NUMBERS)
def test_published_number_vectors(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert number_text(value) == text


@pytest.mark.req("B29", "B30")
@given(json_values)
@settings(max_examples=150, deadline=None)
def test_same_bytes_as_the_rfc8785_package(value: object) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=200, deadline=None)
def test_number_text_keeps_every_double(value: float) -> None:
    assert float(number_text(value)) == value
    assert number_text(value).encode() == rfc8785.dumps(value)


def test_published_structure_example() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert canonical_json(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_published_key_order() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert sorted_keys(keys) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert canonical_json({"\ufb33": 1, "😀": 2}).decode() == '{"😀":2,"\ufb33":1}'


@pytest.mark.req("B29")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (-0, "0"),
        (True, "true"),
        (1e21, "1e+21"),
        (10**20, "100000000000000000000"),
        (2**53 + 1, "9007199254740993"),
        (2**64 - 1, "18446744073709551615"),
        (-(10**40) - 1, "-1" + "0" * 39 + "1"),
        ("\x7f\u2028é", '"\x7f\u2028é"'),
        ("\x00\x1f\b\f\n\r\t/", '"\\u0000\\u001f\\b\\f\\n\\r\\t/"'),
        ({}, "{}"),
        ([], "[]"),
        (MappingProxyType({"b": (1, 2), "a": None}), '{"a":null,"b":[1,2]}'),
    ],
)
def test_settled_cases(value: object, text: str) -> None:
    assert canonical_json(value).decode() == text  # type: ignore[arg-type]


def test_no_unicode_normalisation() -> None:
    assert canonical_json("e\u0301") != canonical_json("\u00e9")


def _nest(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "error", "path"),
    [
        (float("nan"), NotFiniteError, "$"),
        ({"a": [1, float("inf")]}, NotFiniteError, "$.a[1]"),
        ({"a b": "\ud800"}, LoneSurrogateError, '$["a b"]'),
        ({"a": {"\udfff": 1}}, LoneSurrogateError, "$.a"),
        ([{1: 2}], NotJSONError, "$[0]"),
        ([b"x"], NotJSONError, "$[0]"),
        (_nest(100_000), TooLargeError, "$"),
        ([10**5000], TooLargeError, "$[0]"),
    ],
)
def test_refuses_with_the_path(value: object, error: type[CanonicalError], path: str) -> None:
    with pytest.raises(error) as caught:
        canonical_json(value)  # type: ignore[arg-type]
    assert caught.value.path == path
    assert isinstance(caught.value, ValueError)


@pytest.mark.req("B29")
def test_digests() -> None:
    # printf '"abc"' | sha256sum
    assert digest("abc") == "sha256:6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25"
    assert digest(1) == digest(1.0)
    assert digest_bytes(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
