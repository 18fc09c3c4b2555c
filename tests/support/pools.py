"""Pools of distinct texts from real examples, and the brute-force answers small pools are held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from heldout.domain.canonical import digest
from heldout.domain.text import text_of
from heldout.matching.classes import Classes
from heldout.matching.texts import NormalisedTexts, normalise_batch

Member = tuple[str, str, str]
"""(set, split, id) of one example."""


class Pool:
    """Distinct inputs in the order of their digests, with the examples that hold each; one class a (set, split)."""

    def __init__(self, sets: dict[str, list[dict[str, Any]]]) -> None:
        members: dict[str, list[Member]] = defaultdict(list)
        inputs: dict[str, Any] = {}
        for name, rows in sets.items():
            for row in rows:
                key = digest(row["input"])
                inputs[key] = row["input"]
                members[key].append((name, row["split"], row["id"]))
        order = sorted(inputs)
        self.members = [members[key] for key in order]
        self.texts = normalise_batch([text_of(inputs[key]) for key in order])
        self.classes = classes_of([{member[:2] for member in group} for group in self.members])

    def expand(self, a: int, b: int) -> Iterator[tuple[Member, Member]]:
        for left in self.members[a]:
            for right in self.members[b]:
                yield left, right


def classes_of(names: Sequence[set[Any]]) -> Classes:
    number = {name: index for index, name in enumerate(sorted(set().union(*names)))}
    ids = [number[name] for group in names for name in sorted(group)]
    counts = [len(group) for group in names]
    return Classes(np.array(ids, np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def one_class(count: int) -> Classes:
    return classes_of([{0}] * count)


def shingles(text: str) -> set[str]:
    """Character 5-grams as Python strings: the definition, for the oracle."""
    return {text[i : i + 5] for i in range(len(text) - 4)} or ({text} if text else set())


def brute_near(texts: NormalisedTexts) -> dict[tuple[int, int], tuple[int, int]]:
    """{(a, b): (intersection, union)} of every pair at 4/5 or above."""
    sets = [shingles(texts.text(i)) for i in range(len(texts))]
    found = {}
    for a, b in combinations(range(len(texts)), 2):
        both, either = len(sets[a] & sets[b]), len(sets[a] | sets[b])
        if either and Fraction(both, either) >= Fraction(4, 5):
            found[a, b] = (both, either)
    return found
