"""`heldout results power` as text and as JSON (`heldout/results-power@1`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heldout.domain.results.power import Needed, PowerAnswer, SliceNeeds


def power_lines(answers: Iterable[PowerAnswer], of_scores: Sequence[str] = ()) -> Iterator[str]:
    for number, answer in enumerate(answers):
        if number:
            yield ""
        yield answer.rule
        yield f"  if {answer.assumed}:"
        if answer.expected is None:
            yield "  that is the boundary itself: no number of cases decides"
        else:
            yield from _expected(answer.expected)
        if answer.other is not None:
            yield f"  {answer.other.decision}: {_possible(answer.other)}"
        if answer.given is not None:
            left = 1 - sum(chance for _, chance in answer.chances)
            told = ", ".join(f"{name} {_percent(chance)}" for name, chance in answer.chances)
            yield f"  with {answer.given:,} cases: {told}{', ' if told else ''}undecided {_percent(left)}"
    if of_scores:
        yield ""
        yield f"no answer for rules on scores, which depend on how far scores spread: {', '.join(of_scores)}"


def _expected(needed: Needed) -> Iterator[str]:
    yield f"  {needed.decision}: {_possible(needed)}"
    if needed.same is not None:
        yield f"  {needed.decision}: {needed.same:,} cases where nothing differs at all"
    if needed.powered is None or needed.chance is None:
        yield f"  {needed.decision}: no number up to {needed.limit:,} comes to it with a chance of {needed.power:.10g}"
    else:
        yield (
            f"  {needed.decision}: {needed.powered:,} cases for a chance of {needed.power:.10g} "
            f"({needed.chance:.3f} there; kept at the next {needed.checked:,} numbers)"
        )


def _possible(needed: Needed) -> str:
    if needed.possible is None:
        return f"impossible with any result up to {needed.limit:,} cases"
    return f"impossible below {needed.possible:,} cases, whatever is observed"


def _percent(chance: float) -> str:
    return f"{100 * max(chance, 0.0):.1f} %"


def power_json(answers: Iterable[PowerAnswer], of_scores: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "format": "heldout/results-power@1",
        "rules": [answer.as_json() for answer in answers],
        "rules_on_scores": list(of_scores),
    }


def needs_lines(found: Iterable[SliceNeeds]) -> Iterator[str]:
    for item in found:
        run = item.rates
        yield (
            f"{run.metric}: {_percent(run.whole.rate)} of {run.whole.observed:,} cases; "
            f"{run.tested:,} slices were tested at q {run.q:.4g}"
        )
        head = ("scope", "cases", "estimate", "marked", "needed")
        rows = [head]
        for each, needed in zip(run.slices, item.needed, strict=True):
            marked = {None: "not tested", True: "yes", False: "no"}[each.marked]
            rows.append((each.scope, f"{each.observed:,}", _percent(each.rate), marked, _number(needed)))
        widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
        for row in rows:
            yield "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
            )
    yield "needed: cases for a mark with the wanted chance, alone, were the rate that was seen the true one"
    yield "the rate of a few cases is noise itself: this tells who is far from a mark, and not what a slice will show"


def _number(needed: int | None) -> str:
    return "-" if needed is None else f"{needed:,}"


def needs_json(found: Iterable[SliceNeeds]) -> dict[str, Any]:
    return {"format": "heldout/results-power@1", "runs": [item.as_json() for item in found]}
