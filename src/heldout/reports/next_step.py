"""The one thing to do next, for the whole repository: one command, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heldout.domain.answer import Verdict
from heldout.domain.standing import Change, DatasetStanding, Surroundings
from heldout.reports.answers import plural
from heldout.reports.status import next_step

_ADD = "heldout add NAME train.csv test.csv --holdout test"


@dataclass(frozen=True, slots=True)
class NextStep:
    command: str
    why: str

    @property
    def line(self) -> str:
        return f"next: {self.command}   ({self.why})"


NO_REPOSITORY = NextStep("git init && heldout init", "this folder is in no Git repository")


def overall_step(standings: Sequence[DatasetStanding], around: Surroundings) -> NextStep:
    """What stands in the way of everything else first: set-up, then data, records, leaks, gaps, people."""
    if around.lacking:
        return NextStep("heldout init", "; ".join(around.lacking))
    if around.shallow:
        return NextStep("git fetch --unshallow --tags", "this clone is shallow, so every gate answers unknown")
    if not standings:
        return NextStep(_ADD, "there is no dataset yet")
    if around.unsaved:
        return _save(around.unsaved)
    steps = sorted(filter(None, (_ranked(item) for item in standings)), key=lambda item: item[0])
    if steps and steps[0][0] < _PEOPLE:
        return steps[0][1]
    if around.awaiting:
        return NextStep("heldout review list", f"{plural(around.awaiting, 'decision')} to be agreed to")
    return steps[0][1] if steps else _all_clean(standings)


_PEOPLE = 3


def _save(unsaved: Sequence[tuple[str, str]]) -> NextStep:
    folders = sorted({path[: path.index("/", len(dataset) + len("datasets//"))] for dataset, path in unsaved})
    why = f"{plural(len(unsaved), 'file')} of records or decisions in no commit"
    return NextStep(f"git add {' '.join(folders)} && git commit", why)


def _ranked(standing: DatasetStanding) -> tuple[int, NextStep] | None:
    """(rank, step): 0 working copy, 1 no record, 2 contaminated, 4 what else keeps it from being clean."""
    command = next_step(standing)
    if command is None:
        return _frozen_gap(standing)
    name, head = standing.name, standing.head
    if standing.change is not Change.UNCHANGED or standing.edited:
        return 0, NextStep(command, f"{name}: {standing.problem or 'changed since the last commit'}")
    if head is None or not standing.recorded:
        return 1, NextStep(command, f"{name}: nobody scanned it")
    if head.contaminated:
        return 2, NextStep(command, f"{name}: {head.wrong}")
    return 4, NextStep(command, f"{name}: {head.gaps[0].text}" if head.gaps else f"{name}: not frozen yet")


def _frozen_gap(standing: DatasetStanding) -> tuple[int, NextStep] | None:
    """HEAD is fine, and an earlier version may not be. What was contaminated once stays so: there is nothing to do."""
    for item in reversed(standing.versions):
        if not item.retired and item.answer.verdict is Verdict.UNKNOWN:
            return 4, NextStep(f"heldout gate {item.version.name}", f"unknown: {item.answer.gaps[0].text}")
    return None


def _all_clean(standings: Sequence[DatasetStanding]) -> NextStep:
    frozen = [item.latest for item in standings if item.latest is not None and not item.latest.retired]
    clean = [item for item in frozen if item.answer.verdict is Verdict.CLEAN]
    if not clean:
        return NextStep("heldout versions", "nothing is left to do; no frozen version is clean")
    return NextStep(f"heldout gate {clean[0].version.name}", "nothing is left to do; its newest version is clean")
