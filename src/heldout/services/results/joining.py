"""Two runs that no dataset binds to one set of cases: each case is there if either run names it."""

from __future__ import annotations

from dataclasses import replace

from heldout.domain.results.declared import Declared, Kind
from heldout.domain.results.suite import Suite
from heldout.errors import UsageError
from heldout.services.results.cases import Cases, Column
from heldout.services.results.gathering import MISSING, Gathered
from heldout.services.results.scopes import groupings


def of_metadata(suite: Suite) -> Suite:
    """What both runs are asked for: the keys of metadata that slices are told by."""
    return replace(suite, slices=tuple(Declared((part,)) for part in suite.parts() if part.kind is Kind.METADATA))


def grown(gathered: Gathered, cases: Cases) -> Gathered:
    """Without a dataset the second run may name cases that the first does not have: they are missing there."""
    import numpy as np

    more = cases.count - (len(gathered.measured[0].status) if gathered.measured else 0)
    if not more:
        return gathered
    return replace(
        gathered,
        named=np.concatenate([gathered.named, np.zeros(more, dtype=np.bool_)]),
        measured=[
            replace(
                item,
                status=np.concatenate([item.status, np.full(more, MISSING, dtype=np.int8)]),
                scores=None if item.scores is None else np.concatenate([item.scores, np.full(more, np.nan)]),
            )
            for item in gathered.measured
        ],
        columns=[
            replace(column, codes=np.concatenate([column.codes, np.full(more, -1, dtype=np.int32)]))
            for column in gathered.columns
        ],
    )


def joined(candidate: Gathered, baseline: Gathered, given: Suite) -> list[Gathered]:
    """Both with the same metadata: a case that the baseline does not have is missing in its slice, and not in none.

    Raises UsageError: run-of-other-data where the two say different things of a case, slice-unavailable.
    """
    if not candidate.cases.grows:
        return [candidate, baseline]
    theirs = {column.part.name: column for column in baseline.columns}
    ours = [_both(column, theirs[column.part.name], baseline) for column in candidate.columns]
    candidate = replace(candidate, columns=ours)
    groupings(candidate, given)  # refuses a case that the candidate answered without a value
    merged = {column.part.name: column for column in ours}
    columns = [merged.get(column.part.name, column) for column in baseline.columns]
    return [candidate, replace(baseline, columns=columns)]


def _both(ours: Column, theirs: Column, baseline: Gathered) -> Column:
    import numpy as np

    values = tuple(dict.fromkeys((*theirs.values, *ours.values)))
    places = np.array([*map(values.index, ours.values), -1], dtype=np.int32)
    codes = places[ours.codes]
    different = np.nonzero((codes >= 0) & (theirs.codes >= 0) & (codes != theirs.codes))[0]
    if len(different):
        case = baseline.cases.label(int(different[0]))
        message = f"the two runs differ in {ours.part.name} of {len(different):,} cases, the first is {case}"
        raise UsageError("run-of-other-data", message, hint="compare runs over the same cases")
    return Column(ours.part, np.where(theirs.codes >= 0, theirs.codes, codes).astype(np.int32), values)
