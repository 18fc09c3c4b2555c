"""A comparison as text for people: a line a scope, a line a rule, the families' levels, and the gate."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.results.comparison import Comparison, FamilyResult, PairedResult
from heldout.domain.results.decision import Decided, Decision, Reason
from heldout.reports.results.numbers import DOT, difference_interval, difference_text, safe
from heldout.reports.results.table import dataset_text, gate_line, warning_of

DROPPED = (
    "WARNING: cases that one run alone excluded count for no rule, as the policy says (one_sided_exclusions: drop)"
)
HOPELESS = "the estimate itself is at or outside the margin; no sample size would make this PASS"
NO_CASE = "no case is in this slice: is its value written as in the data?"
ONE_SIDED = "cases that one run alone excluded count as missing; have both runs answer them, or both exclude them"


def compare_lines(found: Comparison) -> Iterator[str]:
    yield f"Comparison {found.digest}"
    yield DOT.join(
        [
            f"candidate {safe(found.candidate.run)}",
            f"baseline {safe(found.baseline.run)}",
            dataset_text(found.candidate.dataset),
            f"{found.paired:,} paired cases",
        ]
    )
    warning = warning_of(found.candidate.dataset)
    if warning:
        yield warning
    yield ""
    yield from (scope_line(row) for row in found.results)
    if found.drops:
        yield DROPPED
    if found.unshared:
        yield unshared_line(found)
    if found.decided:
        yield ""
    for item in found.decided:
        yield from rule_lines(found, item)
    yield from (family_line(item) for item in found.families)
    yield gate_text(found)


def unshared_line(found: Comparison) -> str:
    return f"not compared, for the two runs do not share them: {', '.join(map(safe, found.unshared))}"


def gate_text(found: Comparison) -> str:
    return gate_line(found.gate) if found.decided else "Gate: none, the policy has no rule (exit 0)"


def interval_or_why(row: PairedResult) -> str:
    if row.interval is not None:
        return difference_interval(row.metric, row.interval)
    return f"< {row.least}, no interval" if row.paired else "nothing paired"


def excluded_text(row: PairedResult) -> str:
    """How many, and how many of them one run alone excluded: there a run may have left out what it failed."""
    alone = [
        f"{count:,} by the {side} alone"
        for side, count in zip(("candidate", "baseline"), row.excluded_alone, strict=True)
        if count
    ]
    said = f" ({', '.join(alone)})" if alone else ""
    return f"{row.excluded:,} excluded{said}"


def scope_line(row: PairedResult) -> str:
    """`<metric> [scope]: <diff> points [lo, hi] · n paired · m missing · x excluded [· exploratory · support n]`."""
    name = safe(row.metric.name if row.scope.is_global else f"{row.metric.name} [{row.scope}]")
    value = interval_or_why(row)
    if row.paired:
        value = f"{difference_text(row.metric, row.difference)} {value}"
    parts = [f"{name}: {value}", f"{row.paired:,} paired", f"{row.missing:,} missing", excluded_text(row)]
    if not row.scope.is_global:
        parts += ["exploratory", f"support {row.paired:,}"]
    return DOT.join(parts)


def rule_lines(found: Comparison, item: Decided) -> Iterator[str]:
    rule = item.rule
    metric = next(row.metric for row in found.results if row.metric.name == rule.metric)
    margin = difference_text(metric, rule.bound)
    where = "" if rule.scope.is_global else f" [{safe(str(rule.scope))}]"
    about = f"{safe(rule.metric)}{where} {rule.kind}, margin {margin}"
    yield f"Rule {safe(rule.id)}: {item.decision} ({item.reason}){DOT}{about}"
    if item.hopeless:
        yield f"  advice: {HOPELESS}"
    elif item.reason is Reason.EXCLUDED:
        yield f"  advice: {ONE_SIDED}"
    elif item.reason is Reason.SUPPORT and not any(row.scope == rule.scope for row in found.results):
        yield f"  advice: {NO_CASE}"
    elif item.decision is Decision.INSUFFICIENT:
        yield "  advice: more paired cases could decide it; a thin or incomplete slice passes nothing"


def family_line(item: FamilyResult) -> str:
    levels = ", ".join(f"{level:.4g}" for level in item.levels) or "none used, no rule failed"
    return f"Family {safe(item.family.id)}: Holm over {len(item.family.rules)} rules; adjusted levels {levels}"
