"""A large family of texts that are mostly not near each other is resolved by the kernels as by numpy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from heldout.matching import kernels
from heldout.matching.bands import BandIndex
from heldout.matching.classes import Classes
from heldout.matching.families import family_pairs
from heldout.matching.jaccard import bounds
from heldout.matching.kernels import on_families
from heldout.matching.texts import NormalisedTexts, normalise_batch


def some_texts(count: int) -> NormalisedTexts:
    """Sentences put together anew, some of them twice with a word changed, a template with a number, and sets of few
    shingles: of short texts, and of long ones that say one thing again and again."""
    draw = random.Random(11)
    letters = "abcdefghiйклмनтरส"
    words = ["".join(draw.choice(letters) for _ in range(draw.randrange(2, 9))) for _ in range(300)]
    sentences = [" ".join(draw.choices(words, k=draw.randrange(4, 12))) for _ in range(120)]
    made = [" ".join(draw.choices(sentences, k=draw.randrange(1, 6))) for _ in range(count)]
    changed = [f"{text} {draw.choice(words)}" for text in made[::7]]
    template = [" ".join(sentences[:4]) + f" number {number}" for number in range(count // 10)]
    short = ["".join(draw.choices(letters, k=draw.randrange(1, 40))) for _ in range(60)]
    short += [text + draw.choice(letters) for text in short]
    again = [text * times for text in ("ab", "abc de", "fgh") for times in range(20, 50, 3)]
    return normalise_batch(sorted({*made, *changed, *template, *short, *again, "a", "ab"}))


@pytest.mark.req("B35", "E40")
@pytest.mark.parametrize("looks", [0, 40, 1 << 30])
def test_partners_do_not_depend_on_the_way_they_are_found(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    assert kernels.prepare()
    texts = some_texts(1200)
    count = len(texts)
    draw = np.random.default_rng(3)
    sizes = draw.integers(1, 3, count)
    ids = np.concatenate([np.sort(draw.choice(3, size, replace=False)) for size in sizes]).astype(np.int32)
    classes = Classes(ids, np.concatenate([[0], np.cumsum(sizes)]))
    index = BandIndex(np.zeros((0, count), np.uint64), (), np.where(np.arange(count) % 50, 0, -1), 256)
    limits = bounds(texts, np.arange(count), (4, 5))
    monkeypatch.setattr(on_families, "_LOOKS", looks)
    monkeypatch.setenv("HELDOUT_KERNELS", "on")
    compiled = family_pairs(texts, index, limits, classes)
    monkeypatch.setenv("HELDOUT_KERNELS", "off")
    assert np.array_equal(compiled, family_pairs(texts, index, limits, classes))
    assert compiled.shape[1] > 200
