"""The quick test of rows never accepts what the validator refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from heldout.storage.splitting.row_schema import row_schema, shipped_schema
from heldout.storage.splitting.row_schema_quick import quick_test

values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.0]) | st.text("ab1\n_", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
kinds = st.sampled_from(["string", "null", "boolean", "number", "integer", "array", "object"])
patterns = st.sampled_from(["^[ab]+$", "b", "[^\\W_]", "\\n"])


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=2, unique=True),
            "enum": st.lists(st.none() | st.sampled_from("ab"), min_size=1, unique=True),
            "pattern": patterns,
            "not": st.fixed_dictionaries({"pattern": patterns}),
            "minLength": st.integers(0, 2),
            "maxLength": st.integers(0, 2),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "required": st.lists(st.sampled_from("ab"), unique=True),
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "additionalProperties": st.just(False),
            "items": inner,
            "title": st.just("x"),
        },
    )


@given(keywords(keywords(keywords(st.just({})))), st.lists(values, max_size=6))
def test_what_it_accepts_fits(schema: dict[str, Any], rows: list[Any]) -> None:
    quick = quick_test(schema)
    assert quick is not None
    for validator in (Draft202012Validator(schema), Draft7Validator(schema)):
        assert all(validator.is_valid(row) for row in rows if quick(row))


@given(st.lists(values, max_size=6), keywords(keywords(st.just({}))))
def test_misfits_are_those_of_the_validator(rows: list[Any], schema: dict[str, Any]) -> None:
    compiled = row_schema(json.dumps(schema).encode(), "rows.json")
    for row in rows:
        assert (compiled.misfit(row) is None) == Draft202012Validator(schema).is_valid(row)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"$ref": "#"},
        {"minimum": 1},
        {"format": "date"},
        {"enum": [1]},
        {"patternProperties": {"a": {}}},
        {"additionalProperties": {}},
        {"properties": {"a": {"oneOf": [{}]}}},
        {"properties": {"a": True}},
        {"not": {}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"items": [{}]},
    ],
)
def test_unusual_schemas_are_left_to_the_validator(schema: Any) -> None:
    assert quick_test(schema) is None


@pytest.mark.req("C1")
def test_cases_are_quick() -> None:
    quick = quick_test(json.loads(shipped_schema("case@1")))
    assert quick is not None
    case = {"id": "a-1", "issue": "x", "expected": {"label": "bug", "priority": None}, "split": "held_out"}
    assert quick(case)
    for change in (
        {"id": "a\n"},
        {"issue": "__"},
        {"split": None},
        {"more": 1},
        {"expected": {"label": "bug", "x": 1}},
    ):
        assert not quick({**case, **change})
