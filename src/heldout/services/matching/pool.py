"""Matching one pool: its distinct texts become links between inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from heldout.domain.finding import Span
from heldout.domain.method import Method
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.matching.classes import Classes
from heldout.matching.containment import POSITIONS, Containments, containments
from heldout.matching.containment_gathered import containments_gathered
from heldout.matching.containment_streamed import containments_streamed
from heldout.matching.feed import pair_groups
from heldout.matching.kernels import kernels_for
from heldout.matching.near import NearPairs
from heldout.matching.near_streamed import near_pairs_streamed
from heldout.matching.spans import longest_shared_span
from heldout.services.matching.feed import PoolTexts
from heldout.services.matching.near_method import near_parameters
from heldout.services.matching.rows import PoolRows
from heldout.services.matching.texts import SignatureStore, TextStore
from heldout.services.matching.warm import remember, taken_over
from heldout.services.progress import SILENT, Progress

__all__ = ["Links", "SignatureStore", "match"]

_HASHES = 16  # bytes a code point that looking for containments takes where all texts are in memory
_COMPILED = 3  # and with compiled kernels: a copy, which need not be wider than UTF-8, and one window in eight


@dataclass(frozen=True)
class Links:
    """Everything found between the distinct inputs of one pool, whichever of its versions is the scanned one.

    Indices are those of `inputs`, distinct ordinals in the order of their digests. An input without text (a payload
    kept outside, or only punctuation) has length 0 in `texts`. `known` are spans that need no text to be read.
    """

    texts: PoolTexts
    pairs: NearPairs
    inside: Containments
    known: dict[tuple[int, int], Span] = field(default_factory=dict)

    @property
    def capped_buckets(self) -> int:
        return self.pairs.capped_buckets

    @property
    def capped_containments(self) -> int:
        return self.inside.capped

    @cached_property
    def linked(self) -> NDArray[np.int64]:
        """Both ends of every link, shape (2, links)."""
        ends = [np.stack([self.pairs.a, self.pairs.b]), np.stack([self.inside.short, self.inside.long])]
        return np.concatenate(ends, axis=1)

    def near(self, place: NDArray[np.int64]) -> Iterator[NearLink]:
        """Near links by the places of their inputs; those with an end at -1 are left out."""
        a, b = place[self.pairs.a], place[self.pairs.b]
        kept = np.flatnonzero((a >= 0) & (b >= 0))
        columns = (a, b, self.pairs.intersection, self.pairs.union, self.pairs.capped)
        for first, second, both, either, capped in zip(*(column[kept].tolist() for column in columns), strict=True):
            yield NearLink(first, second, Fraction(both, either), capped)

    def contained(self, place: NDArray[np.int64]) -> Iterator[ContainmentLink]:
        """Containments by the places of their inputs; those with an end at -1 are left out."""
        short, long = place[self.inside.short], place[self.inside.long]
        kept = np.flatnonzero((short >= 0) & (long >= 0))
        columns = (short, long, self.inside.position, self.inside.offset, self.inside.aligned)
        for first, second, position, offset, aligned in zip(
            *(column[kept].tolist() for column in columns), strict=True
        ):
            yield ContainmentLink(first, second, POSITIONS[position], offset, aligned)

    def spans(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Span]:
        """The longest text that the two inputs of each pair share literally."""
        first, second = np.array([pair for pair in pairs if pair not in self.known], np.int64).reshape(-1, 2).T
        for group in pair_groups(self.texts.lengths, first, second, self.texts.store.limit.work // 8):
            rows = np.unique(np.concatenate([first[group], second[group]]))
            texts = self.texts.fetch(rows)
            for a, b in zip(first[group].tolist(), second[group].tolist(), strict=True):
                span = longest_shared_span(*(texts.text(int(np.searchsorted(rows, end))) for end in (a, b)))
                self.known[a, b] = Span(span.start_a, span.start_b, span.length)
        return {pair: self.known[pair] for pair in pairs}


def match(rows: PoolRows, store: TextStore, method: Method, progress: Progress = SILENT) -> Links:
    """Near pairs and containments of a pool.

    The result depends on the pool's versions and the method only: not on which version is scanned, nor on how much
    memory the store may take.
    """
    progress.stage(f"comparing {rows.inputs.size:,} distinct inputs")
    store.save()
    if store.spilled and (told := store.limit.beyond(rows.inputs.size)):
        progress.note(told)
    texts = PoolTexts.of(store, rows.inputs, rows.inline)

    def near(part: PoolTexts, classes: Classes) -> NearPairs:
        return near_pairs_streamed(part, part.keys(), near_parameters(method), classes, store.limit.work)

    def inside(part: PoolTexts, classes: Classes) -> Containments:
        return _contained(part, classes, method)

    taken = taken_over(texts, store.index.digests()[rows.inputs], method, (near, inside), rows.classes)
    if taken is not None:
        return Links(texts, taken.pairs, taken.inside, taken.spans)
    store.settle()
    classes = rows.classes()
    return Links(texts, near(texts, classes), inside(texts, classes))


def keep(rows: PoolRows, links: Links, method: Method) -> None:
    """Remember the links, and the spans that were asked for, where the store of the texts has a memory for them."""
    store = links.texts.store
    remember(links.texts, store.index.digests()[rows.inputs], method, (links.pairs, links.inside), links.known)


def _contained(texts: PoolTexts, classes: Classes, method: Method) -> Containments:
    """By the whole array where it fits, else while the texts stream by."""
    store, length, size = texts.store, method.containment_min_length, int(texts.lengths.sum())
    kernels = kernels_for(size)
    if not store.spilled and size * (_COMPILED if kernels else _HASHES) <= store.limit.work:
        if kernels:
            return containments_gathered(kernels, texts, length, classes, method.containment_cap)
        every = texts.fetch(np.arange(texts.lengths.size))
        return containments(every, length, classes, method.containment_cap)
    counts = store.counts
    if counts is None:
        counts = store.window_counts()
        for _, block in texts.blocks(np.flatnonzero(texts.lengths >= length)):
            counts.add(block)
    return containments_streamed(texts, counts, classes, method.containment_cap, store.limit.work)
