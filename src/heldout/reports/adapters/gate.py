"""The gate's answer, for any form: what gives the holdout away, what nobody knows, and what people accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heldout.domain.answer import Accepted, Answer, Contamination
from heldout.domain.coverage import Retirement
from heldout.domain.finding import Finding
from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Report, Weight
from heldout.reports.adapters.findings import part_of, told, unknown_item
from heldout.reports.adapters.rules import gap_rule, rules
from heldout.reports.answers import plural
from heldout.reports.gate import next_steps


def gate_report(
    subject: str,
    answer: Answer,
    retired: Sequence[Retirement],
    as_of: Sequence[tuple[str, str]],
    locate: Callable[[Finding], Location],
    nowhere: Location,
) -> Report:
    """Gaps point to `nowhere`, the subject's data. A gap beside a contamination is a warning: the verdict stands."""

    def items() -> Iterator[Item]:
        for hit in answer.findings:
            yield _hit_item(hit, subject, locate(hit.finding))
        for gap in answer.gaps:
            level = Level.WARNING if answer.contaminated else Level.ERROR
            yield unknown_item(gap_rule(gap.kind), subject, gap.text, nowhere, level)
        for accepted in answer.accepted:
            yield _accepted_item(accepted, subject, locate(accepted.contamination.finding))

    outcome = Outcome.FOUND if answer.contaminated else Outcome.CLEAN if answer.complete else Outcome.UNKNOWN
    held = len({hit.held.identity() for hit in answer.findings})
    said = [f"{subject}: {answer.verdict}"]
    if held:
        said.append(answer.wrong)
    if answer.gaps:
        said.append(f"{plural(len(answer.gaps), 'thing is', 'things are')} not known")
    named = [hit.finding.kind.value for hit in answer.findings]
    named += [gap_rule(gap.kind) for gap in answer.gaps]
    named += [item.contamination.finding.kind.value for item in answer.accepted]
    counts = (("held-out examples that measure nothing any more", held), ("findings", len(answer.findings)))
    return Report(
        "gate",
        subject,
        outcome,
        tuple(said),
        len(answer.findings) + len(answer.gaps) + len(answer.accepted),
        Items(items),
        rules(named),
        (*counts, ("not known", len(answer.gaps)), ("accepted by people", len(answer.accepted))),
        tuple(_gate_notes(retired, as_of)),
        tuple(next_steps(subject, answer)),
    )


def _gate_notes(retired: Sequence[Retirement], as_of: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield from (f"retired, not compared: {item.version} ({item.reason}; {item.by})" for item in retired)
    yield f"as of {', '.join(f'{name} {commit[:10]}' for name, commit in as_of) or 'no commit'}"


def _hit_item(hit: Contamination, subject: str, location: Location) -> Item:
    finding, exposing = hit.finding, tuple(map(str, hit.exposed_by))
    where = f"; that one is in {', '.join(exposing[:3])}" if exposing else ""
    where += f" and {len(exposing) - 3} more" if len(exposing) > 3 else ""
    sides = (part_of(hit.held, finding), part_of(hit.other, finding, exposing))
    message = told(finding, hit.held, sides) + where
    return Item(
        id=finding.id,
        rule=finding.kind.value,
        weight=Weight.BLOCK,
        level=Level.ERROR,
        message=message,
        location=location,
        parts=sides,
        also=tuple(kind.value for kind in finding.also),
        score=finding.similarity,
        contaminates=(subject,),
    )


def _accepted_item(accepted: Accepted, subject: str, location: Location) -> Item:
    review = accepted.review
    until = f", until {review.expires.isoformat()}" if review.expires else ""
    item = _hit_item(accepted.contamination, subject, location)
    return Item(
        item.id,
        item.rule,
        Weight.ACCEPTED,
        Level.NOTE,
        item.message,
        item.location,
        item.parts,
        item.also,
        item.score,
        reason=f"{review.reason} ({review.by}, reviewed by {review.reviewer}{until})",
    )
