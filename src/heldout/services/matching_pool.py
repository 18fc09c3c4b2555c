"""Matching one pool: its distinct texts become links between inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.domain.finding import Span
from heldout.domain.method import Method
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.domain.pool import Pool
from heldout.matching.classes import Classes
from heldout.matching.containment import POSITIONS, Containments, containments
from heldout.matching.minhash import EMPTY, signatures
from heldout.matching.near import NearPairs, NearParameters, near_pairs
from heldout.matching.ragged import offsets_of
from heldout.matching.spans import longest_shared_span
from heldout.matching.texts import NormalisedTexts, normalise_batch
from heldout.services.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class Links:
    """Everything found between the distinct inputs of one pool, whichever of its versions is the scanned one.

    Indices are the pool's. `texts` are the normalised ones: an input without text (a payload kept outside, or only
    punctuation) has length 0 there.
    """

    texts: NormalisedTexts
    near: tuple[NearLink, ...]
    contained: tuple[ContainmentLink, ...]
    capped_buckets: int
    capped_containments: int

    def span(self, first: int, second: int) -> Span:
        """The longest text that two inputs share literally."""
        span = longest_shared_span(self.texts.text(first), self.texts.text(second))
        return Span(span.start_a, span.start_b, span.length)

    def has_text(self, position: int) -> bool:
        return bool(self.texts.offsets[position + 1] > self.texts.offsets[position])


class SignatureStore(Protocol):
    """Signatures of one method by input digest; `find` also says which of the asked it has."""

    def find(self, inputs: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]: ...

    def add(self, inputs: Sequence[str], signatures: NDArray[np.uint32]) -> None: ...


def match(
    pool: Pool,
    texts: Mapping[str, str],
    method: Method,
    progress: Progress = SILENT,
    cache: SignatureStore | None = None,
) -> Links:
    """Near pairs and containments of a pool. `texts` maps input digests to texts; an absent one has none here.

    The result depends on the pool's versions and the method only, not on which version is scanned, nor on `cache`.
    """
    progress.stage(f"comparing {len(pool.inputs):,} distinct inputs")
    normalised = normalise_batch([texts.get(digest, "") for digest in pool.inputs])
    classes = _classes(pool)
    threshold = (method.threshold.numerator, method.threshold.denominator)
    parameters = NearParameters(
        permutations=method.permutations,
        seed=method.seed,
        bands=method.bands,
        rows=method.rows,
        shingle=method.shingle,
        threshold=threshold,
        bucket_cap=method.bucket_cap,
    )
    rows = _signatures(pool.inputs, normalised, texts, method, cache)
    near = near_pairs(normalised, rows, parameters, classes)
    inside = containments(normalised, method.containment_min_length, classes, method.containment_cap)
    return Links(
        texts=normalised,
        near=_near_links(near),
        contained=_containment_links(inside),
        capped_buckets=near.capped_buckets,
        capped_containments=inside.capped,
    )


def _near_links(near: NearPairs) -> tuple[NearLink, ...]:
    columns = (_ints(near.a), _ints(near.b), _ints(near.intersection), _ints(near.union), near.capped.tolist())
    return tuple(
        NearLink(a, b, Fraction(intersection, union), capped)
        for a, b, intersection, union, capped in zip(*columns, strict=True)
    )


def _containment_links(inside: Containments) -> tuple[ContainmentLink, ...]:
    columns = (_ints(inside.short), _ints(inside.long), inside.position.tolist(), _ints(inside.offset))
    return tuple(
        ContainmentLink(short, long, POSITIONS[position], offset, aligned)
        for short, long, position, offset, aligned in zip(*columns, inside.aligned.tolist(), strict=True)
    )


def _signatures(
    inputs: Sequence[str],
    normalised: NormalisedTexts,
    texts: Mapping[str, str],
    method: Method,
    cache: SignatureStore | None,
) -> NDArray[np.uint32]:
    """Signatures of all inputs, of which only those not seen before are computed (B37).

    An input whose text is kept outside has the signature of no text, and none in the cache: its digest is the digest
    of that text, which another version may hold inline.
    """
    if cache is None:
        return signatures(normalised, count=method.permutations, seed=method.seed)
    result = np.full((len(inputs), method.permutations), EMPTY, np.uint32)
    readable = np.flatnonzero(np.fromiter((digest in texts for digest in inputs), np.bool_, len(inputs)))
    found, known = cache.find([inputs[row] for row in readable.tolist()])
    result[readable[known]] = found[known]
    fresh = readable[~known]
    result[fresh] = signatures(normalised.take(fresh), count=method.permutations, seed=method.seed)
    cache.add([inputs[row] for row in fresh.tolist()], result[fresh])
    return result


def _ints(values: NDArray[np.int64]) -> list[int]:
    result: list[int] = values.tolist()
    return result


def _classes(pool: Pool) -> Classes:
    """Numbers for the (dataset, split, version) groups, which do not depend on which version is scanned."""
    seen: dict[tuple[str, str, int], int] = {}
    flat: list[int] = []
    counts: list[int] = []
    for group in pool.occurrences:
        names = group[0].classes() if len(group) == 1 else {name for item in group for name in item.classes()}
        flat.extend([seen.setdefault(name, len(seen)) for name in names])
        counts.append(len(names))
    ranked = sorted((dataset, split, pool.sources[version]) for dataset, split, version in seen)
    rank = {name: position for position, name in enumerate(ranked)}
    number = np.array([rank[dataset, split, pool.sources[version]] for dataset, split, version in seen], np.int64)
    owners = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    ids = number[np.array(flat, np.int64)]
    return Classes(ids[np.lexsort((ids, owners))].astype(np.int32), offsets_of(np.array(counts, np.int64)))
