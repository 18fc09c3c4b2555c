"""What is kept of a text once it has been read: enough to propose pairs and to refuse most of them, and no text.

A block of texts can be sketched on its own, in any process, and dropped: each row depends on its own text only.
`heldout.matching.bands.band_index` joins the keys of all blocks, `Bounds` refuses candidates by the bitmaps, and
`heldout.matching.jaccard.verify` needs the texts of the survivors again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import band_keys
from heldout.matching.jaccard import Bounds, bitmaps
from heldout.matching.kernels import kernels_for
from heldout.matching.minhash import permutations, signatures
from heldout.matching.parameters import MINHASH_LSH_V1, NearParameters
from heldout.matching.shingles import shingle_counts
from heldout.matching.texts import NormalisedTexts


@dataclass(frozen=True, slots=True)
class Sketch:
    """n texts. `keys` (bands, n) uint64 are `heldout.matching.bands.band_keys`.

    `bitmaps` (n, 16) uint64 hold one bit a shingle and `sizes` (n) int64 the shingle positions, 0 for a text that says
    nothing: what `Bounds` is made of. `signatures` is (n, permutations) uint32, for a cache. 392 bytes a text, or 264
    without signatures.
    """

    signatures: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    bitmaps: NDArray[np.uint64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return self.sizes.size

    @property
    def present(self) -> NDArray[np.int64]:
        """Ascending indices of the texts that say something: the others are near nothing."""
        return np.flatnonzero(self.sizes)

    def bounds(self, threshold: tuple[int, int]) -> Bounds:
        return Bounds(np.arange(len(self), dtype=np.int64), self.bitmaps, self.sizes, threshold)


def sketch(
    texts: NormalisedTexts, parameters: NearParameters = MINHASH_LSH_V1, *, keep_signatures: bool = True
) -> Sketch:
    """Signatures, band keys, bitmaps and sizes of a block of texts, in one pass over its code points."""
    kernels = kernels_for(texts.codepoints.size) if parameters.permutations % 4 == 0 else None
    if kernels is not None:
        from heldout.matching.kernels.on_texts import sketched

        a, b = permutations(parameters.permutations, parameters.seed)
        return Sketch(
            *sketched(kernels, texts, a, b, parameters.bands, keep=keep_signatures), sizes=shingle_counts(texts)
        )
    marks = signatures(texts, count=parameters.permutations, seed=parameters.seed)
    kept = marks if keep_signatures else marks[:0]
    return Sketch(kept, band_keys(marks, parameters.bands), bitmaps(texts), shingle_counts(texts))


def stacked(parts: Sequence[Sketch]) -> Sketch:
    """The sketches of consecutive blocks as one."""
    return Sketch(
        np.concatenate([part.signatures for part in parts]),
        np.concatenate([part.keys for part in parts], axis=1),
        np.concatenate([part.bitmaps for part in parts]),
        np.concatenate([part.sizes for part in parts]),
    )
