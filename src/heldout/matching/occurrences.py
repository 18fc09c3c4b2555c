"""Where one text stands in another: literal comparison, the occurrence to report, and whether it fills whole words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heldout.matching.ragged import blocks, segments
from heldout.matching.texts import NormalisedTexts

_BLOCK = 1 << 20  # code points compared at a time
_SPACE = 32
_GLANCE = 8


def stands(
    shorts: NormalisedTexts,
    short: NDArray[np.int64],
    longs: NormalisedTexts,
    start: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Of the places where text short[i] may stand at the flat position start[i] of `longs`, those where it does.

    A few code points spread over the text refuse nearly all others before whole texts are compared.
    """
    own, lengths = shorts.offsets[short], shorts.lengths[short]
    likely = np.arange(short.size, dtype=np.int64)
    for step in range(_GLANCE):
        shift = (lengths[likely] - 1) * step // (_GLANCE - 1)
        same = shorts.codepoints[own[likely] + shift] == longs.codepoints[start[likely] + shift]
        likely = likely[same]
    kept = [np.zeros(0, np.int64)]
    for low, high in blocks(lengths[likely], _BLOCK):
        rows = likely[low:high]
        counts = lengths[rows]
        theirs = longs.codepoints[segments(start[rows], counts)]
        equal = theirs == shorts.codepoints[segments(own[rows], counts)]
        kept.append(rows[np.logical_and.reduceat(equal, np.cumsum(counts) - counts)])
    return np.concatenate(kept)


def preferred(
    short: NDArray[np.int64],
    long: NDArray[np.int64],
    offset: NDArray[np.int64],
    short_lengths: NDArray[np.int64],
    long_lengths: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """One occurrence of every pair (short, long), as (positions in the arguments, position codes), sorted by pair.

    The prefix if there is one, else the suffix, else the first inside (`heldout.matching.containment.POSITIONS`).
    """
    ends = offset + short_lengths == long_lengths
    position = np.where(offset == 0, 0, np.where(ends, 1, 2)).astype(np.uint8)
    order = np.lexsort((offset, position, long, short))
    first = np.ones(order.size, np.bool_)
    a, b = short[order], long[order]
    first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    chosen = order[first]
    return chosen, position[chosen]


def word_aligned(
    longs: NormalisedTexts, long: NDArray[np.int64], offset: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the piece of `lengths` code points at `offset` of each long text starts and ends at a word's edge."""
    start = longs.offsets[long] + offset
    end = start + lengths
    last = max(longs.codepoints.size - 1, 0)
    opens = (offset == 0) | (longs.codepoints[np.maximum(start - 1, 0)] == _SPACE)
    closes = (end == longs.offsets[long + 1]) | (longs.codepoints[np.minimum(end, last)] == _SPACE)
    aligned: NDArray[np.bool_] = opens & closes
    return aligned
