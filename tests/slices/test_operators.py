"""Every subject and operator over every kind of value, from tables that a reviewer can read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from slices.building import ANSWERED

from heldout.domain.example import JSON, Example
from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.evaluation import Tally, Truth, compile_definition, count
from heldout.domain.slicing.rules import OPERATORS
from heldout.domain.slicing.shape import read_condition
from heldout.storage.yaml.files import load_yaml

HERE = Path(__file__).parent


def table(name: str) -> list[Any]:
    rows = load_yaml((HERE / name).read_bytes(), name)
    assert isinstance(rows, list)
    return rows


def answer(condition: Condition, example: Example) -> Truth:
    """A condition asked alone, which `all` and `any` must not change."""
    found = [compile_definition(Definition((condition,), match))(example) for match in ("all", "any")]
    assert found[0] is found[1]
    return found[0]


PLACES: dict[str, tuple[str, str]] = {
    "metadata": ("metadata", "k"),
    "input": ("field", "input.k"),
    "deep": ("field", r"input.a\.b.1.k"),
    "expected": ("field", "expected.k"),
}


def holding(place: str, *value: JSON) -> Example:
    """An example with a value at a place, or without one."""
    inside: dict[str, JSON] = {"k": value[0]} if value else {}
    if place == "metadata":
        return Example("test", "x", metadata=inside)
    if place == "deep":
        return Example("test", {"a.b": [0, inside]})
    return Example("test", inside) if place == "input" else Example("test", "x", expected=inside)


def of_value(place: str, operator: str, row: Any) -> Condition:
    subject, key = PLACES[place]
    return Condition(subject, key, operator, row.get("value"), row.get("values"))


@pytest.mark.req("B6", "B7", "A6", "A8", "A9", "A10", "A11")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "row", table("operators.yaml"), ids=lambda row: f"{row['operator']} {row.get('value', row.get('values'))}"
)
def test_an_operator_answers_for_every_kind_of_value(row: Any, place: str) -> None:
    also = row.get("also_yes", [])
    expected = [(value, True) for value in [*row["yes"], *also]] + [(value, False) for value in row["no"]]
    for operator, reverse in ((row["operator"], False), (row.get("opposite"), True)):
        if operator is None:
            continue
        condition = of_value(place, operator, row)
        found = [(value, answer(condition, holding(place, value))) for value, _ in expected]
        assert found == [(value, truth is not reverse) for value, truth in expected]
        assert answer(condition, holding(place)) is (row["missing"] is not reverse)


def part(subject: str, key: str | None, value: Any) -> Example:
    """An example whose only interesting part is the one that the row is about."""
    if subject == "tag":
        return Example("test", "x", tags=tuple(value))
    if subject == "split":
        return Example(value, "x")
    if subject == "metadata":
        return Example("test", "x", metadata=value)
    if subject == "field":
        return Example("test", value)
    return Example("test", "x", **{subject: value})


@pytest.mark.req("B5", "B8", "B9", "A6", "A7", "A8", "A12")
@pytest.mark.parametrize("row", table("parts.yaml"), ids=lambda row: " ".join(map(str, row["condition"].values())))
def test_a_subject_answers_for_every_part_it_may_find(row: Any) -> None:
    condition = read_condition(row["condition"])
    found = {True: row["yes"], False: row["no"]}
    for truth, values in found.items():
        for value in values:
            assert answer(condition, part(condition.subject, condition.key, value)) is truth, value


@pytest.mark.req("B5", "B6", "B7", "B8", "B9")
def test_the_tables_hold_every_operator_of_every_subject() -> None:
    rows = table("operators.yaml")
    asked = {
        (subject, operator)
        for subject in ("metadata", "field")
        for row in rows
        for operator in (row["operator"], row.get("opposite"))
    }
    asked |= {(row["condition"]["subject"], row["condition"]["operator"]) for row in table("parts.yaml")}
    assert {(subject, operator) for subject in ANSWERED for operator in OPERATORS[subject]} <= asked


OUTSIDE = Example("test", None, payload="sha256:" + "0" * 64, has_input=False, expected={"k": 1}, metadata={"k": 1})
YES, NO = Condition("metadata", "k", "eq", 1), Condition("metadata", "k", "eq", 2)


@pytest.mark.req("B20", "A13", "A14")
@pytest.mark.parametrize("operator", OPERATORS["field"])
def test_a_condition_on_an_input_kept_outside_is_unknown_whatever_it_asks(operator: str) -> None:
    values = {"value": None if "exists" in operator else 1}
    assert answer(Condition("field", "input.k", operator, **values), OUTSIDE) is None  # type: ignore[arg-type]
    assert answer(Condition("field", "expected.k", "eq", 1), OUTSIDE) is True
    assert answer(Condition("field", "expected.k", "eq", 2), OUTSIDE) is False


@pytest.mark.req("A13", "B2")
@pytest.mark.parametrize(
    ("match", "others", "truth"),
    [
        ("all", (), None),
        ("all", (YES,), None),
        ("all", (NO,), False),
        ("all", (YES, NO), False),
        ("any", (), None),
        ("any", (YES,), True),
        ("any", (NO,), None),
        ("any", (YES, NO), True),
    ],
)
def test_unknown_joins_as_kleene_has_it(match: str, others: tuple[Condition, ...], truth: Truth) -> None:
    unknown = Condition("field", "input", "eq", "x")
    for conditions in ((unknown, *others), (*others, unknown), (unknown, *others, unknown)):
        assert compile_definition(Definition(conditions, match))(OUTSIDE) is truth


@pytest.mark.req("A14")
def test_an_input_that_is_at_hand_is_checked_payload_or_not() -> None:
    example = Example("test", "refund", payload="sha256:" + "0" * 64)
    assert answer(Condition("field", "input", "eq", "refund"), example) is True


@pytest.mark.req("B18", "B20", "B21", "A13")
def test_matched_unmatched_and_unevaluable_are_all_of_them() -> None:
    examples = [Example("test", {"n": n}, has_input=n % 10 >= 3, metadata={"m": n % 2}) for n in range(1000)]
    definition = Definition((Condition("field", "input.n", "lt", 500), Condition("metadata", "m", "eq", 0)))
    # of 500 with an even m 0, 2, 4, 6, 8 one fifth twice is outside; of the rest half is below 500
    assert count(definition, examples) == Tally(matched=150, unmatched=650, unevaluable=200)
    assert count(definition, examples).total == 1000
    assert count(definition, []) == Tally()
    assert Tally(1, 2, 3) + Tally(10, 20, 30) == Tally(11, 22, 33)


def test_no_condition_is_every_example() -> None:
    assert count(Definition(()), [OUTSIDE, Example("test", "x")]) == Tally(matched=2)
