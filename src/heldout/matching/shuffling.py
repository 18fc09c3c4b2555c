"""Permutations that stay the same for ever: numpy's legacy generator, whose stream NEP 19 froze."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def permutations(seed: int) -> Callable[[int], Sequence[int]]:
    """Permutations of 0 .. n - 1, one a call, as scikit-learn draws them from the same seed (0 to 2**32 - 1)."""
    generator = np.random.RandomState(seed)
    return lambda size: [int(place) for place in generator.permutation(size)]
