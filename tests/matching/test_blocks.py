"""Working in blocks bounds memory; it never changes an answer. Each block size is cut down to a few elements here."""

from __future__ import annotations

import random

import numpy as np
import pytest

from heldout.matching import bands, containment, jaccard
from heldout.matching.classes import Classes
from heldout.matching.containment import containments
from heldout.matching.minhash import signatures
from heldout.matching.near import NearParameters, near_pairs
from heldout.matching.ragged import blocks, offsets_of, segments
from heldout.matching.texts import NormalisedTexts, normalise_batch


@pytest.fixture
def pool() -> tuple[NormalisedTexts, Classes]:
    rng = random.Random(5)
    words = ["transfer", "card", "balance", "my", "please", "a", "the", "top up"]
    texts = [" ".join(rng.choice(words) for _ in range(rng.randint(0, 9))) for _ in range(400)]
    texts += [f"{texts[rng.randrange(400)]} {rng.choice(words)}" for _ in range(300)]
    ids = np.array([rng.randrange(4) for _ in texts], np.int32)
    return normalise_batch(texts), Classes(ids, np.arange(len(texts) + 1, dtype=np.int64))


@pytest.mark.req("A25")
@pytest.mark.parametrize("cap", [1, 5, 1000])
def test_containments(pool: tuple[NormalisedTexts, Classes], cap: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, classes = pool
    whole = containments(texts, 6, classes, cap)
    monkeypatch.setattr(containment, "_BLOCK", 40)
    parts = containments(texts, 6, classes, cap)
    assert len(whole) > 300
    assert (whole.capped > 0) == (cap < 1000)
    assert whole.capped == parts.capped
    for name in ("short", "long", "position", "offset", "aligned"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))


@pytest.mark.req("B34")
@pytest.mark.parametrize("cap", [3, 256])
def test_near_pairs(pool: tuple[NormalisedTexts, Classes], cap: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, classes = pool
    marks = signatures(texts)
    whole = near_pairs(texts, marks, NearParameters(bucket_cap=cap), classes)
    for module in (bands, jaccard):
        monkeypatch.setattr(module, "_BLOCK", 50)
    monkeypatch.setattr(jaccard, "_TEXT_BLOCK", 50)
    parts = near_pairs(texts, marks, NearParameters(bucket_cap=cap), classes)
    assert len(whole) > 100
    assert bool(whole.capped.any()) == (cap == 3)
    for name in ("a", "b", "intersection", "union", "capped"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))


def test_rows_of_different_lengths() -> None:
    counts = np.array([2, 0, 3])
    assert offsets_of(counts).tolist() == [0, 2, 2, 5]
    assert segments(np.array([10, 50, 7]), counts).tolist() == [10, 11, 7, 8, 9]
    assert segments(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []
    assert list(blocks(np.array([4, 4, 9, 0, 0, 1, 1]), 8)) == [(0, 2), (2, 3), (3, 7)]
    assert list(blocks(np.zeros(0, np.int64), 8)) == []
