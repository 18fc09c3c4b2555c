"""MinHash over shingles of any kind: bands that propose candidates, and EvalLeak's own salted estimate."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import band_index, band_keys
from heldout.matching.grams import Grams
from heldout.matching.minhash import EMPTY, fmix32, permutations
from heldout.matching.ragged import blocks, offsets_of
from heldout.matching.set_join import Pairs, SetPairs, set_join
from heldout.matching.shingles import ShingleSets

_BLOCK = 1 << 16  # elements a step: its working arrays stay in the processor's second-level cache
_SEED = 1


def band_candidates(grams: Grams, *, bands: int, rows: int) -> Iterator[Pairs]:
    """Pairs of texts that agree in a whole band of minima, each once; those without shingles in none."""
    sets = grams.sets
    minima = _minima(sets, grams.hashes(), bands * rows)
    present = np.flatnonzero(sets.sizes)
    index = band_index(band_keys(minima, bands), present, cap=max(present.size, 1))
    return index.candidates()


def _minima(sets: ShingleSets, hashes: NDArray[np.uint32], count: int) -> NDArray[np.uint32]:
    """Signatures, shape (n, count), by the permutations of `heldout.matching.minhash`."""
    result = np.full((sets.sizes.size, count), EMPTY, np.uint32)
    a, b = permutations(count, _SEED)
    mixed = fmix32(hashes)
    for low, high in blocks(sets.sizes, _BLOCK):
        filled = low + np.flatnonzero(sets.sizes[low:high])
        if not filled.size:
            continue
        first = sets.offsets[low]
        values = mixed[sets.ranks[first : sets.offsets[high]]]
        for k in range(count):
            result[filled, k] = np.minimum.reduceat(values * a[k] + b[k], sets.offsets[filled] - first)
    return result


def salted_minima(grams: Grams, count: int, advance: Callable[[], None]) -> NDArray[np.uint64]:
    """EvalLeak's signatures, shape (texts with shingles, count): minima of sha256 salted with 0, 1, ... count - 1.

    Each hash is the first 8 bytes of sha256(`<number>:<shingle>`). The salt's form is not published, so the estimates
    have its distribution, not its digits. Every distinct shingle is hashed `count` times; `advance` is called after
    each number.
    """
    sets, shingles = grams.sets, list(grams.texts())
    starts = sets.offsets[:-1][sets.sizes > 0]
    result = np.empty((starts.size, count), np.uint64)
    for number in range(count):
        salted = hashlib.sha256(b"%d:" % number)
        digests = b"".join([_digest(salted, shingle) for shingle in shingles])
        values = np.frombuffer(digests, np.dtype(">u8")).astype(np.uint64)
        result[:, number] = np.minimum.reduceat(values[sets.ranks], starts) if starts.size else 0
        advance()
    return result


def estimated_pairs(
    grams: Grams, count: int, threshold: tuple[int, int], labels: NDArray[np.int64], advance: Callable[[], None]
) -> SetPairs:
    """Every pair whose share of equal minima reaches the threshold; `intersection` is their number, of `count`.

    No pair is left out and none is compared in vain: m equal minima of n are sets of n elements with the similarity
    m / (2n - m), so the exact join finds them at t / (2 - t).
    """
    filled = np.flatnonzero(grams.sets.sizes)
    minima = salted_minima(grams, count, advance)
    columns = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in minima.T]
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    ranks = np.stack([column + first for column, first in zip(columns, offsets_of(np.array(sizes)), strict=False)])
    offsets = np.arange(filled.size + 1, dtype=np.int64) * count
    sets = ShingleSets(filled, ranks.T.reshape(-1).astype(np.int64), offsets, sum(sizes))
    num, den = threshold
    found = set_join(sets, (num, 2 * den - num), labels[filled])
    return SetPairs(filled[found.a], filled[found.b], found.intersection, found.union)


def _digest(salted: hashlib._Hash, shingle: bytes) -> bytes:
    state = salted.copy()
    state.update(shingle)
    return state.digest()[:8]
