"""What `heldout leak` found, for any form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import assert_never

from heldout.domain.leaks.leak import LeakFinding, LeakKind, LeakRate, LeakRecord
from heldout.domain.leaks.leaks import Leaks
from heldout.domain.leaks.rollup import by_similarity
from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Part, Report, Rule, Weight, item_id
from heldout.reports.adapters.places import Rebased
from heldout.reports.answers import plural
from heldout.reports.leaks.advice import ACTIONS
from heldout.reports.leaks.report import percent, thousandths

_WEIGHTS = {
    LeakKind.EXACT: Weight.BLOCK,
    LeakKind.NEAR: Weight.BLOCK,
    LeakKind.CONTAINMENT: Weight.REVIEW,
    LeakKind.INTRA_SPLIT: Weight.NOTE,
}


def leak_report_of(leaks: Leaks, command: str, notes: Sequence[str], rebased: Rebased) -> Report:
    """All that the detectors found that ran; each class of finding makes the command exit 1, as EvalLeak did."""
    found = [kind for kind in leaks.kinds if leaks.count(kind)]
    total = sum(leaks.count(kind) for kind in found)
    answer = f"{plural(total, 'pair')}; {plural(leaks.contaminated(), 'record')} in any of them"
    return _report(
        leaks,
        command,
        Outcome.FOUND if found else Outcome.CLEAN,
        (answer if found else "nothing is shared by two splits, and nothing stands twice in one",),
        Items(lambda: (_item(finding, rebased) for kind in found for finding in leaks.findings(kind))),
        found,
        notes,
    )


def leak_check_report(leaks: Leaks, rate: LeakRate, limit: Decimal, notes: Sequence[str], rebased: Rebased) -> Report:
    """Above the limit the covered share is what fails; its pairs are listed either way."""
    exceeds = rate.exceeds(limit)
    verdict = f"exceeds the maximum of {limit}%" if exceeds else f"is within the maximum of {limit}%"
    covered = f"{rate.records}/{rate.of} = {percent(rate.share)}%"

    def found() -> Iterable[LeakFinding]:
        yield from by_similarity(leaks, rate.source)
        yield from leaks.findings(LeakKind.CONTAINMENT)

    kinds = [kind for kind in leaks.kinds if leaks.count(kind)]
    return _report(
        leaks,
        "leak check",
        Outcome.FOUND if exceeds else Outcome.CLEAN,
        (f"{covered} of {rate.target} is covered by {rate.source}, which {verdict}",),
        Items(lambda: (_item(finding, rebased, within=not exceeds) for finding in found())),
        kinds,
        notes,
    )


def _report(
    leaks: Leaks,
    command: str,
    outcome: Outcome,
    answer: tuple[str, ...],
    items: Items,
    found: Sequence[LeakKind],
    notes: Sequence[str],
) -> Report:
    return Report(
        command,
        " ".join(sorted(leaks.splits)),
        outcome,
        answer,
        sum(leaks.count(kind) for kind in found),
        items,
        [_rule(kind, leaks) for kind in found],
        tuple((kind.value, leaks.count(kind)) for kind in found),
        tuple(notes),
        tuple(f"{kind.value}: {ACTIONS[kind]}" for kind in found),
    )


def _rule(kind: LeakKind, leaks: Leaks) -> Rule:
    """What decided here: settings of the run, not those of a scan."""
    settings = leaks.settings
    steps = f"Normalisation: {', '.join(settings.steps.names()) or 'none'}."
    texts = {
        LeakKind.EXACT: ("Two records have the same text", f"Equal after normalisation. {steps}"),
        LeakKind.NEAR: ("Two records have nearly the same text", f"{settings.near_rule}. {steps}"),
        LeakKind.CONTAINMENT: (
            "One record's text stands whole inside another one's",
            f"At least {settings.min_length} characters of it. {steps}",
        ),
        LeakKind.INTRA_SPLIT: ("One split holds the same text twice", f"Equal after normalisation. {steps}"),
    }
    title, text = texts[kind]
    return Rule(kind.value, title, f"{text} What to do: {ACTIONS[kind]}.")


def _item(finding: LeakFinding, rebased: Rebased, *, within: bool = False) -> Item:
    """Points at the first record, the contained one of two. Any is a reason to stop, unless it is within a limit."""
    parts = tuple(_part(record, rebased) for record in (finding.a, finding.b))
    a, b = finding.a, finding.b
    return Item(
        id=item_id(finding.kind.value, a.split, a.id, b.split, b.id),
        rule=finding.kind.value,
        weight=_WEIGHTS[finding.kind],
        level=Level.WARNING if within else Level.ERROR,
        message=_told(finding),
        location=_place(a, rebased),
        parts=parts,
        score=finding.similarity,
    )


def _told(finding: LeakFinding) -> str:
    a, b = finding.a.name, finding.b.name
    match finding.kind:
        case LeakKind.EXACT:
            return f"{a} has the same text as {b}"
        case LeakKind.NEAR:
            score = "" if finding.similarity is None else f" ({thousandths(finding.similarity)} alike)"
            return f"{a} is nearly the same as {b}{score}"
        case LeakKind.CONTAINMENT:
            return f"{a} stands whole inside {b} ({finding.position})"
        case LeakKind.INTRA_SPLIT:
            return f"{a} has the same text as {b}, in its own split"
        case _:
            assert_never(finding.kind)


def _part(record: LeakRecord, rebased: Rebased) -> Part:
    return Part(record.split, record.id, location=_place(record, rebased))


def _place(record: LeakRecord, rebased: Rebased) -> Location:
    return Location(rebased(record.file), record.line)
