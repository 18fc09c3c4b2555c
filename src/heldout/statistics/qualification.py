"""A sampling design judged over every sample it can draw and every population it can meet, without simulation.

ID sets with the same failures in each stratum give the same estimates, so they are counted and not listed: a *cell* is
one combination of failures with its number of ID sets, and a *population* one combination of true failures. Everything
is a whole number or a fraction; the sums are over the whole space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod

from heldout.domain.sampling.numbers import RULES, AtTruth, Bounds, Cell, Chances, Everywhere, Observed
from heldout.statistics.hypergeometric import kept, outcomes, ways
from heldout.statistics.sampling import combined, raw_rate, tail_level, weighted_rate

Sizes = Sequence[tuple[int, int]]
"""(units, drawn) of each stratum."""


class Space:
    """Everything that a design can show, computed once: bounds and points do not depend on the truth."""

    def __init__(self, sizes: Sizes, alpha: Fraction) -> None:
        tail = tail_level(alpha, len(sizes))
        self.sizes = tuple(sizes)
        self.sets = prod(comb(units, drawn) for units, drawn in sizes)
        self._kept = [[kept(units, drawn, seen, tail) for seen in range(drawn + 1)] for units, drawn in sizes]
        self._shown: dict[tuple[int, ...], tuple[Fraction, Fraction, Bounds]] = {}

    def cells(self, truth: Sequence[int]) -> Iterator[Cell]:
        """Cells with at least one ID set, in ascending order of their failures."""
        possible = [outcomes(units, drawn, marked) for (units, drawn), marked in zip(self.sizes, truth, strict=True)]
        counts = [
            {seen: ways(units, drawn, marked, seen) for seen in seens}
            for (units, drawn), marked, seens in zip(self.sizes, truth, possible, strict=True)
        ]
        for failures in product(*possible):
            sets = prod(table[seen] for table, seen in zip(counts, failures, strict=True))
            yield Cell(failures, sets, *self._show(failures))

    def _show(self, failures: tuple[int, ...]) -> tuple[Fraction, Fraction, Bounds]:
        found = self._shown.get(failures)
        if found is None:
            observed = [Observed(*size, seen) for size, seen in zip(self.sizes, failures, strict=True)]
            counts = [table[seen] for table, seen in zip(self._kept, failures, strict=True)]
            found = raw_rate(observed), weighted_rate(observed), combined(observed, counts)
            self._shown[failures] = found
        return found

    def rate(self, truth: Sequence[int]) -> Fraction:
        return Fraction(sum(truth), sum(units for units, _ in self.sizes))

    @property
    def populations(self) -> int:
        return prod(units + 1 for units, _ in self.sizes)

    @property
    def width(self) -> int:
        """Cells of one population, at most."""
        return prod(drawn + 1 for _, drawn in self.sizes)

    @property
    def work(self) -> int:
        """Cells over all populations, at most."""
        return self.populations * self.width


def at_truth(space: Space, truth: Sequence[int], thresholds: Sequence[Fraction]) -> AtTruth:
    """Expectation, mean squared error, coverage and decisions over every ID set, when the truth is known."""
    cells = tuple(space.cells(truth))
    rate, sets = space.rate(truth), space.sets
    return AtTruth(
        cells=cells,
        rate=rate,
        expected_raw=sum((cell.raw * cell.sets for cell in cells), Fraction(0)) / sets,
        expected_weighted=sum((cell.weighted * cell.sets for cell in cells), Fraction(0)) / sets,
        error_raw=sum(((cell.raw - rate) ** 2 * cell.sets for cell in cells), Fraction(0)) / sets,
        error_weighted=sum(((cell.weighted - rate) ** 2 * cell.sets for cell in cells), Fraction(0)) / sets,
        coverage=_coverage(cells, rate, sets),
        chances={threshold: _chances(cells, threshold, sets) for threshold in thresholds},
    )


def everywhere(space: Space, thresholds: Sequence[Fraction]) -> Everywhere:
    """All binary populations, by their failures in each stratum: every ID set of every one is counted."""
    least, worst = Fraction(2), list[tuple[int, ...]]()
    false_clear = {threshold: dict.fromkeys(RULES, Fraction(0)) for threshold in thresholds}
    false_exceed = {threshold: dict.fromkeys(RULES, Fraction(0)) for threshold in thresholds}
    for truth in product(*(range(units + 1) for units, _ in space.sizes)):
        cells, rate = tuple(space.cells(truth)), space.rate(truth)
        coverage = _coverage(cells, rate, space.sets)
        if coverage < least:
            least, worst = coverage, []
        if coverage == least:
            worst.append(truth)
        for threshold in thresholds:
            for rule, chances in _chances(cells, threshold, space.sets).items():
                if rate > threshold:
                    false_clear[threshold][rule] = max(false_clear[threshold][rule], chances.clear)
                else:
                    false_exceed[threshold][rule] = max(false_exceed[threshold][rule], chances.exceed)
    return Everywhere(space.populations, least, tuple(worst), false_clear, false_exceed)


def _coverage(cells: Sequence[Cell], rate: Fraction, sets: int) -> Fraction:
    return Fraction(sum(cell.sets for cell in cells if cell.bounds.low <= rate <= cell.bounds.high), sets)


def _chances(cells: Sequence[Cell], threshold: Fraction, sets: int) -> dict[str, Chances]:
    clear = dict.fromkeys(RULES, 0)
    exceed = dict.fromkeys(RULES, 0)
    for cell in cells:
        for rule, (low, high) in {
            "raw": (cell.raw, cell.raw),
            "weighted": (cell.weighted, cell.weighted),
            "interval": (cell.bounds.low, cell.bounds.high),
        }.items():
            if high <= threshold:
                clear[rule] += cell.sets
            elif low > threshold:
                exceed[rule] += cell.sets
    return {
        rule: Chances(
            Fraction(clear[rule], sets),
            Fraction(exceed[rule], sets),
            Fraction(sets - clear[rule] - exceed[rule], sets),
        )
        for rule in RULES
    }
