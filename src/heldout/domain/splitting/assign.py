"""Which groups of cases are held out: a share of them, a case and all made from it always together.

Chance comes from outside as permutations: `heldout.matching.shuffling` has those of the documented seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

Permutation = Callable[[int], Sequence[int]]
"""A permutation of 0 .. n - 1; each call draws the next one."""


def held_out_groups(groups: Sequence[str], share: Fraction, permutation: Permutation) -> frozenset[str]:
    """scikit-learn's GroupShuffleSplit: of the distinct groups in sorted order, the first ceil(share * n) of a
    permutation. The share is of groups, not of cases."""
    distinct = sorted(set(groups))
    size = -(-len(distinct) * share.numerator // share.denominator)
    return frozenset(distinct[place] for place in permutation(len(distinct))[:size])


def stratified_groups(strata: Mapping[str, str], share: Fraction, permutation: Permutation) -> frozenset[str]:
    """The same share of each stratum's groups; `strata` tells the stratum of each group.

    The whole is ceil(share * n) groups as without strata. Each stratum gives the floor of its own share, and the rest
    comes from those with the largest remainders, ties in the order of their names; one permutation each, in that order.
    """
    by_stratum: defaultdict[str, list[str]] = defaultdict(list)
    for group, stratum in strata.items():
        by_stratum[stratum].append(group)
    exact = {stratum: share * len(by_stratum[stratum]) for stratum in sorted(by_stratum)}
    sizes = {stratum: int(wanted) for stratum, wanted in exact.items()}
    rest = -(-len(strata) * share.numerator // share.denominator) - sum(sizes.values())
    for stratum in sorted(exact, key=lambda name: (sizes[name] - exact[name], name))[:rest]:
        sizes[stratum] += 1
    chosen: set[str] = set()
    for stratum, size in sizes.items():
        groups = sorted(by_stratum[stratum])
        chosen |= {groups[place] for place in permutation(len(groups))[:size]}
    return frozenset(chosen)
