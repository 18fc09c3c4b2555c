"""Label conflicts: the same or nearly the same input with two different expected outputs.

One of the two labels is wrong, or the input says too little: either way a model cannot be right about both. That is
for a person to look at (severity review), within a split as well as across two. It is no leak, so it changes no
verdict, and it is computed from the data when somebody asks: no record holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from heldout.domain.canonical import digest
from heldout.domain.deciding.review import Review, Reviews
from heldout.domain.finding import Finding, Kind, Severity, Side

KIND = Kind.LABEL_CONFLICT.value
SEVERITY = Severity.REVIEW


@dataclass(frozen=True, slots=True)
class Holder:
    """Some rows with one input in one split with one expected output: the first of them, and how many they are.

    `answer` numbers expected outputs: equal ones have one number.
    """

    split: str
    answer: int
    row: int
    rows: int


@dataclass(frozen=True, slots=True)
class SplitCount:
    """Pairs of examples with different expected outputs between two splits, in order of name, or inside one."""

    first: str
    second: str
    exact: int
    near: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """One example of a conflict. `place` says where it stands; `label` is its expected output as text, `example` the
    digest of all of it."""

    side: Side
    place: str
    label: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """`similarity` is 1 for equal inputs. `pairs` are the pairs of examples that it stands for."""

    a: Labelled
    b: Labelled
    similarity: Fraction
    exact: bool
    pairs: int

    @property
    def finding(self) -> Finding:
        return Finding(Kind.LABEL_CONFLICT, SEVERITY, self.a.side, self.b.side, similarity=self.similarity)

    @property
    def id(self) -> str:
        return self.finding.id

    @property
    def method(self) -> str:
        """What a decision is bound to beside both inputs: both examples as they are, so that another label is another
        conflict. Digests of labels alone would tell a held-out answer to whoever tries the few there are."""
        return digest({"id": KIND, "examples": [self.a.example, self.b.example]})

    def accepted(self, reviews: Reviews) -> Review | None:
        return reviews.acceptance(self.finding, self.method, contaminates=False)


@dataclass(frozen=True, slots=True)
class Conflicts:
    """`labels` counts pairs of examples by their two labels, in order. `at_least` says that families were cut short,
    so there may be more near pairs. `unlabelled` are examples without an expected output, which conflict with none.
    `accepted` are the decisions on those that people accepted, by id: they stand last in `found`. Only conflicts of a
    repository's dataset are up for `review`."""

    splits: tuple[SplitCount, ...]
    labels: Mapping[tuple[str, str], int]
    found: tuple[Conflict, ...]
    at_least: bool = False
    examples: int = 0
    unlabelled: int = 0
    accepted: Mapping[str, Review] = field(default_factory=dict)
    review: bool = False

    def decided(self, reviews: Reviews) -> Conflicts:
        """The same with what people accepted."""
        said = {item.id: review for item in self.found if (review := item.accepted(reviews)) is not None}
        order = sorted(self.found, key=lambda item: item.id in said)
        return replace(self, found=tuple(order), accepted=said, review=True)

    @property
    def exact(self) -> int:
        return sum(item.exact for item in self.splits)

    @property
    def near(self) -> int:
        return sum(item.near for item in self.splits)


@dataclass(slots=True)
class Tallied:
    """What links say before labels are read: (row, other row, similarity, exact, pairs), and counts."""

    splits: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    pairs: list[tuple[int, int, Fraction, bool, int]] = field(default_factory=list)

    def add(self, left: Sequence[Holder], right: Sequence[Holder], similarity: Fraction) -> None:
        """Rows of two inputs, which are the same one where `left` is `right`."""
        exact = left is right
        for position, x in enumerate(left):
            for y in left[position + 1 :] if exact else right:
                if x.answer == y.answer:
                    continue
                first, second = sorted((x.split, y.split))
                self.splits[first, second, exact] += x.rows * y.rows
                self.pairs.append((x.row, y.row, similarity, exact, x.rows * y.rows))

    def rows(self) -> set[int]:
        return {row for first, second, *_ in self.pairs for row in (first, second)}

    def counts(self) -> tuple[SplitCount, ...]:
        names = sorted({(first, second) for first, second, _ in self.splits})
        return tuple(SplitCount(*name, self.splits[*name, True], self.splits[*name, False]) for name in names)


def conflicts(
    tallied: Tallied, labelled: Callable[[int], Labelled], *, at_least: bool, examples: int, unlabelled: int
) -> Conflicts:
    found = [
        _conflict(labelled(x), labelled(y), similarity, exact, pairs)
        for x, y, similarity, exact, pairs in tallied.pairs
    ]
    labels: Counter[tuple[str, str]] = Counter()
    for item in found:
        first, second = sorted((item.a.label, item.b.label))
        labels[first, second] += item.pairs
    found.sort(key=lambda item: (not item.exact, -item.similarity, item.a.side.identity(), item.b.side.identity()))
    return Conflicts(tallied.counts(), dict(_most(labels.items())), tuple(found), at_least, examples, unlabelled)


def _conflict(x: Labelled, y: Labelled, similarity: Fraction, exact: bool, pairs: int) -> Conflict:
    a, b = sorted((x, y), key=lambda item: item.side.identity())
    return Conflict(a, b, similarity, exact, pairs)


def _most(items: Iterable[tuple[tuple[str, str], int]]) -> list[tuple[tuple[str, str], int]]:
    return sorted(items, key=lambda item: (-item[1], item[0]))
