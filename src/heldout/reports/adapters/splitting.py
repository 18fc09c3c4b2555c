"""The split check's findings, for any form. An excerpt is words of a held-out case, so it is told only aloud."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Part, Report, Weight, item_id
from heldout.domain.splitting.case import HELD_OUT
from heldout.domain.splitting.check import Decision, Rule, SplitCheck, SplitFinding
from heldout.reports.adapters.rules import rules
from heldout.reports.splitting.check import next_steps_of, sentence_of_finding

_RULES = {
    Rule.DUPLICATE: "exact",
    Rule.NEAR: "near",
    Rule.SOURCE: "source_crosses_split",
    Rule.EXCERPT: "prompt_excerpt",
    Rule.LOCK: "lock_changed",
}
_OUTCOMES = {Decision.PASS: Outcome.CLEAN, Decision.REVIEW: Outcome.CLEAN, Decision.BLOCK: Outcome.FOUND}


def split_report(check: SplitCheck, location: Location, *, strict: bool) -> Report:
    """`location` is the case file: cases have ids in it, which items name. Strict makes a review block."""

    def items() -> Iterator[Item]:
        return (_item(finding, check, location, strict=strict) for finding in check.findings)

    outcome = Outcome.FOUND if strict and check.findings else _OUTCOMES[check.decision]
    return Report(
        "split check",
        f"{check.cases.name} version {check.cases.version}",
        outcome,
        (f"decision: {check.decision.value}",),
        len(check.findings),
        Items(items),
        rules(_RULES[finding.rule] for finding in check.findings),
        tuple((rule.value, sum(finding.rule is rule for finding in check.findings)) for rule in Rule),
        next=tuple(next_steps_of(check)),
    )


def _item(finding: SplitFinding, check: SplitCheck, location: Location, *, strict: bool) -> Item:
    details = {name: value for name, value in finding.details if name != "excerpt"}
    blocks = strict or finding.rule.decision is Decision.BLOCK
    split = {case.id: case.split for case in check.cases.cases}
    ids = [value for name, value in details.items() if name != "reason"]
    said = sentence_of_finding(finding) if finding.rule is not Rule.EXCERPT else _excerpt(details)
    parts = tuple(Part(split[name], name, held_out=split[name] == HELD_OUT) for name in ids if name in split)
    return Item(
        id=item_id(finding.rule.value, *details.values()),
        rule=_RULES[finding.rule],
        weight=Weight.BLOCK if blocks else Weight.REVIEW,
        level=Level.ERROR if blocks else Level.WARNING,
        message=f"{finding.rule.value}: {said}",
        location=location,
        parts=parts if len(parts) == 2 else (),
        score=finding.similarity,
    )


def _excerpt(details: dict[str, str]) -> str:
    return f"{details['case']} stands in {details.get('prompt', 'the prompt')}"
