"""The index of held-out texts against every pair, worked out one by one."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.text import normalise
from heldout.matching.holdout_index import HoldoutIndex
from heldout.matching.minimisers import minimisers
from heldout.matching.near import NearParameters
from heldout.matching.texts import normalise_batch

_PIECES = st.text(st.sampled_from("ab é漢1"), max_size=24)
_TEXTS = st.lists(st.lists(_PIECES, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=12)
_GUARDS = st.sampled_from((1, 2, 3, 5, 16))


def _grams(text: str) -> set[str]:
    return {text} if len(text) < 5 else {text[place : place + 5] for place in range(len(text) - 4)}


def _where(short: str, long: str) -> tuple[int, int, bool]:
    """The occurrence to report: the prefix, else the suffix, else the first; and whether it fills whole words."""
    if long.startswith(short):
        position, offset = 0, 0
    elif long.endswith(short):
        position, offset = 1, len(long) - len(short)
    else:
        position, offset = 2, long.find(short)
    end = offset + len(short)
    aligned = (offset == 0 or long[offset - 1] == " ") and (end == len(long) or long[end] == " ")
    return position, offset, aligned


@pytest.mark.req("E40")
@settings(max_examples=150, deadline=None)
@given(_TEXTS, _TEXTS, _GUARDS)
def test_every_pair_and_place(items: list[str], rows: list[str], guard: int) -> None:
    held = sorted({normalise(text) for text in items})
    rows = [*rows, *(f"{items[0]} {row}" for row in rows[:3]), *items[:2]]
    index = pickle.loads(pickle.dumps(HoldoutIndex.build(normalise_batch(held), NearParameters(), guard)))
    hits = index.probe(normalise_batch(rows))
    near, inside = set(), set()
    for k in range(len(hits)):
        row, item = int(hits.row[k]), int(hits.item[k])
        if hits.kind[k] == 0:
            near.add((row, item, int(hits.intersection[k]), int(hits.union[k])))
        else:
            place = int(hits.position[k]), int(hits.offset[k]), bool(hits.aligned[k])
            inside.add((row, item, int(hits.kind[k]), place))
    wanted_near, wanted_inside = set(), set()
    for row, mine in enumerate(map(normalise, rows)):
        for item, theirs in enumerate(held):
            if mine and theirs:
                shared, union = len(_grams(mine) & _grams(theirs)), len(_grams(mine) | _grams(theirs))
                if 5 * shared >= 4 * union:
                    wanted_near.add((row, item, shared, union))
            for kind, short, long in ((1, theirs, mine), (2, mine, theirs)):
                if guard <= len(short) < len(long) and short in long:
                    wanted_inside.add((row, item, kind, _where(short, long)))
    assert inside == wanted_inside
    assert near <= wanted_near
    # A pair of similarity s is missed with probability (1 - s^4)^16, .0002 at 4/5: equal texts never are.
    assert {pair for pair in wanted_near if pair[2] == pair[3]} <= near
    assert len(hits) == len(near) + len(inside)


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("abc"), max_size=30), st.integers(1, 9), st.integers(0, 20), st.integers(1, 20))
def test_what_is_chosen_in_a_piece_is_chosen_in_the_whole(text: str, window: int, start: int, size: int) -> None:
    whole = normalise(text)
    piece = whole[start : start + size].strip()
    place = whole.find(piece)
    chosen = minimisers(normalise_batch([whole]), window)
    of_piece = minimisers(normalise_batch([piece]), window)
    assert set((of_piece.places + place).tolist()) <= set(chosen.places.tolist())
    assert (of_piece.places.size > 0) == (len(piece) >= window)


def test_nothing_indexed_and_nothing_asked() -> None:
    empty = normalise_batch([])
    index = HoldoutIndex.build(empty, NearParameters(), 16)
    assert len(index) == 0
    assert len(index.probe(normalise_batch(["a text of some length", ""]))) == 0
    some = HoldoutIndex.build(normalise_batch(["a text of some length", ""]), NearParameters(), 16)
    assert len(some.probe(empty)) == 0
    assert len(some.probe(normalise_batch(["", "..."]))) == 0
