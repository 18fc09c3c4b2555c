"""Families: texts in buckets too large to enumerate, resolved to one partner a text and class.

A template filled in 10,000 times makes 50 million near pairs that say one thing. A family is what capped buckets hold
together: texts connected by buckets of more than the cap. Its pairs are not listed. For each text x of it and each
class c the partner is the text of lowest index, other than x, that has class c, is of the family and is near x by exact
similarity; bands decide who is of the family and nothing after that. So a text has a partner in a class exactly when
one exists in the family, every reported pair is a verified one and never a chain of others, and the result depends on
nothing but the texts, their classes and the cap.

Cost: candidates y are tried in index order against the texts that still lack a partner in a class of y. In a real
family the first texts of each class resolve nearly everything at once, which makes it linear in the family's size.
A family of m texts that are not near is m*m bitmap tests in numpy (a few seconds for 10,000), with exact verification
only where the bitmaps admit it. Once that would take long, the kernels compare only texts that share a part of their
sets. Memory is linear in the family times its classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heldout.matching.bands import BandIndex
from heldout.matching.classes import Classes
from heldout.matching.jaccard import Bounds, reaches, shared_with_one
from heldout.matching.kernels import kernels_for
from heldout.matching.shingles import ShingleSets, shingle_sets
from heldout.matching.texts import NormalisedTexts

if TYPE_CHECKING:
    from heldout.matching.kernels.loader import Kernels


def family_pairs(texts: NormalisedTexts, index: BandIndex, bounds: Bounds, classes: Classes) -> NDArray[np.int64]:
    """The partner pairs of all families as rows (a, b, intersection, union), shape (4, pairs); a < b, each once."""
    found = [np.zeros((4, 0), np.int64)]
    for members in families(index):
        kernels = kernels_for(int(texts.lengths[members].sum()))
        if kernels is not None:
            found.append(_compiled(kernels, texts, members, bounds, classes))
        else:
            found.extend(_Family(texts, members, bounds, classes).partners())
    pairs = np.concatenate(found, axis=1)
    _, first = np.unique(pairs[0] * len(texts) + pairs[1], return_index=True)
    return pairs[:, first]


def families(index: BandIndex) -> list[NDArray[np.int64]]:
    """Each family's members as ascending text indices."""
    involved = np.flatnonzero(index.family >= 0)
    order = involved[np.argsort(index.family[involved], kind="stable")]
    cuts = np.flatnonzero(np.diff(index.family[order])) + 1
    return [part for part in np.split(order, cuts) if part.size]


def _compiled(
    kernels: Kernels, texts: NormalisedTexts, members: NDArray[np.int64], bounds: Bounds, classes: Classes
) -> NDArray[np.int64]:
    from heldout.matching.kernels.on_families import family

    marks = bounds.only(members).bitmaps
    own = texts if members.size == len(texts) else texts.take(members)
    x, y, shared, total = family(kernels, own, classes.matrix(members), marks, bounds.threshold)
    one, other = members[x], members[y]
    return np.stack([np.minimum(one, other), np.maximum(one, other), shared, total])


class _Family:
    """One family while it is resolved; texts are named by their position among its members."""

    def __init__(self, texts: NormalisedTexts, members: NDArray[np.int64], bounds: Bounds, classes: Classes) -> None:
        self.members = members
        self.bounds = bounds.only(members)
        self.columns = classes.matrix(members)
        self.sets: ShingleSets = shingle_sets(texts, members)
        self.marks = np.zeros(self.sets.universe, np.bool_)

    def partners(self) -> Iterator[NDArray[np.int64]]:
        """Rows of pairs as in `family_pairs`; a pair comes twice when each is the other's partner."""
        count = self.members.size
        open_texts = [np.arange(count, dtype=np.int64) for _ in range(self.columns.shape[1])]
        resolved = np.zeros(count, np.bool_)
        for y in range(count):
            columns = np.flatnonzero(self.columns[y]).tolist()
            waiting = [open_texts[column] for column in columns]
            if not waiting:
                continue
            tried = waiting[0] if len(waiting) == 1 else np.unique(np.concatenate(waiting))
            near, shared, total = self._near(y, tried)
            if not near.size:
                continue
            resolved[near] = True
            for column in columns:
                open_texts[column] = open_texts[column][~resolved[open_texts[column]]]
            resolved[near] = False
            one, others = self.members[y], self.members[near]
            yield np.stack([np.minimum(one, others), np.maximum(one, others), shared, total])

    def _near(self, y: int, tried: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which of the texts are near y, with sizes of intersection and union: shape (3, near texts)."""
        tried = tried[tried != y]
        tried = tried[self.bounds.admits_one(y, tried)]
        intersection = shared_with_one(self.sets, y, tried, self.marks)
        union = self.sets.sizes[tried] + self.sets.sizes[y] - intersection
        return np.stack([tried, intersection, union])[:, reaches(intersection, union, self.bounds.threshold)]
