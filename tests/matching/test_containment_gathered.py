"""Containments in texts that a feed gives in any order and width are those that numpy finds in one array."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from support.pools import one_class

from heldout.domain.text import normalise
from heldout.matching import kernels
from heldout.matching.containment import containments
from heldout.matching.containment_gathered import containments_gathered
from heldout.matching.texts import NormalisedTexts, normalise_batch


@pytest.mark.req("B33", "B36")
def test_one_wide_text_among_many_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gathered in the order in which they come, as bytes: offsets are in code points all the same."""
    draw = random.Random(5)
    syllables = ["pa", "né", "rü", "ko ", "жук", "字", "𐌰𐌱", "si ", "ta", "lo "]
    bodies = ["".join(draw.choice(syllables) for _ in range(draw.randrange(4, 160))) for _ in range(400)]
    parts = [body[at : at + draw.randrange(12, 60)] for body in bodies[::2] for at in (0, len(body) // 3)]
    texts = normalise_batch(
        sorted({normalise(text) for text in [*bodies, *parts, *("pata " * 30 + one for one in bodies)]})
    )
    classes = one_class(len(texts))
    feed = _Shuffled(texts, 37)
    assert kernels.prepare()
    loaded = kernels.kernels_for(0)
    assert loaded is not None
    for cap in (1024, 3):
        found = containments_gathered(loaded, feed, 16, classes, cap)
        monkeypatch.setenv("HELDOUT_KERNELS", "off")
        wanted = containments(texts, 16, classes, cap)
        for name in ("short", "long", "position", "offset", "aligned"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
        assert found.capped == wanted.capped
        monkeypatch.setenv("HELDOUT_KERNELS", "on")
        assert len(found) > 100
        assert (found.position == 2).any()


class _Shuffled:
    """A feed that gives its texts in blocks out of order, each as narrow as it can be."""

    def __init__(self, texts: NormalisedTexts, size: int) -> None:
        self._texts, self._size, self.lengths = texts, size, texts.lengths

    def blocks(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, NormalisedTexts]]:
        for low in reversed(range(0, rows.size, self._size)):
            part = rows[low : low + self._size]
            yield part, normalise_batch([self._texts.text(int(row)) for row in part])

    def fetch(self, rows: np.ndarray) -> NormalisedTexts:
        return self._texts.take(rows)

    def bitmaps(self, rows: np.ndarray) -> np.ndarray:
        raise AssertionError("containment needs no bitmaps")
