"""The leakage method: everything that can change what a scan finds, under one id and one digest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from heldout.domain.canonical import digest
from heldout.domain.example import JSON


@dataclass(frozen=True)
class Method:
    """`minhash_lsh_v1`: character 5-grams, 64-permutation MinHash, 16 bands of 4 rows, exact Jaccard at 4/5.

    MinHash is Broder (1997), banding is Indyk and Motwani (1998); a pair of Jaccard similarity s becomes a candidate
    with probability 1-(1-s^4)^16, .99978 at .8, and every candidate is verified exactly. The permutations are
    datasketch's `affine32` scheme. A band bucket with more than `bucket_cap` distinct texts belongs to a family,
    whose pairs are not enumerated (docs/leakage.md, Families); `pair_cap` and `containment_cap` bound the findings that
    one pair of inputs, or one short text, may expand to. All are part of the digest: a record names its whole method.
    """

    id: str = "minhash_lsh_v1"
    bucket_cap: int = 256
    pair_cap: int = 1024
    containment_cap: int = 1024

    normaliser: ClassVar[str] = "unicode14-nfkc-lower-letters-digits"
    unicode: ClassVar[str] = "14.0.0"
    shingle: ClassVar[int] = 5
    shingle_hash: ClassVar[str] = "multiply-add-32+fmix32"
    permutation_scheme: ClassVar[str] = "affine32"
    permutations: ClassVar[int] = 64
    seed: ClassVar[int] = 1
    bands: ClassVar[int] = 16
    rows: ClassVar[int] = 4
    threshold: ClassVar[Fraction] = Fraction(4, 5)
    containment_min_length: ClassVar[int] = 16

    def parameters(self) -> dict[str, JSON]:
        return {
            "normaliser": self.normaliser,
            "unicode": self.unicode,
            "shingle": self.shingle,
            "shingle_hash": self.shingle_hash,
            "permutation_scheme": self.permutation_scheme,
            "permutations": self.permutations,
            "seed": self.seed,
            "bands": self.bands,
            "rows": self.rows,
            "threshold": f"{self.threshold.numerator}/{self.threshold.denominator}",
            "containment_min_length": self.containment_min_length,
            "bucket_cap": self.bucket_cap,
            "pair_cap": self.pair_cap,
            "containment_cap": self.containment_cap,
        }

    @cached_property
    def digest(self) -> str:
        return digest({"id": self.id, "parameters": self.parameters()})


DEFAULT_METHOD = Method()
