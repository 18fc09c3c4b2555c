from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.data import prepared

from heldout.domain.text import normalise, text_of
from heldout.matching import texts as module
from heldout.matching.texts import NormalisedTexts, normalise_batch

ANY = st.text(st.characters(exclude_categories=()), max_size=20)  # every plane, surrogates and unassigned included
PLAIN = st.text(st.characters(max_codepoint=127), max_size=20)


def strings(texts: NormalisedTexts) -> list[str]:
    return [texts.text(index) for index in range(len(texts))]


@pytest.mark.req("B31", "A48")
@settings(max_examples=300)
@given(st.lists(ANY | PLAIN | st.sampled_from(["", " ", "ΑΣ. ΑΣΑ", "İ", "ﷺ", "a\U0001fae8b", "!"]), max_size=12))
def test_a_batch_is_normalised_like_single_texts(texts: list[str]) -> None:
    assert strings(normalise_batch(texts)) == [normalise(text) for text in texts]


@pytest.mark.req("B31")
@pytest.mark.parametrize("name", ["mgsm", "mbpp"])
def test_real_texts_are_normalised_like_single_texts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 5_000)  # many blocks
    texts = [text_of(row["input"]) for row in prepared(name)]
    assert strings(normalise_batch(texts)) == [normalise(text) for text in texts]


def test_parts_and_selections_keep_the_texts() -> None:
    import numpy as np

    texts = normalise_batch(["one", "", "two three", "vier", "５"])
    assert strings(texts.part(1, 4)) == ["", "two three", "vier"]
    assert strings(texts.take(np.array([4, 0, 0]))) == ["5", "one", "one"]
    assert strings(texts.take(np.zeros(0, np.int64))) == []
    assert list(texts.blocks(8)) == [(0, 2), (2, 3), (3, 5)]
    assert texts.lengths.tolist() == [3, 0, 9, 4, 1]
