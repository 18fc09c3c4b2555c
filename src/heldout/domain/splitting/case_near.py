"""Which development and held-out cases share enough words, without comparing every two of them.

Prefix filtering as in set-similarity joins (Chaudhuri et al., 2006): with words ordered from rare to common, two sets
whose Jaccard index reaches t share one of the first n - ceil(t * n) + 1 words of each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

from heldout.domain.splitting.case_words import NEAR


def near_pairs(left: Sequence[frozenset[str]], right: Sequence[frozenset[str]]) -> dict[tuple[int, int], Fraction]:
    """Exact similarities of at least `NEAR`, by positions. Empty sets are near to nothing."""
    counts = Counter(word for words in (*left, *right) for word in words)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for position, words in enumerate(right):
        for word in _prefix(words, counts):
            places[word].append(position)
    found = {}
    for position, words in enumerate(left):
        for other in {at for word in _prefix(words, counts) for at in places.get(word, ())}:
            shared = len(words & right[other])
            union = len(words) + len(right[other]) - shared
            if shared * NEAR.denominator >= union * NEAR.numerator:
                found[position, other] = Fraction(shared, union)
    return found


def _prefix(words: frozenset[str], counts: Counter[str]) -> list[str]:
    needed = -(-len(words) * NEAR.numerator // NEAR.denominator)
    return sorted(words, key=lambda word: (counts[word], word))[: len(words) - needed + 1] if words else []
