"""A method as the matching layer wants it: which pairs are near."""

from __future__ import annotations

from heldout.domain.method import Method
from heldout.matching.near import NearParameters


def near_parameters(method: Method) -> NearParameters:
    return NearParameters(
        permutations=method.permutations,
        seed=method.seed,
        bands=method.bands,
        rows=method.rows,
        shingle=method.shingle,
        threshold=(method.threshold.numerator, method.threshold.denominator),
        bucket_cap=method.bucket_cap,
    )
