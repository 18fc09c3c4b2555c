"""What to do about one finding: which side to move or remove, and what would not help (B51, A47)."""

from __future__ import annotations

from collections.abc import Collection

from heldout.domain.finding import Finding, Kind, Side
from heldout.domain.listing import Names
from heldout.reports.finding_list import version_labels


def advice(finding: Finding, names: Names, frozen: Collection[str]) -> list[str]:
    """Sentences. `frozen` are the sources of versions that take part: what they expose stays exposed."""
    sides = _exposed(finding)
    if sides is None:
        return _no_contamination(finding)
    held, other = sides
    if _is_the_fix(finding, held, other, names):
        where = ", ".join(version_labels(held.held_out_in, names, ""))
        return [
            f"{_name(held, finding)} left the holdout after {where}: that is the fix, and nothing is left to do.",
            f"What is frozen keeps its findings: {where} stays contaminated.",
        ]
    lines = []
    exposing = [source for source in other.open_in if source in frozen]
    if exposing:
        where = ", ".join(version_labels(exposing, names, ""))
        lines.append(f"Move or remove the held-out example {_name(held, finding)}, commit, and freeze again.")
        lines.append(
            f"Removing {_name(other, finding)} would not help: {where} is frozen and holds it outside a holdout."
        )
        lines.append(f"If nothing was trained on {where}: heldout retire it with a reason, or unfreeze it if unpushed.")
    else:
        lines.append(f"Remove {_name(other, finding)}, or move or remove {_name(held, finding)}; then commit.")
        lines.append("No frozen version holds the first outside a holdout, so taking it out is enough.")
    kept = [source for source in held.held_out_in if source in frozen]
    if kept and exposing:
        where = ", ".join(version_labels(kept, names, ""))
        lines.append(f"What is frozen keeps its findings: {where} stays contaminated, the next version need not be.")
    return lines


def _exposed(finding: Finding) -> tuple[Side, Side] | None:
    """(held-out side, open side) of a contamination."""
    if not finding.holdout_contamination:
        return None
    a, b = finding.a, finding.b
    return (a, b) if a.held_out_in and b.open_in else (b, a)


def _is_the_fix(finding: Finding, held: Side, other: Side, names: Names) -> bool:
    """One example that was held out in earlier versions only, and is not in later ones (A29); a move the other way is
    an exposed example in a holdout."""
    if Kind.MOVED not in finding.kinds or set(held.versions) & set(other.versions):
        return False
    before = [name for source in held.held_out_in for name in names.named(source)]
    after = [name for source in other.open_in for name in names.named(source)]
    frozen = all(names.named(source) for source in held.held_out_in)
    return frozen and all(late > max(before) for late in after)


def _no_contamination(finding: Finding) -> list[str]:
    if finding.kind is Kind.INTRA_SPLIT:
        return ["Both examples are in one split: no leak, but the split counts the same question twice."]
    if finding.kind is Kind.CONTAINMENT:
        return [
            "One text stands inside the other. It blocks nothing; look whether the longer one gives an answer away."
        ]
    if finding.kind is Kind.SOURCE_CROSSES_SPLIT:
        return ["One was made from the other: keep both in one split, or the split does not measure what it says."]
    if finding.kind is Kind.GROUP_CROSSES_SPLIT:
        return [f"Both are of one {finding.group or 'group'}: keep it in one split; heldout split make --group does."]
    return ["Exactly one side would have to be held out for a contamination; here none or both are. It blocks nothing."]


def _name(side: Side, finding: Finding) -> str:
    return f"{side.dataset}:{side.label()}" if finding.a.dataset != finding.b.dataset else side.label()
