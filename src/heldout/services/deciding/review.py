"""Deciding about findings: accept, approve, reopen, and how every decision stands (design: decisions of people).

A decision is a file that a person commits, or that `commit` puts into a commit of its own. It counts once it is in HEAD
or on a protected branch of a remote; see `heldout.services.knowledge.gather`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from heldout.domain.coverage import Knowledge
from heldout.domain.deciding.review import Decision, Review, address, has_address
from heldout.domain.finding import Finding
from heldout.domain.listing import FindingRow
from heldout.errors import UsageError
from heldout.services.deciding.asked import find_row
from heldout.services.deciding.retire import author, need_reason
from heldout.services.workspace import Workspace
from heldout.storage.people.reviews import parse_review, render_review, review_path
from heldout.storage.trees import FolderTree
from heldout.storage.working_files import write_own_file


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as it was written. `path` from the repository's top; `commit` where it was committed at once.

    `awaits_reviewer` is True where it does not count before somebody other than its author agrees.
    """

    review: Review
    path: str
    awaits_reviewer: bool
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What a person wants decided: the finding by id or its start, or with `family` the whole cluster it is in."""

    finding: str
    decision: Decision
    reason: str
    subject: str | None = None
    family: bool = False
    reviewer: str | None = None
    expires: date | None = None
    commit: bool = False


def today() -> date:
    """The day in UTC, so that a decision expires for everybody at once."""
    return datetime.now(UTC).date()


def decide(
    workspace: Workspace, request: Request, note: Callable[[str], None], row: FindingRow | None = None
) -> Decided:
    """Write a decision. Raises UsageError where the finding is unknown, or the decision could never count.

    `row` is the finding where the caller has it already: looking for one among many takes seconds.
    """
    need_reason(request.reason)
    if request.expires is not None and request.expires < today():
        raise UsageError(
            "already-expired", f"--expires {request.expires}: that day is over", hint="give a day that is still to come"
        )
    row = row or find_row(workspace, request.finding, request.subject)
    by = author(workspace)
    review = _about(workspace, row, request, by)
    if request.reviewer is not None:
        need_address(request.reviewer)
        _refuse_own_review(by, request.reviewer)
    path = review_path(_folder(row), review)
    contaminates = bool(row.contaminates) or row.finding.holdout_contamination
    awaits = review.decision is Decision.ACCEPTED and contaminates and not review.reviewed_by_another
    return _keep(workspace, Decided(review, path, awaits), request.commit, note)


def approve(
    workspace: Workspace,
    finding: str,
    subject: str | None,
    note: Callable[[str], None],
    *,
    family: bool,
    commit: bool,
    row: FindingRow | None = None,
    read: str | None = None,
) -> Decided:
    """Add the person whom Git knows here as the reviewer of what somebody else decided; `row` as in `decide`.

    `read` is the reason that the reviewer has read: a decision for another one is not approved.
    """
    row = row or find_row(workspace, finding, subject)
    request = Request(finding, Decision.ACCEPTED, "", family=family)
    path = review_path(_folder(row), _about(workspace, row, request, ""))
    head = workspace.git.head()
    data = workspace.tree(head).read(path) if head else None
    if data is None and FolderTree(workspace.git.top).read(path) is not None:
        raise UsageError(
            "not-committed", f"{path} is in no commit yet, so Git does not know whose decision it is",
            hint="its author commits it first",
        )  # fmt: skip
    if data is None:
        raise UsageError(
            "nothing-to-approve",
            f"nobody has accepted {row.finding.id}",
            hint="heldout review accept ID --reason '...'",
        )
    review = parse_review(data, path)
    if review.decision is not Decision.ACCEPTED:
        raise UsageError("nothing-to-approve", f"{row.finding.id} was reopened: {review.reason}")
    if read is not None and review.reason != read:
        raise UsageError(
            "changed-meanwhile",
            f"{path} was committed with another reason than the one that was shown",
            hint="load the page again, and read it",
        )
    reviewer = author(workspace)
    _refuse_own_review(review.by, reviewer)
    if review.reviewer is not None and address(review.reviewer) == address(reviewer):
        raise UsageError(
            "nothing-to-approve",
            f"{row.finding.id} names {reviewer} as its reviewer already",
            hint=f"if it was edited since: take the reviewer line out of {path}, commit, and approve again",
        )
    return _keep(workspace, Decided(replace(review, reviewer=reviewer), path, False), commit, note)


def _about(workspace: Workspace, row: FindingRow, request: Request, by: str) -> Review:
    finding = row.finding
    method = row.method or method_of(workspace.knowledge(), finding, workspace.settings.method.digest)
    if request.family:
        if finding.cluster is None:
            raise UsageError("no-family", f"{finding.id} is in no family", hint="decide without --family")
        return Review(
            finding.cluster, request.decision, request.reason.strip(), by, method,
            reviewer=request.reviewer, expires=request.expires,
        )  # fmt: skip
    sides = tuple(sorted((finding.a.identity(), finding.b.identity())))
    return Review(
        finding.id, request.decision, request.reason.strip(), by, method, finding.kind.value, sides,
        request.reviewer, request.expires,
    )  # fmt: skip


def method_of(knowledge: Knowledge, finding: Finding, preferred: str) -> str:
    """The method of a record that names the finding: the one in force where several do."""
    methods = {scan.record.method_digest for scan in knowledge.scans}
    if len(methods) == 1:
        return methods.pop()
    found = {
        scan.record.method_digest for scan in knowledge.scans if any(item.id == finding.id for item in scan.findings)
    }
    return preferred if preferred in found or not found else min(found)


def _folder(row: FindingRow) -> str:
    """The dataset beside whose records a decision lies: that of the held-out example, else of the scanned one."""
    a, b = row.finding.a, row.finding.b
    return b.dataset if b.held_out_in and not a.held_out_in else a.dataset


def need_address(person: str) -> None:
    """Raises UsageError (slug bad-value): a name without an address could be anybody's, the author's too."""
    if not has_address(person):
        raise UsageError(
            "bad-value", f"--reviewer {person!r} has no mail address", hint="--reviewer 'Name <name@example.org>'"
        )


def _refuse_own_review(by: str, reviewer: str) -> None:
    if address(by) == address(reviewer):
        raise UsageError(
            "own-review",
            f"{reviewer} made this decision, and cannot be its reviewer",
            hint="somebody else runs: heldout review approve ID",
        )


def _keep(workspace: Workspace, decided: Decided, commit: bool, note: Callable[[str], None]) -> Decided:
    data = render_review(decided.review)
    if not commit:
        write_own_file(workspace.git.top, decided.path, data)
        return decided
    what = "cluster" if decided.review.is_cluster else "finding"
    verb = "accept" if decided.review.decision is Decision.ACCEPTED else "reopen"
    message = f"heldout: {verb} {what} {decided.review.id}\n\n{decided.review.reason}\n"
    made = workspace.git.commit_files({decided.path: data}, message, workspace.git.head(), note)
    workspace.forget()
    return replace(decided, commit=made)
