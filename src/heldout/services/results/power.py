"""`heldout results power`: cases that a rule needs, from plain numbers or from the rules of a comparison's policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from heldout.domain.results.power import Needed, PowerAnswer, RunRates, SliceNeeds, SliceRate
from heldout.domain.results.report import Metric
from heldout.domain.results.run import SCORE
from heldout.errors import UsageError
from heldout.services.results.requiring import check_margin
from heldout.statistics.power import Chance, OnePairing, OneRate, enough, exact_rate, marked_slice
from heldout.storage.regular_files import opened
from heldout.storage.results.bundle_file import read_rates
from heldout.storage.results.policy_file import parse_policy

RATE_LIMIT, PAIRED_LIMIT = 100_000, 20_000
"""Where looking ends: beyond it, a rule is of no use for slices."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`power` is the chance that is wanted, `cases` a number that somebody has."""

    power: float = 0.8
    cases: int | None = None


def rate_power(minimum: float, rate: float, alpha: float, asked: Asked) -> PowerAnswer:
    """A rule that one run's exact interval lies above a minimum, where the slice's true rate is `rate`."""
    interval = f"the exact {1 - alpha:.10g} interval of a rate"
    words = (f"{interval} lies above {minimum:.10g}", f"the true rate is {rate:.10g}")
    sides = {name: exact_rate(minimum, alpha, above=name == "PASS") for name in ("PASS", "FAIL")}
    return _of_rates("rate", words, sides, (rate, rate - minimum), asked)


def mark_power(run_rate: float, rate: float, slices: int, q: float, asked: Asked) -> PowerAnswer:
    """A mark of one slice among so many that are tested, were it the only one that stands out."""
    words = (
        f"a slice among {slices:,} is marked against the run's rate {run_rate:.10g} at q {q:.10g}, alone",
        f"the slice's true rate is {rate:.10g}",
    )
    found = {name: marked_slice(run_rate, q, slices, above=name == "marked above") for name in _MARKS}
    sides = {name: side for name, side in found.items() if side is not None}
    if not sides:
        words = (f"{words[0]}: among so many the smallest level that is reported, 0.0001, is no mark", words[1])
    return _of_rates("mark", words, sides, (rate, rate - run_rate), asked, names=_MARKS)


_MARKS = ("marked above", "marked below")


def _of_rates(
    kind: str,
    words: tuple[str, str],
    sides: dict[str, OneRate],
    truth: tuple[float, float],
    asked: Asked,
    names: tuple[str, str] = ("PASS", "FAIL"),
) -> PowerAnswer:
    rate, ahead = truth
    expected, other = names if ahead >= 0 else names[::-1]

    def chance(name: str) -> Chance:
        return lambda n: sides[name].chance(n, rate)

    def needed(name: str, *, expected: bool) -> Needed:
        if name not in sides:
            return Needed(name, asked.power, RATE_LIMIT, None)
        side = sides[name]
        found = Needed(name, asked.power, RATE_LIMIT, side.possible(RATE_LIMIT))
        window = min(2000, 32 + 3 * ceil(1 / min(side.null, 1 - side.null)))
        return _with_power(found, chance(name), window) if expected else found

    return PowerAnswer(
        kind,
        *words,
        needed(expected, expected=True) if ahead else None,
        needed(other, expected=False),
        asked.cases,
        () if asked.cases is None else tuple((name, chance(name)(asked.cases)) for name in names if name in sides),
    )


def _with_power(needed: Needed, chance: Chance, window: int) -> Needed:
    found = enough(chance, needed.power, needed.limit, window)
    if found is None:
        return needed
    return replace(needed, powered=found, checked=window, chance=chance(found))


@dataclass(frozen=True, slots=True)
class Margin:
    """A rule on a paired difference. `rules` is the size of its family: a failure's level is alpha over it at first.

    With fewer cases than `min_support` the rule reads no evidence.
    """

    margin: float
    alpha: float = 0.05
    rules: int = 1
    name: str = "rule"
    min_support: int = 0

    def least(self, found: Callable[[int], int | None]) -> int | None:
        """A number of cases up to the limit, and no smaller than the rule's support."""
        cases = found(PAIRED_LIMIT)
        return None if cases is None else max(cases, self.min_support)


def paired_power(rule: Margin, gains: float, losses: float, asked: Asked) -> PowerAnswer:
    """Where the candidate alone is right in a share `gains` of cases, the baseline alone in `losses`."""
    strict = rule.alpha / rule.rules
    passes, fails = OnePairing(-rule.margin, rule.alpha), OnePairing(rule.margin, strict)
    chances: dict[str, Chance] = {
        "PASS": lambda n: passes.chance(n, gains, losses) if n >= rule.min_support else 0.0,
        "FAIL": lambda n: fails.chance(n, losses, gains) if n >= rule.min_support else 0.0,
    }
    # 0.1 - 0.15 is no float: a difference that is written as the margin must not count as beyond it
    ahead = round(gains - losses + rule.margin, 12)
    least = rule.least
    at_best = {
        "PASS": Needed("PASS", asked.power, PAIRED_LIMIT, least(passes.possible), least(passes.same)),
        "FAIL": Needed("FAIL", asked.power, PAIRED_LIMIT, least(fails.possible)),
    }
    expected, other = ("PASS", "FAIL") if ahead > 0 else ("FAIL", "PASS")
    family = f", failures at {strict:.4g} (Holm over {rule.rules})" if rule.rules > 1 else ""
    support = f", min_support {rule.min_support}" if rule.min_support else ""
    return PowerAnswer(
        "paired",
        f"{rule.name}: no worse than {100 * rule.margin:.10g} points, alpha {rule.alpha:.10g}{family}{support}",
        f"the candidate alone is right in {100 * gains:.10g} % of the cases, "
        f"the baseline alone in {100 * losses:.10g} %",
        _with_power(at_best[expected], chances[expected], 32) if ahead else None,
        at_best[other],
        asked.cases,
        () if asked.cases is None else tuple((name, chance(asked.cases)) for name, chance in chances.items()),
    )


def margins_of(path: str) -> tuple[tuple[Margin, ...], tuple[str, ...]]:
    """The rules of a policy on outcomes, each with its family's size, and the ids of its rules on scores.

    Whether a rule on scores can decide depends on how far they spread, which no shares of gains and losses tell.

    Raises ConfigError; UsageError: no-rows where no rule is on outcomes, rule-out-of-range.
    """
    with opened(Path(path), path) as (stream, _):
        policy, suite = parse_policy(stream.read(), path)
    of_scores = {rule.id for rule in policy.rules if rule.metric == SCORE or rule.metric in suite.scores}
    rules = [rule for rule in policy.rules if rule.id not in of_scores]
    if not rules:
        said = "has rules on scores only" if of_scores else "has no rule"
        raise UsageError("no-rows", f"{path} {said}", hint="give it rules on outcomes, or plain numbers: --margin 0.05")
    for rule in rules:
        check_margin(rule, Metric(rule.metric))
    margins = tuple(
        Margin(
            0.0 - rule.bound,
            policy.alpha,
            len(family.rules) if (family := policy.family_of(rule.id)) else 1,
            rule.id if rule.scope.is_global else f"{rule.id} [{rule.scope}]",
            rule.min_support,
        )
        for rule in rules
    )
    return margins, tuple(sorted(of_scores))


def needs_of_run(path: str, power: float) -> tuple[SliceNeeds, ...]:
    """For each slice of a run's bundle, cases for a mark were its rate as seen. Raises ConfigError, UsageError."""
    found = read_rates(path)
    if not any(rates.slices for rates in found):
        raise UsageError(
            "no-rows", f"{path} has no rate by slice", hint="heldout results report RUN --slice ... --json"
        )
    return tuple(
        SliceNeeds(rates, power, tuple(_needed(rates, each, power) for each in rates.slices)) for rates in found
    )


def _needed(rates: RunRates, item: SliceRate, power: float) -> int | None:
    run_rate = rates.whole.rate
    if not item.observed or item.rate == run_rate or run_rate in (0.0, 1.0):
        return None
    side = marked_slice(run_rate, rates.q, max(rates.tested, 1), above=item.rate > run_rate)
    window = 32 + 3 * ceil(1 / min(run_rate, 1 - run_rate))
    return None if side is None else enough(lambda n: side.chance(n, item.rate), power, RATE_LIMIT, min(2000, window))
