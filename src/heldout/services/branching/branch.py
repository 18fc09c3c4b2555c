"""What a branch changes against where it started: one model for every form of the report."""

from __future__ import annotations

from dataclasses import replace

from heldout.domain.branch import Branch, DecisionRow, FindingChanges
from heldout.domain.finding import Side
from heldout.domain.listing import VersionRow
from heldout.services.branching.datasets import changed_datasets
from heldout.services.branching.ends import Ends
from heldout.services.branching.findings import changed_findings
from heldout.services.branching.texts import texts_of
from heldout.services.deciding.changes import start_of
from heldout.services.deciding.listing import list_reviews
from heldout.services.progress import SILENT, Progress
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT
from heldout.storage.people.reviews import is_review


def branch(workspace: Workspace, base: str | None = None, progress: Progress = SILENT, *, with_text: int = 0) -> Branch:
    """HEAD against the commit where it left `base`, by default the remote's default branch.

    `with_text` is of how many findings of each kind the examples are read as well. Raises UsageError (slug no-base),
    RepositoryError (slug unknown-revision).
    """
    start = start_of(workspace, base)
    head = workspace.git.require_commit("HEAD")
    ends = Ends(workspace, start, head)
    datasets = tuple(changed_datasets(ends, progress))
    findings = changed_findings(ends, datasets)
    found = Branch(
        base=start,
        base_name=base or "the remote's default branch",
        head=head,
        commits=int(workspace.git.line("rev-list", "--count", f"{start}..{head}") or 0),
        datasets=datasets,
        versions=tuple(
            VersionRow(version, ends.after.answer(version.dataset, version.source)) for version in ends.new_versions
        ),
        retired=ends.retired,
        findings=findings,
        decisions=_decisions(ends),
    )
    if not with_text:
        return found
    return replace(found, texts=texts_of(ends, _sides(findings, with_text), progress))


def _sides(findings: FindingChanges, limit: int) -> list[Side]:
    hits = (*findings.new[:limit], *findings.resolved[:limit], *findings.remaining[:limit])
    return [side for hit in hits for side in (hit.held, hit.other)]


def _decisions(ends: Ends) -> tuple[DecisionRow, ...]:
    """HEAD's decisions, those of the branch marked."""
    before, after = ends.workspace.tree(ends.base), ends.workspace.tree(ends.head)
    paths = [path for path in after.paths(ROOT) if is_review(path)]
    if not paths:
        return ()
    old, new = before.read_many(paths), after.read_many(paths)
    rows = list_reviews(ends.workspace).rows
    return tuple(DecisionRow(row, old.get(row.path) != new[row.path]) for row in rows if row.path in new)
