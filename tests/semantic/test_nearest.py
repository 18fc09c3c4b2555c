"""Exact nearest neighbours against a search by sorting, and the queue's order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.semantic import Candidate, queue
from heldout.matching import nearest as module
from heldout.matching.nearest import nearest


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 5), st.integers(1, 40), st.integers(0, 10**6))
def test_as_sorting_all_of_them(queries: int, others: int, top: int, block: int, seed: int) -> None:
    """Small whole numbers, so that equal cosines are common and exact."""
    chooser = np.random.default_rng(seed)
    a = chooser.integers(-2, 3, (queries, 3)).astype(np.float32)
    b = chooser.integers(-2, 3, (others, 3)).astype(np.float32)
    patched = pytest.MonkeyPatch()
    patched.setattr(module, "_BLOCK", block)
    try:
        found = list(zip(*(column.tolist() for column in nearest(a, b, top, 1.0)), strict=True))
    finally:
        patched.undo()
    expected = []
    for query in range(queries):
        ranked = sorted((-float(a[query] @ b[other]), other) for other in range(others))
        expected += [(query, other, -negative) for negative, other in ranked[:top] if -negative >= 1.0]
    assert found == expected


def test_the_queue_is_in_order_of_cosine_and_then_of_keys() -> None:
    def made(cosine: float, held: str, other: str) -> Candidate:
        return Candidate(("test", held), ("train", other), cosine, ("x", "y"))

    wanted = [made(0.9, "b", "a"), made(0.8, "a", "a"), made(0.8, "a", "b"), made(0.8, "b", "a")]
    assert list(queue(reversed(wanted))) == wanted
    assert {item.severity.value for item in wanted} == {"review"}
