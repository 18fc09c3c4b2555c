"""docs/slices.md says what the code does: its file is read, its lines are conditions, its table is the rules'."""

from __future__ import annotations

import re
from pathlib import Path

from heldout.domain.slicing.language import parse_condition
from heldout.domain.slicing.rules import KEYED, OPERATORS
from heldout.storage.slicing.file import parse_slice

PAGE = (Path(__file__).parents[2] / "docs" / "slices.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_file_of_the_page_is_read() -> None:
    item = parse_slice(block("yaml").encode(), "datasets/support/slices/german-billing.yaml")
    assert item.required
    assert item.definition.sample is not None
    assert len(item.definition.conditions) == 2


def test_the_lines_of_the_page_are_conditions() -> None:
    lines = block("text").splitlines()
    assert len(list(map(parse_condition, lines))) > 5


def test_the_table_of_the_page_is_the_table_of_the_rules() -> None:
    found = {subject: tuple(re.findall(r"`(\w+)`", operators)) for subject, _, operators in table()}
    assert {subject: set(operators) for subject, operators in found.items()} == {
        subject: set(operators) for subject, operators in OPERATORS.items()
    }
    assert {subject for subject, key, _ in table() if key} == set(KEYED)


def table() -> list[tuple[str, str, str]]:
    lines = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `")]
    return [(subject.strip(" `"), key.strip(), operators.strip()) for subject, key, operators in lines]
