"""A run's rows gathered by case: what came of each for every metric, and its value for every slice of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from heldout.domain.results.declared import Kind, Part
from heldout.domain.results.report import Metric
from heldout.domain.results.run import RATE, SCORE, Header
from heldout.domain.results.suite import Suite
from heldout.errors import DataError
from heldout.services.progress import SILENT, Progress
from heldout.services.results.cases import Cases, Coder, Column
from heldout.services.results.telling import Teller, teller
from heldout.storage.results.run_file import Block, RunFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EVERY = ""
"""The metric of a row that excludes its case and names none: the case counts for no metric."""

MISSING, EXCLUDED, NO, YES = range(4)
"""What came of a case. A score that is there is YES; its value stands beside it."""


@dataclass(slots=True)
class Measured:
    """One metric: a status for each case, and the score of each where it is one of scores."""

    metric: Metric
    status: NDArray[np.int8]
    scores: NDArray[np.float64] | None


@dataclass(slots=True)
class Gathered:
    """A run by case. `named` are the cases that some row is about, be its outcome missing.

    `excluded_for` has each case's number with the reason why it does not count, for one metric or for all.
    """

    header: Header
    digest: str
    cases: Cases
    measured: list[Measured]
    columns: list[Column]
    named: NDArray[np.bool_]
    excluded_for: frozenset[tuple[int, str]] = frozenset()
    splits: tuple[str, ...] = ()


class Gatherer:
    """Rows block by block. Raises DataError: unknown-case, repeated-result, mixed-metric, row-disagrees."""

    def __init__(self, file: RunFile, cases: Cases, suite: Suite, header: Header) -> None:
        self._file, self._cases, self._suite, self._header = file, cases, suite, header
        rag = suite.rag if suite.rag.top_k or suite.rag.token_budget else header.rag
        parts = [part for part in suite.parts() if part.kind not in (Kind.METADATA, Kind.DATASET)]
        self._tellers: list[tuple[Part, Teller, Coder]] = [(part, teller(part, rag), Coder(None)) for part in parts]
        from msgspec import UNSET

        self._metadata = {key: Coder(None, UNSET) for key in (suite.metadata_keys() if cases.grows else ())}
        self._places: list[NDArray[np.int64]] = []
        self._status: list[NDArray[np.int8]] = []
        self._scores: list[NDArray[np.float64] | None] = []
        self._names: list[tuple[str, ...] | str] = []
        self._usual = header.metric
        self._kinds: dict[str, bool] = {}
        self._codes: dict[str, list[NDArray[np.int32]]] = {}
        self._excluded: set[tuple[int, str]] = set()

    def add(self, block: Block) -> None:
        import numpy as np

        rows = block.rows
        places = self._numbers(block)
        status, scores = self._results(block, places)
        self._places.append(places)
        self._status.append(status)
        self._scores.append(scores)
        for part, tell, coder in self._tellers:
            relevant = self._cases.relevant
            values = [
                tell(row, relevant[at] if relevant else None) for row, at in zip(rows, places.tolist(), strict=True)
            ]
            found = np.fromiter(map(coder.__getitem__, values), dtype=np.int32, count=len(rows))
            self._codes.setdefault(part.name, []).append(found)
        for key, metadata in self._metadata.items():
            column = block.metadata[key]
            try:
                codes = np.fromiter(map(metadata.__getitem__, column), dtype=np.int32, count=len(rows))
            except TypeError:  # a list or a mapping
                codes = np.fromiter(map(metadata.code, column), dtype=np.int32, count=len(rows))
            self._codes.setdefault(f"metadata.{key}", []).append(codes)

    def _numbers(self, block: Block) -> NDArray[np.int64]:
        """Each row's case."""
        import numpy as np

        rows, keys = block.rows, [row.key for row in block.rows]
        splits = [row.split for row in rows] if "split" in block.has else [None]
        if splits.count(splits[0]) == len(splits):
            known = self._split(splits[0], 0)
            fresh = self._cases.add_fresh(known, keys)
            if fresh is not None:
                return fresh
            try:
                return np.fromiter(map(known.__getitem__, keys), dtype=np.int64, count=len(rows))
            except KeyError:
                splits = splits[:1] * len(rows)
        found = np.empty(len(rows), dtype=np.int64)
        for at, (split, key) in enumerate(zip(splits, keys, strict=True)):
            try:
                found[at] = self._split(split, at)[key]
            except KeyError:
                self._refuse("unknown-case", f"the dataset has no case {key!r} in split {split or 'test'!r}", at)
        return found

    def _split(self, split: str | None, at: int) -> dict[str, int]:
        split = split or self._header.split or self._only_split()
        if split is None:
            self._refuse("unknown-case", "the row names no split, and neither does the header", at)
        found = self._cases.of_split(split)
        if found is None:
            known = ", ".join(sorted(self._cases.index)) or "none"
            self._refuse("unknown-case", f"there are no cases in split {split!r}; splits are {known}", at)
        return found

    def _only_split(self) -> str | None:
        if self._cases.grows:
            return "run"
        return next(iter(self._cases.index)) if len(self._cases.index) == 1 else None

    def _results(self, block: Block, places: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.float64] | None]:
        import numpy as np

        rows, has = block.rows, block.has
        status = np.full(len(rows), MISSING, dtype=np.int8)
        scores: NDArray[np.float64] | None = None
        outcomes = [row.outcome for row in rows] if "outcome" in has else [None] * len(rows)
        if "outcome" in has:
            status = np.fromiter(map(_STATUS.__getitem__, outcomes), dtype=np.int8, count=len(rows))
        if "score" in has:
            given = [row.score for row in rows]
            scores = np.array([np.nan if value is None else value for value in given], dtype=np.float64)
            status[~np.isnan(scores)] = YES
        if "excluded" in has:
            for at, row in enumerate(rows):
                if row.excluded:
                    status[at] = EXCLUDED
                    self._excluded.add((int(places[at]), "excluded" if row.excluded is True else row.excluded))
        self._name(block, scores)
        return status, scores

    def _name(self, block: Block, scores: NDArray[np.float64] | None) -> None:
        """Which metric each row is of; one name where all are of one, EVERY for an excluded row that names none."""
        rows, has = block.rows, set(block.has)
        if self._usual is None and has & {"outcome", "score"}:
            self._usual = SCORE if scores is not None and "outcome" not in has else RATE
        if not has & {"metric", "excluded"}:
            names = [self._usual or RATE] * len(rows)
        else:
            names = [row.metric or self._unnamed(row) for row in rows]
        self._names.append(names[0] if names.count(names[0]) == len(names) else tuple(names))
        for at, row in enumerate(rows if len(set(names)) > 1 or scores is not None else rows[:1]):
            kind = row.score is None if (row.outcome is None) != (row.score is None) else None
            if kind is not None and names[at] and self._kinds.setdefault(names[at], kind) is not kind:
                said = f"the metric {names[at]!r} has outcomes on some rows and scores here"
                self._refuse("mixed-metric", said, at)

    def _unnamed(self, row: Any) -> str:
        return EVERY if row.excluded and self._header.metric is None else self._usual or RATE

    def result(self) -> Gathered:
        import numpy as np

        places = np.concatenate(self._places) if self._places else np.empty(0, dtype=np.int64)
        status = np.concatenate(self._status) if self._status else np.empty(0, dtype=np.int8)
        measured = [self._measure(name, rows, places, status) for name, rows in self._rows_of_metrics().items()]
        columns = [*self._cases.columns]
        coders = {part.name: (part, coder) for part, _, coder in self._tellers}
        for key, coder in self._metadata.items():
            coders[f"metadata.{key}"] = (Part(Kind.METADATA, key), coder)
        for name, (part, coder) in coders.items():
            found = self._codes.get(name)
            codes = np.concatenate(found) if found else np.empty(0, dtype=np.int32)
            columns.append(Column(part, self._by_case(name, codes, places), tuple(coder.texts)))
        named = np.zeros(self._cases.count, dtype=np.bool_)
        named[places] = True
        excluded = frozenset(self._excluded)
        return Gathered(self._header, self._file.digest, self._cases, measured, columns, named, excluded)

    def _rows_of_metrics(self) -> dict[str, NDArray[np.bool_] | None]:
        """Which rows are of each metric, those of EVERY among them; None for all of them."""
        import numpy as np

        distinct = {name for names in self._names for name in ([names] if isinstance(names, str) else names)}
        if distinct == {EVERY}:
            self._names, distinct = [self._usual or RATE] * len(self._names), {self._usual or RATE}
        if len(distinct) == 1:
            return dict.fromkeys(distinct)
        every = np.concatenate(
            [
                np.full(len(part), names) if isinstance(names, str) else np.array(names)
                for names, part in zip(self._names, self._places, strict=True)
            ]
        )
        return {name: (every == name) | (every == EVERY) for name in sorted(distinct - {EVERY})}

    def _measure(
        self, name: str, rows: NDArray[np.bool_] | None, places: NDArray[np.int64], status: NDArray[np.int8]
    ) -> Measured:
        import numpy as np

        numbers = np.arange(len(places)) if rows is None else np.nonzero(rows)[0]
        at = places[numbers]
        counts = np.bincount(at, minlength=self._cases.count)
        if (counts > 1).any():
            self._refuse_repeat(name, numbers, at, counts)
        found = np.full(self._cases.count, MISSING, dtype=np.int8)
        found[at] = status[numbers]
        if self._kinds.get(name, True):
            return Measured(Metric(name), found, None)
        low, high = self._suite.scores.get(name, (0.0, 1.0))
        pieces = [
            np.full(len(part), np.nan) if scores is None else scores
            for scores, part in zip(self._scores, self._places, strict=True)
        ]
        values = np.concatenate(pieces)[numbers]
        outside = np.nonzero(((values < low) | (values > high)) & (status[numbers] == YES))[0]
        if len(outside):
            row = int(numbers[outside[0]])
            message = f"the score {values[outside[0]]:g} of {name!r} is outside [{low:g}, {high:g}]"
            hint = f"scores: {{{name}: [LOW, HIGH]}} in the suite"
            raise DataError("bad-score", message, file=self._file.name, line=self._file.line_of(row), hint=hint)
        scores = np.full(self._cases.count, np.nan)
        scores[at] = values
        return Measured(Metric(name, False, low, high), found, scores)

    def _refuse_repeat(
        self, name: str, numbers: NDArray[np.int64], at: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NoReturn:
        twice = counts > 1
        repeated = numbers[twice[at]], at[twice[at]]
        case = int(repeated[1][0])
        number = int(repeated[0][repeated[1] == case][1])
        message = f"the case {self._cases.label(case)} has two results for {name!r}"
        hint = "one row a case and metric; repeated trials are metrics of their own"
        raise DataError("repeated-result", message, file=self._file.name, line=self._file.line_of(number), hint=hint)

    def _by_case(self, name: str, codes: NDArray[np.int32], places: NDArray[np.int64]) -> NDArray[np.int32]:
        import numpy as np

        if len(codes) == self._cases.count and (places == np.arange(len(places))).all():
            return codes
        found = np.full(self._cases.count, -1, dtype=np.int32)
        told = codes >= 0
        found[places[told]] = codes[told]
        different = np.nonzero(found[places[told]] != codes[told])[0]
        if len(different):
            row = int(np.nonzero(told)[0][different[0]])
            message = f"two rows of one case differ in {name}"
            raise DataError("row-disagrees", message, file=self._file.name, line=self._file.line_of(row))
        return found

    def _refuse(self, slug: str, message: str, at: int) -> NoReturn:
        before = sum(map(len, self._places))
        line = self._file.line_of(before + at)
        raise DataError(slug, message, file=self._file.name, line=line, hint="docs/results.md has the fields of a run")


_STATUS = {None: MISSING, False: NO, True: YES}


def gather(file: RunFile, cases: Cases, suite: Suite, progress: Progress = SILENT) -> Gathered:
    """Reads the whole file. The header is known once the first block is there."""
    gatherer: Gatherer | None = None
    progress.stage(f"reading {file.name}")
    for block in file.blocks():
        gatherer = gatherer or Gatherer(file, cases, suite, file.header)
        gatherer.add(block)
    if gatherer is None:
        raise DataError("no-results", "the run has no row", file=file.name)
    return gatherer.result()
