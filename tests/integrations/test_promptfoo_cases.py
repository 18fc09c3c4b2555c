"""promptfoo's test cases as values; `test_with_promptfoo.py` has what promptfoo makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.evaluated import CLEAN, CONTAMINATED, TEST

from heldout.errors import HoldoutRefused, UsageError
from heldout.integrations.promptfoo import cases, create_tests


def test_an_example_is_one_variable_and_one_assertion(evaluated: Path) -> None:
    made = create_tests({"holdout": CLEAN, "split": "test", "repo": str(evaluated)})
    assert [case["vars"] for case in made] == [
        {"example": {"input": row["question"], "expected": row["answer"]}} for row in TEST
    ]
    assert [case["assert"] for case in made] == [[{"type": "equals", "value": "{{ example.expected }}"}]] * 2
    assert [case["metadata"]["key"] for case in made] == ["8", "9"]
    assert CLEAN in made[0]["metadata"]["heldout"]
    assert "content=sha256:" in made[0]["metadata"]["heldout"]


def test_what_is_expected_and_no_text(evaluated: Path) -> None:
    fields = {"q": "input", "expected": "metadata.turns"}
    made = cases(CLEAN, split="test", fields=fields, compare="icontains", repo=evaluated)
    assert [case["assert"] for case in made] == [
        [{"type": "icontains", "value": "1"}],
        [{"type": "icontains", "value": "2"}],
    ]
    made = cases(CLEAN, split="test", fields={"q": "input", "expected": "metadata"}, repo=evaluated)
    assert made[0]["assert"] == [{"type": "equals", "value": {"topic": "post", "turns": 1}}]
    assert "assert" not in cases(CLEAN, split="test", compare=None, repo=evaluated)[0]
    assert "assert" not in cases(CLEAN, split="test", fields={"q": "input"}, repo=evaluated)[0]


def test_flat_variables_are_refused_where_promptfoo_would_read_them(evaluated: Path) -> None:
    made = cases(CLEAN, split="train", flat=True, repo=evaluated)
    assert made[0]["vars"] == {"input": "Where is my parcel?", "expected": "shipping"}
    assert made[0]["assert"] == [{"type": "equals", "value": "{{ expected }}"}]
    with pytest.raises(UsageError) as caught:
        cases(CLEAN, split="test", flat=True, repo=evaluated)
    assert caught.value.slug == "unfit-example"
    assert caught.value.message.startswith("test/9: promptfoo would change 'input'")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "the setting 'holdout' is missing"),
        ({"split": "test"}, "the setting 'holdout' is missing"),
        ({"holdout": CLEAN, "spilt": "test"}, "no setting is called 'spilt'"),
    ],
)
def test_settings_are_checked(config: dict[str, str] | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        create_tests(config)
    assert (caught.value.slug, caught.value.message) == ("unknown-setting", message)


def test_refusals_are_raised_in_the_generator(evaluated: Path) -> None:
    with pytest.raises(HoldoutRefused):
        create_tests({"holdout": CONTAMINATED, "repo": str(evaluated)})
