"""Laws that hold for every definition and example: complements, De Morgan, and the answer that the plain rules give."""

from __future__ import annotations

import pytest
from building import conditions, definitions, examples, oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.example import Example
from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.evaluation import Truth, compile_definition

OPPOSITE = {"eq": "neq", "in": "not_in", "exists": "not_exists"}
OPPOSITE |= {after: before for before, after in OPPOSITE.items()}
reversible = conditions(("tag", "metadata", "field", "split", "source_kind", "review_status")).filter(
    lambda condition: condition.operator in OPPOSITE
)


def complement(condition: Condition) -> Condition:
    opposite = OPPOSITE[condition.operator]
    return Condition(condition.subject, condition.key, opposite, condition.value, condition.values)


def negated(truth: Truth) -> Truth:
    return None if truth is None else not truth


def answer(match: str, conditions: list[Condition], example: Example) -> Truth:
    return compile_definition(Definition(tuple(conditions), match))(example)


@pytest.mark.req("A8", "A13")
@settings(max_examples=100, deadline=None)
@given(reversible, examples())
def test_a_complement_answers_the_reverse_and_leaves_unknown_unknown(condition: Condition, example: Example) -> None:
    assert answer("all", [complement(condition)], example) is negated(answer("all", [condition], example))


@pytest.mark.req("A13", "B2")
@settings(max_examples=100, deadline=None)
@given(st.lists(reversible, min_size=1, max_size=5), examples())
def test_not_all_is_any_of_the_complements(several: list[Condition], example: Example) -> None:
    complements = list(map(complement, several))
    assert negated(answer("all", several, example)) is answer("any", complements, example)
    assert negated(answer("any", several, example)) is answer("all", complements, example)


@pytest.mark.req("A6", "A7", "A8", "A9", "A10", "A11", "A12", "A13", "A14", "B2")
@settings(max_examples=200, deadline=None)
@given(definitions(), examples())
def test_a_definition_answers_as_the_plain_rules_do(definition: Definition, example: Example) -> None:
    found = [oracle(condition, example) for condition in definition.conditions]
    decisive = definition.match == "any"
    expected = decisive if decisive in found else None if None in found else not decisive
    assert compile_definition(definition)(example) is expected


@settings(max_examples=100, deadline=None)
@given(definitions(), examples(), st.randoms(use_true_random=False))
def test_the_order_of_conditions_changes_no_answer(definition: Definition, example: Example, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(definition.conditions)
    random.shuffle(shuffled)
    assert answer(definition.match, shuffled, example) is compile_definition(definition)(example)
