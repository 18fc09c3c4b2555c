"""Verification of roles: a case that datasets of two roles hold is there because somebody said why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from heldout.domain.finding import Finding, Kind
from heldout.domain.verification import Level, Problem
from heldout.services.deciding.review import method_of
from heldout.services.findings import list_findings
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT, DatasetState

_SHOWN = 3


def roles(workspace: Workspace, states: Iterable[DatasetState]) -> Iterator[Problem]:
    """HEAD's datasets that declare a role, two by two where it differs: equal inputs without an accepted decision,
    which names both examples, why, and who says so."""
    held = {state.name: state for state in states if state.spec.role}
    if len({state.spec.role for state in held.values()}) < 2:
        return
    lacking: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
    for row in list_findings(workspace, kinds=(Kind.EXACT,)).rows:
        finding = row.finding
        sides = [held.get(side.dataset) for side in (finding.a, finding.b)]
        if None in sides or not _here(finding, [state for state in sides if state is not None]):
            continue
        method = row.method or method_of(workspace.knowledge(), finding, workspace.settings.method.digest)
        contaminates = bool(row.contaminates) or finding.holdout_contamination
        if workspace.knowledge().reviews.acceptance(finding, method, contaminates=contaminates) is None:
            first, second = sorted((finding.a.dataset, finding.b.dataset))
            lacking[first, second].append(finding)
    for (first, second), found in sorted(lacking.items()):
        named = ", ".join(finding.id for finding in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        count = "1 case is" if len(found) == 1 else f"{len(found):,} cases are"
        where = f"in {second} ({held[second].spec.role}) too"
        text = f"{count} {where}, and nobody recorded why: heldout review accept ID ({named}{more})"
        yield Problem(Level.FAILED, f"{ROOT}/{first} ({held[first].spec.role})", text, "role-lineage-missing")


def _here(finding: Finding, states: list[DatasetState]) -> bool:
    """Whether the two contents at HEAD hold the two examples, and differ in role."""
    first, second = states
    return (
        first.spec.role != second.spec.role
        and first.source in finding.a.versions
        and second.source in finding.b.versions
    )
