"""What `heldout verify` found wrong, or could not find out, for any form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from heldout.domain.reporting import Item, Items, Location, Outcome, Report, Weight, item_id
from heldout.domain.reporting import Level as Loudness
from heldout.domain.verification import Check, Level, Problem
from heldout.reports.adapters.rules import rules
from heldout.reports.verify import verdict_line

_WEIGHTS = {
    Level.FAILED: (Weight.BLOCK, Loudness.ERROR),
    Level.UNKNOWN: (Weight.UNKNOWN, Loudness.ERROR),
    Level.REPORTED: (Weight.NOTE, Loudness.NOTE),
}
_SAID = {Level.FAILED: "", Level.UNKNOWN: "not known: ", Level.REPORTED: "as before: "}


def verify_report(check: Check, locate: Callable[[str], Location]) -> Report:
    """`locate` turns the place that a problem names into one in the checked-out files."""

    def items() -> Iterator[Item]:
        for level in Level:
            # Problems that differ in nothing but their words (a commit's digest) stay the same from run to run.
            seen: Counter[tuple[str, str]] = Counter()
            for problem in check.problems:
                if problem.level is level:
                    seen[problem.slug, problem.place] += 1
                    yield _item(problem, seen[problem.slug, problem.place], locate(problem.place))

    counts = Counter(problem.level for problem in check.problems)
    unknown = Outcome.UNKNOWN if counts[Level.UNKNOWN] else Outcome.CLEAN
    return Report(
        "verify",
        "",
        Outcome.FOUND if counts[Level.FAILED] else unknown,
        (verdict_line(check),),
        len(check.problems),
        Items(items),
        rules(problem.slug for level in Level for problem in check.problems if problem.level is level),
        (
            *((level.value, counts[level]) for level in Level),
            ("records checked", check.records),
            ("records made again", check.replayed),
        ),
    )


def _item(problem: Problem, number: int, location: Location) -> Item:
    weight, loudness = _WEIGHTS[problem.level]
    return Item(
        id=item_id(problem.level.value, problem.slug, problem.place, str(number)),
        rule=problem.slug,
        weight=weight,
        level=loudness,
        message=f"{_SAID[problem.level]}{problem.place}: {problem.text}",
        location=location,
    )
