"""Crosses that nobody declared: which pairs of slices hide a cell that neither of the two shows."""

from __future__ import annotations

from itertools import combinations

from heldout.domain.results.report import CrossProposal, ScopeResult
from heldout.domain.results.scope import Scope
from heldout.domain.results.suite import Suite
from heldout.services.results.gathering import Gathered, Measured
from heldout.services.results.measuring import by_scope, level_against
from heldout.services.results.scopes import Grouping
from heldout.statistics.marking import adjusted

_MOST_CELLS = 10_000
"""Cells of a cross: a key with thousands of values names cases, and is no slice to cross."""


def proposals(gathered: Gathered, found: list[Grouping], suite: Suite) -> tuple[CrossProposal, ...]:
    """Every pair of slices, the one whose strangest cell is surest first.

    A cell is tested against the rates of both slices that it belongs to, and counts by the nearer one. All cells of all
    pairs are corrected together (Benjamini-Yekutieli), so a small adjusted level is worth a declaration.
    """
    singles = [grouping for grouping in found if " x " not in grouping.name and len(grouping.scopes) > 1]
    cells: list[tuple[str, ScopeResult, tuple[float, float], float, int]] = []
    declared = {grouping.name for grouping in found}
    for item in gathered.measured:
        parents = {grouping.name: _estimates(item, grouping, suite) for grouping in singles}
        for first, second in combinations(singles, 2):
            name = f"{first.name} x {second.name}"
            if name in declared or f"{second.name} x {first.name}" in declared:
                continue
            cells += _cells(item, first, second, (parents[first.name], parents[second.name]), suite)
    best: dict[tuple[str, str], CrossProposal] = {}
    totals: dict[tuple[str, str], int] = {}
    for (name, cell, of, level, count), corrected in zip(cells, adjusted([row[3] for row in cells]), strict=True):
        key = (name, cell.metric.name)
        totals[key] = totals.get(key, 0) + 1
        if key not in best or level < best[key].p:
            best[key] = CrossProposal(name, cell, of, level, corrected, count, 0)
    ranked = sorted(best.items(), key=lambda item: (item[1].p, item[0]))
    return tuple(
        CrossProposal(one.name, one.cell, one.parents, one.p, one.adjusted, one.cells, totals[key])
        for key, one in ranked
    )


def _estimates(item: Measured, grouping: Grouping, suite: Suite) -> list[float | None]:
    return [row.counts.estimate for row in by_scope(item, grouping, suite)]


def _cells(
    item: Measured,
    first: Grouping,
    second: Grouping,
    parents: tuple[list[float | None], list[float | None]],
    suite: Suite,
) -> list[tuple[str, ScopeResult, tuple[float, float], float, int]]:
    import numpy as np

    width = len(second.scopes)
    if len(first.scopes) * width > _MOST_CELLS:
        return []
    codes = np.where((first.codes < 0) | (second.codes < 0), -1, first.codes * width + second.codes).astype(np.int32)
    scopes = tuple(Scope((*a.pairs, *b.pairs)) for a in first.scopes for b in second.scopes)
    cross = Grouping(f"{first.name} x {second.name}", scopes, codes)
    rows = by_scope(item, cross, suite)
    filled = sum(row.counts.cases > 0 for row in rows)
    found = []
    for at, row in enumerate(rows):
        of = parents[0][at // width], parents[1][at % width]
        if (
            row.counts.observed
            and not row.is_thin
            and not row.counts.missing
            and of[0] is not None
            and of[1] is not None
        ):
            level = max(level_against(item, row.counts, cross, at, rate) for rate in of if rate is not None)
            found.append((cross.name, row, (of[0], of[1]), level, filled))
    return found
