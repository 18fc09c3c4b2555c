"""`heldout sample qualify` as text. Its JSON is the study itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from heldout.domain.sampling.design import Design, decimal
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import STATEMENTS
from heldout.domain.sampling.numbers import RULES, AtTruth, Everywhere
from heldout.reports.sampling.texts import percent, population_line, table

_LISTED = 4  # populations of least coverage
_CELLS = 12


def qualify_report(
    frame: Frame,
    design: Design,
    truth: Mapping[str, int],
    numbers: tuple[int, int],
    found: AtTruth,
    everywhere: Everywhere | None,
) -> Iterator[str]:
    """`numbers` are ID sets and populations."""
    sets, populations = numbers
    names = [plan.name for plan in design.strata]
    quotas = ", ".join(f"{plan.name} {plan.draw} of {plan.units}" for plan in design.strata)
    yield f"{design.name} version {design.version}: {quotas}: {sets:,} ID sets, {populations:,} populations"
    yield population_line(frame.population)
    shown = ", ".join(f"{name} {truth[name]}" for name in names)
    yield f"truth, which only a study knows: {shown}; rate {found.rate} = {percent(found.rate)}"
    yield from _cells(found, names)
    yield (
        f"expected: raw {found.expected_raw}, weighted {found.expected_weighted}; "
        f"mean squared error: raw {_number(found.error_raw)}, weighted {_number(found.error_weighted)}"
    )
    yield f"coverage at this truth: {_chance(found.coverage)}"
    if everywhere is None:
        yield f"not gone through: {populations:,} populations are too many; the least coverage is at least 1 - alpha"
    else:
        yield _least(everywhere, names)
    for name, value in design.thresholds.items():
        yield from _decisions(name, value, found, everywhere)
    for text in STATEMENTS:
        yield f"note: {text}"


def _cells(found: AtTruth, names: list[str]) -> Iterator[str]:
    head = (f"failures ({', '.join(names)})", "ID sets", "raw", "weighted", "interval")
    rows = [
        (
            ", ".join(map(str, cell.failures)),
            f"{cell.sets:,}",
            str(cell.raw),
            str(cell.weighted),
            f"[{cell.bounds.low}, {cell.bounds.high}]",
        )
        for cell in found.cells[:_CELLS]
    ]
    yield from table([head, *rows])
    if len(found.cells) > _CELLS:
        yield f"and {len(found.cells) - _CELLS:,} more combinations (--json lists them)"


def _least(everywhere: Everywhere, names: list[str]) -> str:
    places = [
        " and ".join(f"{name} {count}" for name, count in zip(names, truth, strict=True)) for truth in everywhere.worst
    ]
    more = f" and {len(places) - _LISTED:,} more" if len(places) > _LISTED else ""
    return (
        f"least coverage over all {everywhere.populations:,} populations: {_chance(everywhere.coverage)}, "
        f"with {'; '.join(places[:_LISTED])}{more} failing"
    )


def _decisions(name: str, value: Fraction, found: AtTruth, everywhere: Everywhere | None) -> Iterator[str]:
    false = "exceed" if found.rate <= value else "clear"
    yield f"threshold {name} {decimal(value * 100)} %: at this truth it is false to {false}"
    head: tuple[str, ...] = ("  rule", "clear", "exceed", "hold")
    if everywhere is not None:
        head = (*head, "worst false clear", "worst false exceed")
    rows = [head]
    for rule in RULES:
        chances = found.chances[value][rule]
        row: tuple[str, ...] = (f"  {rule}", *(percent(each) for each in (chances.clear, chances.exceed, chances.hold)))
        if everywhere is not None:
            worst = (everywhere.false_clear[value][rule], everywhere.false_exceed[value][rule])
            row = (*row, *(percent(each) for each in worst))
        rows.append(row)
    yield from table(rows)


def _chance(value: Fraction) -> str:
    return "1" if value == 1 else f"{value} = {float(value * 100):.2f} %"


def _number(value: Fraction) -> str:
    return f"{value} = {float(value):.7g}"
