"""EvalLeak's job by brute force: every pair of records, Python sets and `in`. Shares no code with the package."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Row = tuple[str, str, str]
"""split, id, text"""

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def canonical(text: str, steps: frozenset[str] = frozenset({"whitespace", "case", "punctuation"})) -> str:
    """The steps one by one, as they are described."""
    text = re.sub("\r\n|\r", "\n", text)
    if "case" in steps:
        text = text.lower()
    if "punctuation" in steps:
        text = "".join(character for character in text if character not in PUNCTUATION)
    if "whitespace" in steps:
        text = re.sub(r"[\s\x1c-\x1f\x85]+", " ", text).strip(" ")
    return text


def chars(text: str, k: int) -> frozenset[str]:
    if not text:
        return frozenset()
    return frozenset(text[start : start + k] for start in range(max(len(text) - k + 1, 1)))


def words(text: str, k: int) -> frozenset[tuple[str, ...]]:
    row = text.split()
    if not row:
        return frozenset()
    return frozenset(tuple(row[start : start + k]) for start in range(max(len(row) - k + 1, 1)))


def jaccard(a: frozenset[object], b: frozenset[object]) -> Fraction:
    return Fraction(len(a & b), len(a | b)) if a and b else Fraction(0)


@dataclass
class Answer:
    """Findings by the two records' (split, id); symmetric ones as frozensets."""

    exact: set[frozenset[tuple[str, str]]] = field(default_factory=set)
    near: dict[frozenset[tuple[str, str]], Fraction] = field(default_factory=dict)
    contained: dict[tuple[tuple[str, str], tuple[str, str]], str] = field(default_factory=dict)
    intra: set[frozenset[tuple[str, str]]] = field(default_factory=set)

    def rates(self, rows: Sequence[Row]) -> dict[tuple[str, str], tuple[int, int]]:
        splits = sorted({split for split, _, _ in rows})
        pairs = [tuple(pair) for pair in [*self.exact, *self.near, *self.contained]]
        touched: dict[tuple[str, str], set[tuple[str, str]]] = {
            pair: set() for pair in itertools.permutations(splits, 2)
        }
        for a, b in pairs:
            touched[a[0], b[0]].add(b)
            touched[b[0], a[0]].add(a)
        return {key: (len(found), sum(row[0] == key[1] for row in rows)) for key, found in touched.items()}

    def total(self) -> int:
        return len({side for pair in [*self.exact, *self.near, *self.contained, *self.intra] for side in pair})


def brute_force(
    rows: Sequence[Row],
    *,
    k: int = 5,
    threshold: Fraction = Fraction(3, 5),
    min_length: int = 16,
    shingles: Callable[[str, int], frozenset[object]] = chars,  # type: ignore[assignment]
    steps: frozenset[str] = frozenset({"whitespace", "case", "punctuation"}),
) -> Answer:
    answer = Answer()
    records = [((split, name), canonical(text, steps)) for split, name, text in rows]
    for (a, first), (b, second) in itertools.combinations(records, 2):
        pair = frozenset((a, b))
        if first == second:
            (answer.intra if a[0] == b[0] else answer.exact).add(pair)
        elif a[0] != b[0]:
            similarity = jaccard(shingles(first, k), shingles(second, k))
            if similarity >= threshold:
                answer.near[pair] = similarity
            for short, long in (((a, first), (b, second)), ((b, second), (a, first))):
                if len(short[1]) >= min_length and short[1] in long[1]:
                    prefix, suffix = long[1].startswith(short[1]), long[1].endswith(short[1])
                    answer.contained[short[0], long[0]] = "prefix" if prefix else "suffix" if suffix else "interior"
    return answer
