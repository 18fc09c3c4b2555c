"""What a definition may say, how a broken one is refused, and what its digest covers."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from building import conditions, definitions, kind
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.slicing.definition import Condition, Definition, Sample
from heldout.domain.slicing.rules import DefinitionError
from heldout.domain.slicing.shape import read_condition, read_definition
from heldout.storage.yaml.files import load_yaml

REFUSALS: Any = load_yaml((Path(__file__).parent / "refusals.yaml").read_bytes(), "refusals.yaml")
FINE: Any = {"subject": "tag", "operator": "exists"}


def refused(value: Any) -> DefinitionError:
    with pytest.raises(DefinitionError) as caught:
        read_definition(value)
    return caught.value


@pytest.mark.req("B4", "B5", "B6", "B7", "B8", "B9", "B11", "A10", "A11", "A12")
@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: str(row["condition"]))
def test_a_broken_condition_is_refused_with_its_position_and_what_is_allowed(row: Any) -> None:
    error = refused({"match": "all", "conditions": [FINE, row["condition"], FINE]})
    assert row["says"] in error.message
    assert str(error) == f"condition 2: {error.message}"
    assert error.position == 2
    assert list(error.place()) == ["conditions", 1, *row["at"]]


@pytest.mark.req("B11")
def test_the_first_broken_condition_is_named() -> None:
    broken: Any = {"subject": "tag", "operator": "gt", "value": "a"}
    assert refused({"conditions": [broken, broken]}).position == 1
    assert refused({"conditions": [FINE] * 49 + [broken]}).position == 50


@pytest.mark.req("B11")
@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ({"subject": "tags", "operator": "eq", "value": "a"}, "Did you mean 'tag'?"),
        ({"subject": "tag", "operator": "contians", "value": "a"}, "Did you mean 'contains'?"),
        ({"subject": "tag", "operator": "eq", "vlaue": "a"}, "Did you mean 'value'?"),
        ({"subject": "tag", "operator": "eq", "x": "a"}, "Known keys here: subject, key, operator, value, values."),
        (
            {"subject": "field", "key": "metadata.a", "operator": "exists"},
            "Use the subject metadata for metadata keys.",
        ),
        ({"subject": "tag", "operator": "eq", "value": 7}, "Write it in quotes."),
        ({"subject": "tag", "operator": "eq", "values": ["a", "b"]}, "in takes a list."),
    ],
)
def test_a_refusal_says_what_may_have_been_meant(condition: Any, hint: str) -> None:
    assert refused({"conditions": [condition]}).hint == hint


@pytest.mark.req("B3", "B11")
def test_fifty_conditions_pass_and_the_next_is_refused() -> None:
    assert len(read_definition({"match": "any", "conditions": [FINE] * 50}).conditions) == 50
    error = refused({"match": "any", "conditions": [FINE] * 51})
    assert (error.position, error.message) == (51, "a definition takes at most 50 conditions, found 51")
    with pytest.raises(DefinitionError, match="at most 50"):
        Definition((Condition("tag", None, "exists"),) * 51)


@pytest.mark.req("B10", "B11")
@pytest.mark.parametrize("operator", ["in", "not_in"])
def test_two_hundred_values_pass_and_the_next_is_refused(operator: str) -> None:
    many: Any = [str(number) for number in range(201)]
    row: Any = {"subject": "tag", "operator": operator}
    assert len(read_condition({**row, "values": many[:200]}).values or ()) == 200
    error = refused({"conditions": [FINE, {**row, "values": many}]})
    assert (error.position, error.message) == (2, f"{operator} takes 1 to 200 values, found 201")


@pytest.mark.req("B2", "B11", "B12", "B13")
@pytest.mark.parametrize(
    ("definition", "says", "place"),
    [
        (None, "a definition is a mapping with the keys match, conditions, sample", ()),
        ([FINE], "a definition is a mapping", ()),
        ({"match": "all"}, "`conditions` is a list", ()),
        ({"conditions": None}, "`conditions` is a list", ("conditions",)),
        ({"conditions": FINE}, "`conditions` is a list", ("conditions",)),
        ({"match": "none", "conditions": [FINE]}, "`match` is all or any, found 'none'", ("match",)),
        ({"match": "All", "conditions": [FINE]}, "`match` is all or any", ("match",)),
        ({"match": None, "conditions": [FINE]}, "`match` is all or any, found nothing", ("match",)),
        ({"match": ["all"], "conditions": [FINE]}, "`match` is all or any", ("match",)),
        ({"match": "any", "conditions": []}, "any of no conditions matches nothing", ("conditions",)),
        ({"conditions": [FINE], "limit": 3}, "unknown key 'limit'", ("limit",)),
        ({"conditions": [FINE], "sample": 50}, "a sample is a mapping", ("sample",)),
        ({"conditions": [FINE], "sample": None}, "a sample is a mapping", ("sample",)),
        ({"conditions": [FINE], "sample": {}}, "needs a `size`", ("sample",)),
        ({"conditions": [FINE], "sample": {"size": 0}}, "whole number from 1, found 0", ("sample", "size")),
        ({"conditions": [FINE], "sample": {"size": True}}, "whole number from 1", ("sample", "size")),
        ({"conditions": [FINE], "sample": {"size": 2.0}}, "whole number from 1", ("sample", "size")),
        ({"conditions": [FINE], "sample": {"size": "5"}}, "whole number from 1", ("sample", "size")),
        ({"conditions": [FINE], "sample": {"size": 5, "seed": 7}}, "seed is a text, found 7", ("sample", "seed")),
        ({"conditions": [FINE], "sample": {"size": 5, "seed": None}}, "says nothing", ("sample", "seed")),
        ({"conditions": [FINE], "sample": {"size": 5, "stratify": ""}}, "names one metadata", ("sample", "stratify")),
        ({"conditions": [FINE], "sample": {"size": 5, "stratify": ["a"]}}, "one metadata key", ("sample", "stratify")),
        ({"conditions": [FINE], "sample": {"size": 5, "by": "a"}}, "unknown key 'by'", ("sample", "by")),
    ],
)
def test_a_fault_outside_the_conditions_is_refused_with_its_place(definition: Any, says: str, place: Any) -> None:
    error = refused(definition)
    assert says in error.message
    assert (error.position, error.place()) == (None, place)


def test_text_that_has_no_bytes_is_refused() -> None:
    for broken in ({"key": "\ud800", "value": "a"}, {"key": "a", "value": "\ud800"}):
        assert (
            "no canonical form"
            in refused({"conditions": [{"subject": "metadata", "operator": "eq", **broken}]}).message
        )


WRITTEN: Any = {
    "match": "all",
    "conditions": [
        {"subject": "tag", "operator": "in", "values": ["b", "a", "b"]},
        {"subject": "metadata", "key": "n", "operator": "gte", "value": 2.0},
        {"subject": "field", "key": "input.x", "operator": "exists"},
    ],
    "sample": {"size": 10, "stratify": "topic"},
}


@pytest.mark.req("A4")
def test_the_digest_is_of_the_canonical_json_of_the_normalised_definition() -> None:
    normalised = {
        "match": "all",
        "conditions": [
            {"subject": "field", "key": "input.x", "operator": "exists"},
            {"subject": "metadata", "key": "n", "operator": "gte", "value": 2},
            {"subject": "tag", "operator": "in", "values": ["a", "b"]},
        ],
        "sample": {"size": 10, "seed": "", "stratify": "topic"},
    }
    normalised["conditions"] = sorted(normalised["conditions"], key=rfc8785.dumps)  # type: ignore[arg-type]
    expected = hashlib.sha256(rfc8785.dumps(normalised)).hexdigest()
    assert read_definition(WRITTEN).digest == f"sha256:{expected}"


@pytest.mark.req("A4")
def test_the_digest_of_one_definition_is_written_down() -> None:
    text = b'{"conditions":[{"key":"language","operator":"eq","subject":"metadata","value":"de"}],"match":"all"}'
    definition = Definition((Condition("metadata", "language", "eq", "de"),))
    assert rfc8785.dumps(definition.canonical()) == text  # type: ignore[arg-type]
    assert (
        definition.digest == "sha256:a7b5e477d76c7e348bb6504b9d5a924b03ed3b333294f2e42a025d1ff9f26f28"
    )  # sha256sum of the line above


@pytest.mark.req("A4")
@pytest.mark.parametrize(
    "same",
    [
        {"subject": "metadata", "key": "n", "operator": "in", "values": [1, "a", True]},
        {"subject": "metadata", "key": "n", "operator": "in", "values": [True, "a", 1.0, 1, "a"]},
        {"values": ["a", 1e0, True], "operator": "in", "key": "n", "subject": "metadata"},
    ],
)
def test_how_a_definition_is_written_does_not_matter(same: Any) -> None:
    other: Any = {"subject": "tag", "operator": "eq", "value": "x"}
    other_as_list: Any = {"subject": "tag", "operator": "eq", "values": ["x"]}
    first = read_definition({"match": "all", "conditions": [other, same]})
    assert first == read_definition({"conditions": [same, other_as_list]})
    values: Any = ["a", True, 1]
    assert (
        first.digest
        == Definition((Condition("metadata", "n", "in", values=values), Condition("tag", None, "eq", "x"))).digest
    )
    assert read_condition({"subject": "tag", "operator": "in", "value": "x"}) == Condition(
        "tag", None, "in", values=("x",)
    )


@pytest.mark.req("A4")
@settings(max_examples=100, deadline=None)
@given(definitions(), st.randoms(use_true_random=False))
def test_order_and_spelling_leave_the_digest_alone(definition: Definition, random) -> None:  # type: ignore[no-untyped-def]
    written: Any = definition.to_json()
    random.shuffle(written["conditions"])
    for condition in written["conditions"]:
        if "values" in condition:
            condition["values"] = [respelt(value) for value in condition["values"]] + condition["values"][:1]
            random.shuffle(condition["values"])
        elif "value" in condition:
            condition["value"] = respelt(condition["value"])
    again = read_definition(dict(reversed(written.items())))
    assert again.digest == definition.digest
    assert again == definition
    assert hash(again) == hash(definition)


def respelt(value: Any) -> Any:
    return float(value) if type(value) is int else int(value) if value == 1 and type(value) is float else value


def meaning(definition: Definition) -> object:
    """What a definition says, by Python's own equality, with booleans kept apart from numbers."""

    def apart(value: Any) -> object:
        return (kind(value), value)

    conditions = Counter(
        (item.subject, item.key, item.operator, apart(item.value), frozenset(map(apart, item.values or ())))
        for item in definition.conditions
    )
    return definition.match, conditions, definition.sample


@pytest.mark.req("A4", "A5")
@settings(max_examples=150, deadline=None)
@given(definitions(max_size=2), definitions(max_size=2))
def test_nothing_else_leaves_the_digest_alone(one: Definition, other: Definition) -> None:
    assert (one.digest == other.digest) is (meaning(one) == meaning(other))


@pytest.mark.req("A4")
@settings(max_examples=100, deadline=None)
@given(definitions(max_size=3), conditions())
def test_a_condition_more_is_another_definition(definition: Definition, condition: Condition) -> None:
    more = Definition((*definition.conditions, condition), definition.match, definition.sample)
    assert more.digest != definition.digest


@pytest.mark.req("B4", "A4")
@given(definitions())
def test_a_definition_reads_back_from_its_own_plain_form(definition: Definition) -> None:
    assert read_definition(definition.to_json()) == definition
    assert read_definition(definition.canonical()) == definition


def test_true_is_not_one_between_conditions_either() -> None:
    assert Condition("metadata", "a", "eq", True) != Condition("metadata", "a", "eq", 1)
    assert Condition("metadata", "a", "eq", 1.0) == Condition("metadata", "a", "eq", 1)
    assert len({Condition("metadata", "a", "eq", 1), Condition("metadata", "a", "eq", 1.0)}) == 1
    assert Sample(5) == Sample(5, "", None)
