"""Lists that are made while they are written."""

from __future__ import annotations

import json

import pytest

from heldout.reports.rows import Rows, written


@pytest.mark.parametrize("items", [[], [1], [3, 1, 2]])
@pytest.mark.parametrize("indent", [None, 2])
def test_it_is_written_as_the_list_that_it_stands_for(items: list[int], indent: int | None) -> None:
    rows, plain = Rows(items, lambda item: {"n": item, "of": [item]}), [{"n": n, "of": [n]} for n in items]
    encoder = json.JSONEncoder(indent=indent, default=written)
    assert "".join(encoder.iterencode({"rows": rows, "more": 1})) == json.dumps(
        {"rows": plain, "more": 1}, indent=indent
    )
    assert rows == plain
    assert (len(rows), bool(rows), rows[:2]) == (len(plain), bool(plain), plain[:2])


def test_nobody_writes_it_by_mistake() -> None:
    with pytest.raises(TypeError):
        json.dumps(Rows([1], str))
    with pytest.raises(TypeError):
        written({1})


def test_an_item_is_made_when_it_is_asked_for() -> None:
    made: list[int] = []

    def make(item: int) -> int:
        made.append(item)
        return item

    rows = Rows(range(10**9), make)
    assert rows[5] == 5
    assert made == [5]
