from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.pools import classes_of, one_class

from heldout.matching.classes import Classes
from heldout.matching.containment import POSITIONS, Containments, containments
from heldout.matching.texts import normalise_batch

Row = tuple[int, int, str, int, bool]


def rows(found: Containments) -> list[Row]:
    positions = [POSITIONS[code] for code in found.position.tolist()]
    columns = (found.short.tolist(), found.long.tolist(), positions, found.offset.tolist(), found.aligned.tolist())
    return list(zip(*columns, strict=True))


def search(texts: list[str], min_length: int, classes: Classes | None = None, cap: int = 10**6) -> Containments:
    return containments(normalise_batch(texts), min_length, classes or one_class(len(texts)), cap)


def brute(texts: list[str], min_length: int) -> list[Row]:
    found = []
    for short, inner in enumerate(texts):
        for long, outer in enumerate(texts):
            if len(inner) < min_length or len(inner) >= len(outer) or inner not in outer:
                continue
            if outer.startswith(inner):
                position, offset = "prefix", 0
            elif outer.endswith(inner):
                position, offset = "suffix", len(outer) - len(inner)
            else:
                position, offset = "interior", outer.index(inner)
            end = offset + len(inner)
            aligned = (offset == 0 or outer[offset - 1] == " ") and (end == len(outer) or outer[end] == " ")
            found.append((short, long, position, offset, aligned))
    return found


NORMAL = st.text("ab 日", min_size=1, max_size=14).map(lambda text: " ".join(text.split()))


@pytest.mark.req("A25")
@settings(max_examples=200)
@given(st.lists(NORMAL, min_size=1, max_size=12), st.integers(1, 6))
def test_equals_python_substrings(texts: list[str], min_length: int) -> None:
    assert rows(search(texts, min_length)) == brute(texts, min_length)


@pytest.mark.req("A25")
def test_prefix_before_suffix_before_interior_and_word_edges() -> None:
    item = "activate my card"  # 16 characters, the guard
    texts = [item, f"{item} {item}", f"so {item} {item}", f"re{item} or {item} now", f"a {item}s b", item]
    assert rows(search(texts, 16))[:4] == [
        (0, 1, "prefix", 0, True),
        (0, 2, "suffix", 20, True),
        (0, 3, "interior", 2, False),
        (0, 4, "interior", 2, False),
    ]
    assert len(search(texts, 17)) == len(brute(texts, 17))
    assert not [row for row in rows(search(texts, 17)) if row[0] in (0, 5)]


@pytest.mark.req("A25")
def test_a_crowded_short_text_keeps_the_first_long_of_each_class() -> None:
    short = "please tell me what my balance is"
    texts = [short, *(f"{short} {number}" for number in range(9)), "a quite different question here"]
    classes = classes_of([{0}, *({number % 3, "abc".index("abc"[number % 3])} for number in range(9)), {7}])
    full = search(texts, 16, classes, cap=9)
    assert full.capped == 0
    assert full.long.tolist() == list(range(1, 10))
    thin = search(texts, 16, classes, cap=8)
    assert thin.capped == 1
    assert thin.long.tolist() == [1, 2, 3]


@pytest.mark.req("A25")
def test_a_template_of_thousands_is_no_trap() -> None:
    texts = [f"the same long opening sentence of every prompt, number {number}" for number in range(3000)]
    normal = [text.replace(",", "") for text in texts]
    assert rows(search(texts, 16)) == brute(normal, 16)


def test_nothing_to_find() -> None:
    assert rows(search([], 16)) == []
    assert rows(search(["short", "short text"], 16)) == []
    with pytest.raises(ValueError, match="guard"):
        search(["a"], 0)
