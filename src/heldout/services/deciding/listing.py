"""How every decision of the repository stands: those of the working copy, and those that were agreed on."""

from __future__ import annotations

from collections.abc import Mapping

from heldout.domain.deciding.review import Review, Weight, contradictions
from heldout.domain.deciding.review_listing import ReviewListing, ReviewRow, Standing
from heldout.domain.finding import Finding, Severity, Side
from heldout.domain.kind import Kind
from heldout.domain.listing import FindingRow
from heldout.domain.names import Subject
from heldout.errors import ConfigError
from heldout.services.deciding.asked import ASKED
from heldout.services.deciding.review import method_of, today
from heldout.services.findings import list_findings
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT
from heldout.storage.people.reviews import is_review, parse_review
from heldout.storage.trees import FileTree, FolderTree

_STANDING = {weight: Standing(weight.value) for weight in Weight}


def list_reviews(workspace: Workspace, subject: str | None = None) -> ReviewListing:
    """Every decision, with a subject those about its findings, in the order of their paths."""
    findings = list_findings(workspace, subject)
    by_id = {row.finding.id: row for row in findings.rows}
    by_cluster = {row.finding.cluster or "": row for row in findings.rows}
    rows = [row for row in standings(workspace, by_id, by_cluster) if subject is None or _is_about(row, subject)]
    known = workspace.knowledge().reviews
    undecided = sum(bool(row.contaminates) and known.about(row.finding) is None for row in findings.rows)
    return ReviewListing(tuple(rows), undecided)


def _is_about(row: ReviewRow, subject: str) -> bool:
    """What no record holds is about a dataset, whatever version of it."""
    if row.review is None or row.finding is None:
        return False
    if row.review.kind not in ASKED:
        return True
    return Subject.parse(subject).dataset in (row.finding.a.dataset, row.finding.b.dataset)


def standings(
    workspace: Workspace, by_id: Mapping[str, FindingRow], by_cluster: Mapping[str, FindingRow]
) -> list[ReviewRow]:
    """Every decision in the order of their paths, and what it is worth for the finding or the family it is about."""
    read, wrong = {}, []
    for path, data in sorted(_files(workspace).items()):
        try:
            read[path] = parse_review(data, path)
        except ConfigError as error:
            wrong.append(ReviewRow(path, Standing.MALFORMED, problem=str(error)))
    contested = contradictions(read)
    wrong += [ReviewRow(path, Standing.MALFORMED, problem=contradicted(other)) for path, other in contested.items()]
    sound = (item for item in read.items() if item[0] not in contested)
    rows = [_row(workspace, path, review, by_id, by_cluster) for path, review in sound]
    return sorted([*rows, *wrong], key=lambda row: row.path)


def contradicted(other: str) -> str:
    return f"{other} says something else of the same finding, so neither counts: git rm one of them"


def _files(workspace: Workspace) -> dict[str, bytes]:
    """Decisions as the working copy has them, or HEAD where there is none."""
    git = workspace.git
    head = git.head()
    trees: list[FileTree] = [workspace.tree(head)] if head else []
    if not git.bare:
        trees = [FolderTree(git.top)]
    found = ((path, tree.read(path)) for tree in trees for path in tree.paths(ROOT) if is_review(path))
    return {path: data for path, data in found if data is not None}


def _row(
    workspace: Workspace,
    path: str,
    review: Review,
    by_id: Mapping[str, FindingRow],
    by_cluster: Mapping[str, FindingRow],
) -> ReviewRow:
    row = by_cluster.get(review.id) if review.is_cluster else by_id.get(review.id)
    if row is None and review.kind in ASKED:
        return _asked(workspace, path, review)
    if row is None:
        return ReviewRow(path, Standing.STALE, review)
    contaminates = bool(row.contaminates) or row.finding.holdout_contamination
    return ReviewRow(path, _standing(workspace, review, row, contaminates), review, row.finding)


def _asked(workspace: Workspace, path: str, review: Review) -> ReviewRow:
    """About what no record holds: whether it still is there is told where it is looked for, which takes data."""
    one, other = (Side(*side) for side in review.sides)
    kind = Kind(str(review.kind))
    blocks = kind is Kind.PROMPT_EXCERPT and workspace.settings.prompts.block
    weight = review.weight(review.method, contaminates=blocks, today=today())
    standing = _STANDING[weight]
    if weight is Weight.COUNTS and workspace.knowledge().reviews.findings.get(review.id) != review:
        standing = Standing.NOT_AGREED
    return ReviewRow(path, standing, review, Finding(kind, Severity.REVIEW, one, other))


def _standing(workspace: Workspace, review: Review, row: FindingRow, contaminates: bool) -> Standing:
    known = workspace.knowledge()
    method = row.method or method_of(known, row.finding, workspace.settings.method.digest)
    weight = review.weight(method, contaminates=contaminates, today=today())
    agreed = known.reviews.clusters if review.is_cluster else known.reviews.findings
    if weight is Weight.COUNTS and agreed.get(review.id) != review:
        return Standing.NOT_AGREED
    return _STANDING[weight]
