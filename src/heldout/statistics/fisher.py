"""A slice against the rest of its run: Fisher's exact test of two rates, neither of them taken as known.

Fisher, *Statistical Methods for Research Workers*, 5th edition (1934), section 21.02: given how many succeeded in all,
the successes of the slice are hypergeometric where slice and rest have one rate. Two-sided: every table that is no
likelier than the one observed counts. Tables within 1e-7 of its chance are taken to be as likely, as R does, so that
rounding tells no two equal ones apart.
"""

from __future__ import annotations

from functools import lru_cache

_SAME = 1 + 1e-7


@lru_cache(maxsize=4096)
def fisher_p(successes: int, observed: int, other_successes: int, other_observed: int) -> float:
    """The two-sided level, exact to about 1e-11; 1 where one side is empty.

    Chances are carried relative to the likeliest table, each from its neighbour, outward until no float holds them:
    some forty standard deviations each way, however many cases there are.
    """
    total, drawn = successes + other_successes, observed
    failures = observed + other_observed - total
    first, last = max(0, drawn - failures), min(drawn, total)
    mode = min(max((drawn + 1) * (total + 1) // (total + failures + 2), first), last)

    def ratio(x: int) -> float:
        """The chance of x + 1 over that of x."""
        return (total - x) * (drawn - x) / ((x + 1) * (failures - drawn + x + 1))

    weights = {mode: 1.0}
    weight = 1.0
    for x in range(mode, last):
        weight *= ratio(x)
        if not weight:
            break
        weights[x + 1] = weight
    weight = 1.0
    for x in range(mode - 1, first - 1, -1):
        weight /= ratio(x)
        if not weight:
            break
        weights[x] = weight
    limit = weights.get(successes, 0.0) * _SAME
    whole = sum(sorted(weights.values()))
    return min(1.0, sum(sorted(each for each in weights.values() if each <= limit)) / whole)
