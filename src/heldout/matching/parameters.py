"""What decides which texts are near."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.matching.shingles import SHINGLE


@dataclass(frozen=True, slots=True)
class NearParameters:
    """What decides which pairs are near; the defaults are `minhash_lsh_v1`.

    `threshold` is num/den of the exact Jaccard similarity, inclusive. A band bucket with more than `bucket_cap` texts
    makes a family (`heldout.matching.families`).
    """

    permutations: int = 64
    seed: int = 1
    bands: int = 16
    rows: int = 4
    shingle: int = SHINGLE
    threshold: tuple[int, int] = (4, 5)
    bucket_cap: int = 256

    def __post_init__(self) -> None:
        if self.bands * self.rows != self.permutations:
            raise ValueError(f"{self.bands} bands of {self.rows} rows need {self.bands * self.rows} permutations")
        if self.shingle != SHINGLE:
            raise ValueError(f"the shingle hash is defined for {SHINGLE} characters, not {self.shingle}")


MINHASH_LSH_V1 = NearParameters()
