"""A slice's file edited by a form is what a person would have left: comments, order and bytes of what stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slices.building import conditions, definitions
from support.banking import SLICE

from heldout.domain.slicing.definition import Condition, Definition, Sample
from heldout.domain.slicing.slices import Recorded, Slice
from heldout.errors import ConfigError
from heldout.storage.slicing.about import with_about
from heldout.storage.slicing.edit import with_definition
from heldout.storage.slicing.file import parse_slice, render_slice

PATH = "datasets/banking77/slices/card-arrival.yaml"
ARRIVAL = Condition("metadata", "intent", "eq", "card_arrival")
LOST = Condition("metadata", "intent", "eq", "lost_or_stolen_card")
TAGGED = Condition("tag", None, "exists")


def edited(definition: Definition, text: str = SLICE) -> str:
    return with_definition(text.encode(), PATH, definition).decode()


def test_the_same_definition_changes_no_byte() -> None:
    assert edited(Definition((ARRIVAL, LOST), "any")) == SLICE


def test_only_the_line_of_match_changes() -> None:
    assert edited(Definition((ARRIVAL, LOST), "all")) == SLICE.replace("match: any", "match: all")


def test_another_value_keeps_the_comment_above_and_every_other_line() -> None:
    other = Condition("metadata", "intent", "eq", "card_linking")
    assert edited(Definition((other, LOST), "any")) == SLICE.replace(
        "    - {subject: metadata, key: intent, operator: eq, value: card_arrival}\n",
        "    - subject: metadata\n      key: intent\n      operator: eq\n      value: card_linking\n",
    )


def test_one_more_condition_stands_at_the_end() -> None:
    assert edited(Definition((ARRIVAL, LOST, TAGGED), "any")) == SLICE + "    - subject: tag\n      operator: exists\n"


def test_a_condition_that_goes_takes_its_comments_along() -> None:
    start = SLICE.index("    - subject: metadata\n")
    assert edited(Definition((ARRIVAL,), "any")) == SLICE[:start]
    assert edited(Definition((LOST,), "any")) == SLICE.replace(
        "    # the intent itself\n    - {subject: metadata, key: intent, operator: eq, value: card_arrival}\n", ""
    )


def test_conditions_change_places_with_their_comments() -> None:
    first = "    # the intent itself\n    - {subject: metadata, key: intent, operator: eq, value: card_arrival}\n"
    head, second = SLICE.split(first)
    assert edited(Definition((LOST, ARRIVAL), "any")) == head + second + first


def test_a_sample_comes_and_goes_without_a_trace() -> None:
    sampled = edited(Definition((ARRIVAL, LOST), "any", Sample(5, "s")))
    assert sampled == SLICE + "  sample:\n    size: 5\n    seed: s\n"
    assert edited(Definition((ARRIVAL, LOST), "any"), sampled) == SLICE


def test_history_and_what_stands_between_stay() -> None:
    history = render_slice(Slice("x", Definition((LOST,)), (Recorded.of(1, Definition((LOST,))),))).decode()
    tail = "\n# by Heldout alone\n" + history[history.index("history:") :]
    assert edited(Definition((ARRIVAL,), "any"), SLICE + tail).endswith(tail)


def test_line_ends_stay_those_of_the_file() -> None:
    text = edited(Definition((ARRIVAL, TAGGED), "all", Sample(2)), SLICE.replace("\n", "\r\n"))
    assert text.count("\n") == text.count("\r\n")


def test_a_definition_in_brackets_is_written_as_a_block() -> None:
    text = "format: heldout/slice@1\ndefinition: {conditions: [{subject: tag, operator: exists}]}\nname: card-arrival\n"
    assert edited(Definition((LOST,)), text) == (
        "format: heldout/slice@1\ndefinition:\n  match: all\n  conditions:\n  - subject: metadata\n    key: intent\n"
        "    operator: eq\n    value: lost_or_stolen_card\nname: card-arrival\n"
    )


DESCRIBED = "description: Cards that are on their way, or ought to be.\n"


@pytest.mark.parametrize(
    ("written", "description", "expected"),
    [
        (DESCRIBED, "Cards.", "description: Cards.\n"),
        ("description: Cards.  # as we say\n", "new: no", 'description: "new: no"  # as we say\n'),
        ("description: 'on\n  two lines'\n", "One", "description: One\n"),
        ("description: |  # why\n  a\n  b\n\n# for every suite\n", "c", "description: c\n\n# for every suite\n"),
        ("description:  # none yet\n", "One", "description: One  # none yet\n"),
        ("description: One\n", "a\n\nb", "description: |-\n  a\n\n  b\n"),
        ("description: One  # kept\n", "a\nb", 'description: "a\\nb"  # kept\n'),
        ("", "One", "description: One\n"),
        (DESCRIBED, "", ""),
        ("description: >-\n  a\n  b\n", "", ""),
    ],
)
def test_a_description_changes_on_its_own_lines(written: str, description: str, expected: str) -> None:
    for end in ("\n", "\r\n"):
        before = SLICE.replace(DESCRIBED, written).replace("\n", end).encode()
        after = SLICE.replace(DESCRIBED, expected).replace("\n", end).encode()
        assert with_about(before, PATH, description, True) == after


def test_the_flag_comes_below_the_description_and_goes_with_its_line() -> None:
    without = SLICE.replace("required: true\n", "").encode()
    text = parse_slice(without, PATH).description
    assert with_about(SLICE.encode(), PATH, text, False) == without
    assert with_about(without, PATH, text, True) == SLICE.encode()
    assert with_about(without, PATH, text, False) == without


def test_braces_keep_their_style() -> None:
    text = b'{"format": "heldout/slice@1", "name": "card-arrival", "definition": {"conditions": []}, "required": true}'
    assert with_about(text, PATH, "One", False) == (
        b'{"format": "heldout/slice@1", "name": "card-arrival", description: One, "definition": {"conditions": []}, '
        b'"required": false}'
    )


def test_what_only_a_person_can_edit_is_left_to_people() -> None:
    text = "".join(f"  {line}" for line in SLICE.replace(DESCRIBED, "").splitlines(keepends=True)).encode()
    with pytest.raises(ConfigError) as error:
        with_about(text, PATH, "One", True)
    assert (error.value.slug, error.value.field) == ("slice-not-editable", "description")


@given(definitions(), st.text(st.characters(exclude_categories=("Cs",)), max_size=12), st.booleans())
def test_any_description_is_written_and_read_back(definition: Definition, text: str, required: bool) -> None:
    item = Slice("card-arrival", definition, (Recorded.of(1, definition),), "Some.", not required)
    found = parse_slice(with_about(render_slice(item), PATH, text, required), PATH)
    assert (found.description, found.required) == (text, required)
    assert (found.definition.to_json(), len(found.history)) == (definition.to_json(), 1)


def test_a_file_in_brackets_is_left_to_people() -> None:
    text = '{"format": "heldout/slice@1", "name": "card-arrival", "definition": {"conditions": []}}'
    with pytest.raises(ConfigError) as error:
        edited(Definition((LOST,)), text)
    assert error.value.slug == "slice-not-editable"


@given(definitions(), definitions(), st.lists(conditions(), max_size=2))
def test_any_definition_becomes_any_other(before: Definition, after: Definition, kept: list[Condition]) -> None:
    """Condition by condition, whatever stays; and the way back."""
    mixed = Definition((*kept, *after.conditions, *before.conditions[:2]), after.match, after.sample)
    item = Slice("card-arrival", before, (Recorded.of(1, before),), "Some.", True)
    data = render_slice(item)
    for definition in (after, mixed, before):
        data = with_definition(data, PATH, definition)
        found = parse_slice(data, PATH)
        assert found.definition.to_json() == definition.to_json()
        assert (found.name, found.description, found.required, len(found.history)) == ("card-arrival", "Some.", True, 1)
