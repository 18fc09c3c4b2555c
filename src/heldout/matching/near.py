"""Near pairs of a pool of texts: bands propose, bounds refuse, exact sets decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import BandIndex, band_index, band_keys
from heldout.matching.classes import Classes
from heldout.matching.families import family_pairs
from heldout.matching.jaccard import Bounds, bounds, verify
from heldout.matching.kernels import kernels_for
from heldout.matching.parameters import NearParameters
from heldout.matching.texts import NormalisedTexts

__all__ = ["NearPairs", "NearParameters", "near_pairs"]


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Verified pairs of text indices, a < b, sorted by (a, b), all int64 and of one length.

    `intersection` and `union` are sizes of the shingle sets. `capped` marks pairs inside a family, where one
    partner a text and class stands for all (`heldout.matching.families`); `capped_buckets` counts the buckets above
    the cap.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    intersection: NDArray[np.int64]
    union: NDArray[np.int64]
    capped: NDArray[np.bool_]
    capped_buckets: int

    def __len__(self) -> int:
        return self.a.size


def near_pairs(
    texts: NormalisedTexts, signatures: NDArray[np.uint32], parameters: NearParameters, classes: Classes
) -> NearPairs:
    """Every candidate pair of the pool whose exact Jaccard similarity reaches the threshold.

    `signatures` (n, permutations) come from `heldout.matching.minhash.signatures` or a cache of it; texts are in the
    order of their input digests. A pair at similarity s is a candidate with probability 1-(1-s^rows)^bands. Texts that
    normalise to nothing have no shingles and are near nothing.
    """
    present = np.flatnonzero(texts.lengths)
    index = band_index(band_keys(signatures, parameters.bands), present, cap=parameters.bucket_cap)
    limits = bounds(texts, index.grouped(), parameters.threshold)
    proposed = proposals(index, limits)
    verified = verify(texts, proposed[0], proposed[1], parameters.threshold)
    listed = np.concatenate([proposed[:, verified.places], [verified.intersection, verified.union]])
    partners = family_pairs(texts, index, limits, classes)
    pairs = np.concatenate([listed, partners], axis=1)
    order = np.lexsort((pairs[1], pairs[0]))
    a, b, intersection, union = pairs[:, order]
    return NearPairs(a, b, intersection, union, order >= listed.shape[1], index.capped_buckets)


def proposals(index: BandIndex, limits: Bounds) -> NDArray[np.int64]:
    """Candidates outside families that the bounds admit, as rows (a, b), each pair once."""
    kept = [np.zeros((2, 0), np.int64)]
    kernels = kernels_for(0)
    if kernels is not None:
        from heldout.matching.kernels.on_pairs import candidates

        opened = [index.opened(band) for band in index.bands]
        marks, counts = limits.spread(index.keys.shape[1])
        kept.extend(np.stack(pair) for pair in candidates(kernels, index, opened, marks, counts, limits.threshold))
    else:
        for a, b in index.candidates():
            possible = limits.admits(a, b)
            kept.append(np.stack([a[possible], b[possible]]))
    return np.concatenate(kept, axis=1)
