"""Minimisers: a fifth of a text's places, chosen by content, so that two texts that share a piece share a place.

After Schleimer, Wilkerson and Aiken (2003), winnowing. A gram is half of the guard length; of every run of grams that
fills one window of the guard length, the one with the smallest hash is chosen, and every one where several are the
smallest. Which grams of a window are chosen depends on the window alone, so whatever is chosen in a text is chosen
wherever that text stands inside another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.rolling import rolling_hash
from heldout.matching.shingles import mix64
from heldout.matching.texts import NormalisedTexts

_BLOCK = 1 << 20  # code points hashed at a time


@dataclass(frozen=True, slots=True)
class Minimisers:
    """Chosen grams of some texts in the order of the texts: `hashes` uint64, `places` flat positions of their first
    code point, `owners` the indices of their texts. A text shorter than the guard has none."""

    hashes: NDArray[np.uint64]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]


def minimisers(texts: NormalisedTexts, window: int) -> Minimisers:
    """The minimisers of every window of `window` code points that lies in one text."""
    if window < 1:
        raise ValueError("a window of no characters holds nothing")
    parts = [(np.zeros(0, np.uint64), np.zeros(0, np.int64))]
    for low, high in texts.blocks(_BLOCK):
        hashes, places = _chosen(texts.part(low, high), window)
        parts.append((hashes, places + texts.offsets[low]))
    hashes = np.concatenate([part for part, _ in parts])
    places = np.concatenate([part for _, part in parts])
    return Minimisers(hashes, places, np.searchsorted(texts.offsets, places, side="right") - 1)


def _chosen(texts: NormalisedTexts, window: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    gram = max(1, window // 2)
    run = window - gram + 1
    if texts.codepoints.size < window:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    # Mixed, for sums of products order their values by the last characters; never 0, which marks no window below.
    hashes = mix64(rolling_hash(texts.codepoints).windows(gram)) | np.uint64(1)
    lowest = _sliding(hashes, run, np.minimum)
    lowest[_crossing(texts, window, lowest.size)] = 0
    padding = np.zeros(run - 1, np.uint64)
    highest = _sliding(np.concatenate([padding, lowest, padding]), run, np.maximum)
    places = np.flatnonzero(highest == hashes)
    return hashes[places], places


def _crossing(texts: NormalisedTexts, window: int, count: int) -> NDArray[np.bool_]:
    """Which of the windows do not lie in one text."""
    crossing = np.ones(count, np.bool_)
    reach = np.zeros(count + 1, np.int64)
    long = np.flatnonzero(texts.lengths >= window)
    np.add.at(reach, texts.offsets[long], 1)
    np.add.at(reach, np.minimum(texts.offsets[long + 1] - window + 1, count), -1)
    crossing[np.cumsum(reach[:-1]) > 0] = False
    return crossing


def _sliding(values: NDArray[np.uint64], width: int, extreme: np.ufunc) -> NDArray[np.uint64]:
    """The extreme of every `width` consecutive values, by doubling: log2(width) passes."""
    result, reach = values, 1
    while reach < width:
        step = min(reach, width - reach)
        result = extreme(result[: result.size - step], result[step:])
        reach += step
    return result.copy() if result is values else result
