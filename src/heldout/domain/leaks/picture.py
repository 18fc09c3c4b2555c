"""The numbers of the overlap picture: splits, and pairs of splits with something in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from heldout.domain.leaks.leak import LeakKind, LeakRate
from heldout.domain.leaks.leaks import Leaks


@dataclass(frozen=True, slots=True)
class Lane:
    """Two splits, `a` before `b` by name, that findings join: pairs by kind, and the two rates (into a, into b)."""

    a: str
    b: str
    pairs: tuple[tuple[LeakKind, int], ...]
    into_a: LeakRate
    into_b: LeakRate


@dataclass(frozen=True, slots=True)
class Picture:
    """`splits` are (name, records, pairs of equal records inside it), by name."""

    splits: tuple[tuple[str, int, int], ...]
    lanes: tuple[Lane, ...]
    contaminated: int


def picture_of(leaks: Leaks) -> Picture:
    counts = leaks.counts_by_splits()
    rates = {(rate.source, rate.target): rate for rate in leaks.rates()}
    lanes = [
        Lane(
            a,
            b,
            tuple((kind, counts[kind][a, b]) for kind in leaks.kinds if counts[kind][a, b]),
            rates[b, a],
            rates[a, b],
        )
        for a, b in sorted({pair for kind in leaks.kinds for pair in counts[kind] if pair[0] != pair[1]})
    ]
    inside: Counter[tuple[str, str]] = counts[LeakKind.INTRA_SPLIT]
    splits = tuple((name, size, inside[name, name]) for name, size in sorted(leaks.splits.items()))
    return Picture(splits, tuple(lanes), leaks.contaminated())
