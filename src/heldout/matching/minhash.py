"""MinHash signatures, bit for bit those of datasketch 2.x with scheme affine32.

The reference is `datasketch.MinHash(num_perm=..., seed=..., scheme="affine32", hashfunc=int)` updated with the values
of `heldout.matching.shingles.shingle_hashes`. That library stays the oracle of the tests and is not needed at run time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heldout.matching.kernels import kernels_for
from heldout.matching.shingles import shingle_hashes
from heldout.matching.texts import NormalisedTexts

EMPTY = np.uint32(0xFFFFFFFF)
"""Every position of the signature of a text without shingles."""

_BLOCK = 1 << 16  # code points a step: its working arrays stay in the processor's second-level cache


def permutations(count: int, seed: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The maps h -> a*h + b modulo 2^32, as (a, b) of shape (count,); `a` is odd, so each map is a bijection.

    The legacy Mersenne Twister stream of NumPy is frozen by NumPy's policy (NEP 19), so the numbers never move.
    """
    stream = np.random.RandomState(seed)
    a = stream.randint(0, 1 << 31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    b = stream.randint(0, 1 << 32, count, dtype=np.uint32)
    return a, b


def fmix32(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """MurmurHash3's 32-bit finaliser, which affine32 applies to every hash before its permutations."""
    mixed = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> np.uint32(16))


def signatures(texts: NormalisedTexts, *, count: int = 64, seed: int = 1) -> NDArray[np.uint32]:
    """One signature a text, shape (n, count). Each depends on its own text only, so rows may come from a cache."""
    a, b = permutations(count, seed)
    kernels = kernels_for(texts.codepoints.size) if count % 4 == 0 else None
    if kernels is not None:
        from heldout.matching.kernels import on_texts

        return on_texts.signatures(kernels, texts, a, b)
    result = np.full((len(texts), count), EMPTY, np.uint32)
    for low, high in texts.blocks(_BLOCK):
        hashes, offsets = shingle_hashes(texts.part(low, high))
        filled = np.flatnonzero(np.diff(offsets))
        if not filled.size:
            continue
        mixed, starts = fmix32(hashes), offsets[filled]
        values = np.empty_like(mixed)
        minima = np.empty((count, filled.size), np.uint32)
        for k in range(count):
            np.multiply(mixed, a[k], out=values)
            np.add(values, b[k], out=values)
            np.minimum.reduceat(values, starts, out=minima[k])
        result[low + filled] = minima.T
    return result
