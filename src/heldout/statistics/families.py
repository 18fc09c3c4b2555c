"""Failures inside a family of rules, retested so that many slices do not block a release by chance.

Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), on
failures only: a rule that passed is never tested again. m is the family's size, rules without support included (A40).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retested:
    """Failures that stand, failures that do not, and the levels that were used in turn, the strongest's first."""

    standing: tuple[str, ...]
    dropped: tuple[str, ...]
    levels: tuple[float, ...]


def retest(
    strengths: Mapping[str, float], size: int, alpha: float, still_fails: Callable[[str, float], bool]
) -> Retested:
    """`strengths` are failing rules with the smallest level at which each still fails, `size` all rules of the family.

    The i-th strongest is tested at alpha / (size - i + 1); the first that no longer fails ends it, and takes the rest.
    """
    order = sorted(strengths, key=lambda rule: (strengths[rule], rule))
    levels: list[float] = []
    for position, rule in enumerate(order):
        levels.append(alpha / (size - position))
        if not still_fails(rule, levels[-1]):
            return Retested(tuple(order[:position]), tuple(order[position:]), tuple(levels))
    return Retested(tuple(order), (), tuple(levels))
