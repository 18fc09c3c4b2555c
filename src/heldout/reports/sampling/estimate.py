"""`heldout sample estimate` and `replay` as text. The JSON of an estimate is the study itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.example import JSON
from heldout.domain.sampling.design import Design, decimal
from heldout.domain.sampling.drawing import Draw
from heldout.domain.sampling.estimate import Decided, Decision, Estimate
from heldout.domain.sampling.frame import Frame
from heldout.domain.sampling.kinds import RULES, STATEMENTS
from heldout.domain.sampling.study import Replayed
from heldout.reports.sampling.texts import level, outward, percent, population_line, table

_LISTED = 20  # differences of a replay, as text


def estimate_report(frame: Frame, design: Design, draw: Draw, found: Estimate) -> Iterator[str]:
    rule = RULES[design.kind]
    unit = frame.population.unit
    yield f"{design.name} version {design.version}: a {design.kind} sample, selected {draw.selected_at}"
    yield population_line(frame.population)
    if design.window is not None:
        yield f"window {design.window.time}, fresh until {design.window.fresh_until}"
    yield f"failure: {design.outcome.failure}; ripe: {design.outcome.maturity}"
    yield from _strata(design, found)
    yield f"{rule.raw_name}: {_total(found)}, {percent(found.raw)}"
    if found.weighted is not None and found.interval is not None:
        yield (
            f"weighted rate of the population's {frame.size:,} units ({unit}): {found.weighted} = "
            f"{percent(found.weighted)}, {level(design.alpha)} interval {outward(*found.interval)}"
        )
    for each in found.decisions:
        yield _decision(each, found)
    if found.prohibited:
        yield f"prohibited actions among those drawn: {found.prohibited}; no weight makes up for one"
    for text in (rule.says, *STATEMENTS):
        yield f"note: {text}"


def _total(found: Estimate) -> str:
    return f"{sum(each.failures for each in found.strata):,} of {sum(each.drawn for each in found.strata):,}"


def _strata(design: Design, found: Estimate) -> list[str]:
    head = ("stratum", "units", "drawn", "failures", "rate", f"interval (together {level(design.alpha)})")
    rows = [
        (
            each.name + (" (risk)" if each.risk else ""),
            f"{each.units:,}",
            f"{each.drawn:,}",
            f"{each.failures:,}",
            percent(each.rate),
            outward(each.low, each.high),
        )
        for each in found.strata
    ]
    return table([head, *rows])


def _decision(each: Decided, found: Estimate) -> str:
    ends = found.interval
    for stratum in found.strata:
        if stratum.name == each.scope:
            ends = (stratum.low, stratum.high)
    where = f" in {each.scope}" if each.scope else ""
    reason = {
        Decision.CLEAR: "all of the interval is at or below it",
        Decision.EXCEED: "all of the interval is above it",
        Decision.HOLD: "the interval has it inside",
    }[each.interval]
    shown = "" if ends is None else f", {outward(*ends)}"
    return (
        f"threshold {each.threshold} {decimal(each.value * 100)} %{where}: {each.interval} ({reason}{shown}); "
        f"on points alone: raw {each.raw}, weighted {each.weighted}"
    )


def replay_report(found: Replayed) -> Iterator[str]:
    if not found.differences:
        yield f"{found.file}: computed again from what went into it; every entry is the same"
        return
    count = len(found.differences)
    yield f"{found.file}: {count:,} entries are not what its inputs give"
    for each in found.differences[:_LISTED]:
        yield f"  {each.path}: stored {_short(each.stored)}, computed {_short(each.computed)}"
    if count > _LISTED:
        yield f"  and {count - _LISTED:,} more (--json lists them)"
    yield "next: do not use the study; heldout sample replay -o writes the one that its inputs give"


def _short(value: JSON) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def replay_json(found: Replayed) -> dict[str, Any]:
    return {
        "format": "heldout/sample-replay@1",
        "file": found.file,
        "kind": found.kind,
        "same": not found.differences,
        "differences": [
            {"path": each.path, "stored": each.stored, "computed": each.computed} for each in found.differences
        ],
    }
