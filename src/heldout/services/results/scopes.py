"""Cases by scope: every value of every declared slice, crosses, the dataset's own slices, and the whole run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from heldout.domain.results.declared import MISSING_VALUE, NEEDS, Declared, Kind, Part
from heldout.domain.results.report import DatasetSlice
from heldout.domain.results.scope import Scope
from heldout.domain.results.suite import Suite
from heldout.errors import UsageError
from heldout.services.results.cases import Column, OwnSlice
from heldout.services.results.gathering import NO, Gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_FEW_CODES = 1000


class Grouping:
    """One slice: the scope of each code, and each case's code, -1 for a case that is in none of them."""

    def __init__(self, name: str, scopes: tuple[Scope, ...], codes: NDArray[np.int32]) -> None:
        self.name = name
        self.scopes = scopes
        self.codes = codes

    def places(self, code: int) -> NDArray[np.int64]:
        """The cases of one scope. All are sorted once, so that a slice of many values takes no pass for each."""
        start, end = self._ends[code : code + 2]
        return self._order[start:end]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        import numpy as np

        return np.argsort(self.codes, kind="stable")

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where the cases of each code begin among the sorted ones, and where the last one's end."""
        import numpy as np

        return np.cumsum(np.bincount(self.codes + 1, minlength=len(self.scopes) + 1))


def restricted(gathered: Gathered, splits: Sequence[str]) -> Gathered:
    """The cases of some splits only: those that a suite names, or that the run's rows are of."""
    import numpy as np

    cases = gathered.cases
    names = list(cases.index)
    of_case = cases.splits()
    if not splits:
        used = set(of_case[gathered.named].tolist())
        splits = [name for code, name in enumerate(names) if code in used]
    for name in splits:
        if name not in names:
            raise UsageError(
                "unknown-split", f"the run has no case in split {name!r}", hint=f"its splits: {', '.join(names)}"
            )
    kept = np.isin(of_case, [names.index(name) for name in splits])
    found = replace(gathered, splits=tuple(sorted(splits)))
    if kept.all():
        return found
    return replace(
        found,
        measured=[
            replace(item, status=item.status[kept], scores=None if item.scores is None else item.scores[kept])
            for item in gathered.measured
        ],
        columns=[replace(column, codes=column.codes[kept]) for column in gathered.columns],
        named=gathered.named[kept],
        excluded_for=frozenset(item for item in gathered.excluded_for if kept[item[0]]),
        cases=replace(
            cases,
            index={name: keys for name, keys in cases.index.items() if name in splits},
            count=int(kept.sum()),
            own=[replace(item, members=item.members[kept]) for item in cases.own],
            contaminated=None if cases.contaminated is None else cases.contaminated[kept],
            numbers=np.nonzero(kept)[0],
        ),
    )


def groupings(gathered: Gathered, suite: Suite) -> list[Grouping]:
    """By name. Raises UsageError (slug slice-unavailable) where an observed case has no value (O12)."""
    columns = {column.part: _complete(gathered, column, suite) for column in gathered.columns}
    columns |= {part: _own_column(gathered, part) for part in suite.parts() if part.kind is Kind.DATASET}
    alone = [declared for declared in suite.slices if declared.is_cross or declared.parts[0].kind is not Kind.DATASET]
    found = [_grouping(declared, columns) for declared in alone]
    found += [_own(item) for item in gathered.cases.own]
    return sorted(found, key=lambda grouping: grouping.name)


def _complete(gathered: Gathered, column: Column, suite: Suite) -> Column:
    """With a value for every case: `(missing)` is one where the suite says so, and for cases that did not answer."""
    import numpy as np

    absent = column.codes < 0
    if not absent.any():
        return column
    part = column.part
    answered = np.full(len(absent), part.kind is Kind.METADATA and not gathered.cases.grows)
    for item in gathered.measured:
        answered |= item.status >= (1 if part.kind is Kind.METADATA else NO)
    lacking = absent & answered
    if lacking.any() and not suite.missing_as_slice:
        first = int(np.nonzero(lacking)[0][0])
        raise _unavailable(gathered, part, int(lacking.sum()), first)
    values = tuple(dict.fromkeys((*column.values, MISSING_VALUE)))  # a case may have that very text
    codes = np.where(absent, values.index(MISSING_VALUE), column.codes).astype(np.int32)
    return replace(column, codes=codes, values=values)


def _unavailable(gathered: Gathered, part: Part, count: int, first: int) -> UsageError:
    lacking = f"{count:,} of {gathered.cases.count:,} cases lack it, the first is {gathered.cases.label(first)}"
    message = f"Configuration error: slice '{part.name}' requires {NEEDS[part.kind]}; {lacking}"
    hint = "mend the data, leave the slice out, or --missing-as-slice to have them as (missing)"
    return UsageError("slice-unavailable", message, hint=hint)


def _grouping(declared: Declared, columns: dict[Part, Column]) -> Grouping:
    import numpy as np

    parts = [columns[part] for part in declared.parts]
    codes = parts[0].codes.astype(np.int64)
    inside = parts[0].codes >= 0  # all, but where the dataset's own slices are crossed
    for column in parts[1:]:
        codes = codes * len(column.values) + column.codes
        inside &= column.codes >= 0
    used, inverse = _used(codes[inside], prod(len(column.values) for column in parts))
    labelled = [(_labels(parts, int(code)), at) for at, code in enumerate(used)]
    labelled.sort(key=lambda item: _order(declared.parts, item[0]))
    rank = np.empty(len(used), dtype=np.int32)
    rank[[at for _, at in labelled]] = np.arange(len(used))
    names = [part.name for part in declared.parts]
    scopes = tuple(Scope(tuple(zip(names, labels, strict=True))) for labels, _ in labelled)
    ranks = np.full(len(codes), -1, dtype=np.int32)
    ranks[inside] = rank[inverse]
    return Grouping(declared.name, scopes, ranks)


def _used(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes that some case has, and each case's place among them; by counting, where there are few."""
    import numpy as np

    if size > len(codes) + _FEW_CODES:
        used, inverse = np.unique(codes, return_inverse=True)
        return used, inverse.reshape(-1)
    there = np.bincount(codes, minlength=size) > 0
    return np.nonzero(there)[0], (np.cumsum(there) - 1)[codes]


def _labels(parts: Sequence[Column], code: int) -> tuple[str, ...]:
    labels: list[str] = []
    for column in reversed(parts):
        code, place = divmod(code, len(column.values))
        labels.insert(0, column.values[place])
    return tuple(labels)


def _order(parts: Iterable[Part], labels: Iterable[str]) -> list[tuple[int, str]]:
    """Alphabetically; bins as they rise (O18)."""
    keys = []
    for part, label in zip(parts, labels, strict=True):
        bins = part.labels() if part.bounds else ()
        keys.append((bins.index(label) if label in bins else len(bins), label))
    return keys


def _own(item: OwnSlice) -> Grouping:
    scope = Scope(((item.chosen.item.name, own_value(item)),))
    return Grouping(item.chosen.item.name, (scope,), _members(item))


def _members(item: OwnSlice) -> NDArray[np.int32]:
    import numpy as np

    return np.where(item.members == 1, 0, -1).astype(np.int32)


def _own_column(gathered: Gathered, part: Part) -> Column:
    """A slice of the dataset as a column of one value. Raises UsageError (slug slice-unavailable)."""
    for item in gathered.cases.own:
        if item.chosen.item.name == part.key:
            return Column(part, _members(item), (own_value(item),))
    known = ", ".join(sorted(item.chosen.item.name for item in gathered.cases.own)) or "none"
    message = f"Configuration error: slice '{part.name}' requires {NEEDS[part.kind]}, which has none of that name"
    raise UsageError("slice-unavailable", message, hint=f"its slices: {known}")


def own_value(item: OwnSlice) -> str:
    """Which definition: by number, or by digest where it has none yet."""
    number = item.chosen.number
    return f"#{number}" if number else f"@{item.chosen.digest[7:19]}"


def own_slices(own: Iterable[OwnSlice]) -> Iterator[DatasetSlice]:
    for item in sorted(own, key=lambda item: item.chosen.item.name):
        chosen = item.chosen
        matched, unevaluable = int((item.members == 1).sum()), int((item.members == 2).sum())
        yield DatasetSlice(chosen.item.name, chosen.number, chosen.digest, chosen.item.required, matched, unevaluable)
