"""Which of many slices stand out, with the share of false marks held under any overlap.

Benjamini and Yekutieli, "The control of the false discovery rate in multiple testing under dependency", Annals of
Statistics 29 (2001), theorem 1.3: slices share cases, so nothing weaker than arbitrary dependence can be assumed.
"""

from __future__ import annotations

from collections.abc import Sequence


def harmonic(count: int) -> float:
    """c_m = 1 + 1/2 + ... + 1/m: what arbitrary dependence costs."""
    return sum(1 / number for number in range(1, count + 1))


def adjusted(levels: Sequence[float]) -> list[float]:
    """For each test the smallest q at which it would be marked, in the order given."""
    m = len(levels)
    order = sorted(range(m), key=lambda at: levels[at])
    factor, best = m * harmonic(m), 1.0
    result = [1.0] * m
    for rank in range(m, 0, -1):
        at = order[rank - 1]
        best = min(best, levels[at] * factor / rank)
        result[at] = best
    return result


def marked(levels: Sequence[float], q: float) -> list[bool]:
    """The r smallest, r the largest i with p_(i) <= i q / (m c_m); in the order given."""
    m = len(levels)
    ranked = sorted(levels)
    step = q / (m * harmonic(m)) if m else 0.0
    passing = [level for rank, level in enumerate(ranked, 1) if level <= rank * step]
    return [bool(passing) and level <= passing[-1] for level in levels]
