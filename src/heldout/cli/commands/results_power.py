"""`heldout results power`: how many cases a slice needs before a rule could decide about it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.domain.results.power import PowerAnswer


class Deciding(StrEnum):
    """What decides: one run's rate, two runs' difference, or a mark among slices."""

    RATE = "rate"
    PAIRED = "paired"
    MARK = "mark"


def results_power(
    rule: Annotated[
        Deciding, typer.Argument(help="rate: one run's minimum; paired: a comparison's margin; mark: a slice.")
    ],
    minimum: Annotated[float | None, typer.Option(help="rate: what the interval has to lie above.")] = None,
    rate: Annotated[float | None, typer.Option(help="rate, mark: the slice's true rate, as you assume it.")] = None,
    margin: Annotated[float | None, typer.Option(help="paired: 0.05 is five points.")] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="FILE", help="paired: every rule of a comparison's policy instead.")
    ] = None,
    gains: Annotated[float | None, typer.Option(help="paired: the share that the candidate alone gets right.")] = None,
    losses: Annotated[float | None, typer.Option(help="paired: the share that the baseline alone gets right.")] = None,
    rules: Annotated[
        int | None, typer.Option(min=1, help="paired: the size of the rule's family; 1 when not given.")
    ] = None,
    run_rate: Annotated[float | None, typer.Option(help="mark: the rate of the whole run.")] = None,
    bundle: Annotated[
        str | None,
        typer.Option("--run", metavar="FILE", help="mark: every slice of what `results report --json` wrote."),
    ] = None,
    slices: Annotated[int | None, typer.Option(min=1, help="mark: how many slices are tested.")] = None,
    alpha: Annotated[
        float | None, typer.Option(help="rate, paired: the error level of the rule; 0.05 when not given.")
    ] = None,
    q: Annotated[
        float | None, typer.Option(help="mark: the share of false marks that is put up with; 0.05 when not given.")
    ] = None,
    power: Annotated[float, typer.Option(help="The chance of a decision that is wanted.")] = 0.8,
    cases: Annotated[
        int | None, typer.Option(min=1, help="A number of cases: how often would each decision come?")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how many cases a slice needs before a rule could decide, so that nobody reads noise. Exact, no normal curve.

    Example: heldout results power paired --margin 0.05 --gains 0.03 --losses 0.02 --rules 3 --cases 80
    """
    from heldout.reports.results.power import needs_json, needs_lines, power_json, power_lines
    from heldout.services.results.power import (
        Asked,
        Margin,
        margins_of,
        mark_power,
        needs_of_run,
        paired_power,
        rate_power,
    )

    session = Session(as_json=as_json, quiet=quiet)
    given = {"--minimum": minimum, "--rate": rate, "--margin": margin, "--policy": policy, "--gains": gains}
    given |= {"--losses": losses, "--rules": rules, "--run-rate": run_rate, "--run": bundle, "--slices": slices}
    given |= {"--alpha": alpha, "--q": q, "--cases": cases}
    _refuse_others(rule, {option for option, value in given.items() if value is not None})
    asked = Asked(_share("--power", power), cases)
    if rule is Deciding.MARK and bundle is not None:
        needs = needs_of_run(bundle, asked.power)
        session.emit(needs_lines(needs), needs_json(needs))
        return
    of_scores: tuple[str, ...] = ()
    answers: list[PowerAnswer]
    if rule is Deciding.RATE:
        bound, truth = _share("--minimum", minimum), _rate("--rate", rate)
        answers = [rate_power(bound, truth, _level("--alpha", alpha), asked)]
    elif rule is Deciding.MARK:
        if slices is None:
            _missing("--slices", "40")
        answers = [mark_power(_share("--run-rate", run_rate), _rate("--rate", rate), slices, _level("--q", q), asked)]
    else:
        wins, lost = _rate("--gains", gains), _rate("--losses", losses)
        if wins + lost > 1:
            _expect("--gains and --losses", f"{wins} and {lost}", "shares of the same cases")
        if policy is not None:
            margins, of_scores = margins_of(policy)
        else:
            margins = (Margin(_share("--margin", margin), _level("--alpha", alpha), rules or 1),)
        answers = [paired_power(item, wins, lost, asked) for item in margins]
    session.emit(power_lines(answers, of_scores), power_json(answers, of_scores))


_USED = {
    Deciding.RATE: {"--minimum", "--rate", "--alpha", "--cases"},
    Deciding.PAIRED: {"--margin", "--gains", "--losses", "--rules", "--alpha", "--cases"},
    Deciding.MARK: {"--run-rate", "--rate", "--slices", "--q", "--cases"},
}
_FROM_FILES = {Deciding.PAIRED: {"--policy", "--gains", "--losses", "--cases"}, Deciding.MARK: {"--run"}}
"""Where one of them names a file that says the rest."""


def _refuse_others(rule: Deciding, given: set[str]) -> None:
    """An answer that leaves out what somebody said would be taken for one that has it in."""
    used, beside = _USED[rule], ""
    for file in given & {"--policy", "--run"}:
        if file in _FROM_FILES.get(rule, ()):
            used, beside = _FROM_FILES[rule], f" with {file}"
    for option in sorted(given - used):
        from heldout.errors import UsageError

        raise UsageError(
            "bad-value", f"{option} has no say in {rule}{beside}", hint=f"it takes {', '.join(sorted(used))}"
        )


def _level(option: str, value: float | None) -> float:
    return 0.05 if value is None else _share(option, value)


def _share(option: str, value: float | None) -> float:
    if value is None:
        _missing(option, "0.05")
    if not 0 < value < 1:
        _expect(option, value, "a number between 0 and 1")
    return value


def _rate(option: str, value: float | None) -> float:
    if value is None:
        _missing(option, "0.1")
    if not 0 <= value <= 1:
        _expect(option, value, "a number from 0 to 1")
    return value


def _missing(option: str, example: str) -> NoReturn:
    from heldout.errors import UsageError

    raise UsageError("bad-value", f"{option} is needed for this rule", hint=f"{option} {example}")


def _expect(option: str, value: object, expected: str) -> NoReturn:
    from heldout.errors import UsageError

    raise UsageError("bad-value", f"{option} {value}: expected {expected}", hint="heldout results power --help")
