"""Code points in the narrowest type that holds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CodePoint = np.uint8 | np.uint16 | np.uint32


def narrowest(points: NDArray[np.uint32]) -> NDArray[CodePoint]:
    """The code points in the narrowest type that holds them all."""
    top = int(points.max(initial=0))
    return points.astype(np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32, copy=False)
