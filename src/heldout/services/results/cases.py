"""The cases that a run is about, and what the dataset says of each: metadata, what is relevant, slices of its own.

A case is an example of the dataset version, known by split and key. Without a dataset the cases are those that the
run's rows name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heldout.domain.example import JSON, Example
from heldout.domain.members import Member
from heldout.domain.results.declared import Part
from heldout.domain.slicing.compiler import Samples
from heldout.domain.slicing.evaluation import compile_definition, draw_samples
from heldout.domain.slicing.sample import Draw
from heldout.domain.slicing.views import Chosen
from heldout.services.results.telling import value_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Coder(dict[Any, int]):
    """Numbers for values as they come: -1 for a value that is not there, whatever is passed as `absent`.

    Values that are shown alike are one value, so 1 and "1" share a number.
    """

    def __init__(self, *absent: Any) -> None:
        super().__init__()
        self.texts: dict[str, int] = {}
        self.update(dict.fromkeys(absent, -1))

    def __missing__(self, value: Any) -> int:
        code = self.texts.setdefault(value if value.__class__ is str else value_text(value), len(self.texts))
        if value.__class__ is str:  # else True would find the number of 1
            self[value] = code
        return code

    def code(self, value: Any) -> int:
        """As indexing, for values that cannot be looked up: lists and mappings, and numbers."""
        if value.__class__ is str or value is None:
            return self[value]
        return self.__missing__(value)


@dataclass(slots=True)
class Column:
    """One value of one slice a case: its code, -1 where it has none yet."""

    part: Part
    codes: NDArray[np.int32]
    values: tuple[str, ...]


@dataclass(slots=True)
class OwnSlice:
    """A slice of the dataset: 1 for a case in it, 0 for one that is not, 2 where nobody can say here."""

    chosen: Chosen
    members: NDArray[np.int8]


@dataclass(slots=True)
class Cases:
    """`index` gives a case's number by split and key; it grows while rows are read when `grows`.

    Where some splits were left out, `numbers` has the number that each remaining case had before.
    """

    index: dict[str, dict[str, int]]
    count: int = 0
    grows: bool = False
    columns: list[Column] = field(default_factory=list)
    relevant: list[JSON] = field(default_factory=list)
    own: list[OwnSlice] = field(default_factory=list)
    contaminated: NDArray[np.bool_] | None = None
    numbers: NDArray[np.int64] | None = None

    def of_split(self, split: str) -> dict[str, int] | None:
        """Numbers of a split's cases by key; None for a split that the dataset does not have."""
        if self.grows and split not in self.index:
            self.index[split] = _Growing(self)
        return self.index.get(split)

    def add_fresh(self, known: dict[str, int], keys: Sequence[str]) -> NDArray[np.int64] | None:
        """Numbers for keys that a split does not have yet, all at once; None where one of them is known or repeated."""
        import numpy as np

        if not self.grows or not known.keys().isdisjoint(keys) or len(set(keys)) < len(keys):
            return None
        first = self.count
        self.count += len(keys)
        known.update(zip(keys, range(first, self.count), strict=True))
        return np.arange(first, self.count)

    def label(self, place: int) -> str:
        """Split and key of the case at a place of the columns; looked for one by one, for messages only."""
        wanted = place if self.numbers is None else int(self.numbers[place])
        names = (
            f"{split}/{key}" for split, keys in self.index.items() for key, number in keys.items() if number == wanted
        )
        return next(names, "?")

    def splits(self) -> NDArray[np.int32]:
        """The number of each case's split, in the order of `index`."""
        import numpy as np

        codes = np.empty(self.count, dtype=np.int32)
        for code, keys in enumerate(self.index.values()):
            codes[np.fromiter(keys.values(), dtype=np.int64, count=len(keys))] = code
        return codes


class _Growing(dict[str, int]):
    def __init__(self, cases: Cases) -> None:
        super().__init__()
        self._cases = cases

    def __missing__(self, key: str) -> int:
        number = self[key] = self._cases.count
        self._cases.count += 1
        return number


def dataset_cases(
    examples: Callable[[], Iterable[Example]],
    splits: Collection[str],
    parts: Collection[Part],
    chosen: Collection[Chosen],
    contaminated: Collection[tuple[str, str]],
    *,
    relevant: bool,
) -> Cases:
    """One pass over a dataset's examples, and those before it that samples of its slices take.

    `splits` limits the cases; empty means every split. A sample is drawn from all splits, as everywhere.
    """
    import numpy as np

    samples = draw_samples([item.definition for item in chosen], examples)
    tellers = [_Membership(item, samples) for item in chosen]
    coders = [Coder(None) for _ in parts]
    codes: list[list[int]] = [[] for _ in parts]
    cases = Cases({})
    flags: list[bool] = []
    for example in examples():
        counted = not splits or example.split in splits
        number = cases.count if counted else -1
        for member in tellers:
            member.add(example, number)
        if not counted:
            continue
        cases.index.setdefault(example.split, {})[str(example.key)] = number
        cases.count += 1
        for part, coder, column in zip(parts, coders, codes, strict=True):
            column.append(coder.code(example.metadata.get(part.key)))
        flags.append((example.split, example.key) in contaminated)
        if relevant:
            cases.relevant.append(_relevant(example.expected))
    for part, coder, column in zip(parts, coders, codes, strict=True):
        cases.columns.append(Column(part, np.array(column, dtype=np.int32), tuple(coder.texts)))
    cases.own = [OwnSlice(member.chosen, member.result(cases)) for member in tellers]
    cases.contaminated = np.array(flags, dtype=np.bool_)
    return cases


def keyed_cases(members: Iterable[Member], splits: Collection[str], contaminated: Collection[tuple[str, str]]) -> Cases:
    """As `dataset_cases`, where nothing is asked of an example but its split and key: no second pass over the data."""
    import numpy as np

    cases = Cases({})
    flags: list[bool] = []
    for member in members:
        if not splits or member.split in splits:
            cases.index.setdefault(member.split, {})[member.key] = cases.count
            cases.count += 1
            flags.append((member.split, member.key) in contaminated)
    cases.contaminated = np.array(flags, dtype=np.bool_)
    return cases


def _relevant(expected: JSON) -> JSON:
    return expected.get("relevant") if isinstance(expected, Mapping) else None


class _Membership:
    """Who is in one slice, while examples stream by."""

    def __init__(self, chosen: Chosen, samples: Samples) -> None:
        self.chosen = chosen
        definition = chosen.definition
        self._check = compile_definition(definition, samples)
        self._draw = Draw(definition.sample) if definition.sample else None
        self._truths: list[int] = []
        self._unevaluable = 0

    def add(self, example: Example, number: int) -> None:
        truth = self._check(example)
        if truth is None:
            self._unevaluable += 1
        if truth and self._draw is not None:
            self._draw.add(example.split, str(example.key), example.metadata)
        if number >= 0:
            self._truths.append(2 if truth is None else int(truth))

    def result(self, cases: Cases) -> NDArray[np.int8]:
        import numpy as np

        found = np.array(self._truths, dtype=np.int8)
        if self._draw is not None:
            drawn = self._draw.result(unevaluable=self._unevaluable)
            found[found == 1] = 0
            places = [cases.index.get(split, {}).get(key, -1) for split, key in drawn.members]
            found[[place for place in places if place >= 0]] = 1
        return found
