"""Columns keep every value: as itself where all are of one plain type, as JSON text otherwise."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.example import JSON
from heldout.integrations.columns import Type, columns

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
BACK = {Type.JSON: json.loads}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None, ""], Type.TEXT),
        ([None, None], Type.TEXT),
        ([True, False, None], Type.TRUTH),
        ([1, None, -(2**63), 2**63 - 1], Type.WHOLE),
        ([1, 2**63], Type.JSON),
        ([1, 2.5, None], Type.NUMBER),
        ([2.5, 2**53], Type.NUMBER),
        ([2.5, 2**53 + 1], Type.JSON),
        ([True, 1], Type.JSON),
        (["1", 1], Type.JSON),
        ([["a"], [], None], Type.TEXTS),
        ([["a"], [1]], Type.JSON),
        ([["a", None]], Type.JSON),
        ([{"a": 1}, None], Type.JSON),
    ],
)
def test_types(values: list[JSON], kind: Type) -> None:
    (column,) = columns([{"x": value} for value in values])
    assert column.type is kind
    assert [value is None for value in column.values] == [value is None for value in values]


@given(st.lists(ANY_JSON, min_size=1, max_size=6))
def test_every_value_comes_back(values: list[JSON]) -> None:
    (column,) = columns([{"x": value} for value in values])
    back = [None if value is None else BACK.get(column.type, lambda one: one)(value) for value in column.values]
    assert [_typed(value) for value in back] == [
        _typed(float(value) if column.type is Type.NUMBER and value is not None else value) for value in values
    ]


def _typed(value: JSON) -> str:
    """1, 1.0, True, 0.0 and -0.0 apart."""
    if isinstance(value, float):
        return f"float {value.hex()} {math.copysign(1, value)}"
    return f"{type(value).__name__} {value!r}"


def test_no_rows_have_no_columns() -> None:
    assert columns([]) == []
