"""Verification of decisions: each can be read, and whoever it names stands behind it in Git's history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from heldout.domain.deciding.review import Decision, Review, address, contradictions
from heldout.domain.deciding.review_listing import Standing
from heldout.domain.verification import Level, Problem
from heldout.errors import ConfigError
from heldout.services.deciding.listing import contradicted, list_reviews
from heldout.services.verifying.people import FileHistory
from heldout.services.workspace import Workspace
from heldout.storage.catalog import ROOT
from heldout.storage.people.reviews import is_review, parse_review


def reviews(workspace: Workspace, head: str, base: str | None) -> Iterator[Problem]:
    """Decisions of HEAD; with a base, only those that are new or changed since fail for want of a person behind them.

    A reviewer who did not author or commit the decision as it stands, and is named in no Reviewed-by, Co-authored-by or
    Signed-off-by line of such a commit, has not agreed as far as Git knows.
    """
    tree = workspace.tree(head)
    old = workspace.tree(base) if base is not None else None
    read = {}
    for path in tree.paths(ROOT):
        if is_review(path):
            try:
                read[path] = parse_review(tree.read(path) or b"", path)
            except ConfigError as error:
                yield Problem(Level.FAILED, path, str(error), error.slug)
    for path, other in contradictions(read).items():
        yield Problem(Level.FAILED, path, contradicted(other), "reviews-contradict")
    for path, review in read.items():
        if old is None or old.read(path) != tree.read(path):
            yield from _people(workspace, path, review)


def _people(workspace: Workspace, path: str, review: Review) -> Iterator[Problem]:
    if review.decision is not Decision.ACCEPTED:
        return
    if review.reviewer is not None and not review.reviewed_by_another:
        yield Problem(Level.FAILED, path, f"{review.reviewer} reviewed a decision of their own", "own-review")
        return
    history = FileHistory(workspace, path)
    for person, says in ((review.by, _says(path, review)), (review.reviewer, _says(path, review, reviewed=True))):
        if person is not None and address(person) not in history.behind(says):
            text = f"names {person}, who is behind no commit of it as it is (author, committer, Reviewed-by line)"
            yield Problem(Level.FAILED, path, text, "reviewer-unknown")


def _says(path: str, review: Review, *, reviewed: bool = False) -> Callable[[bytes], bool]:
    """Whether a state of the file is of this decision, and names the same reviewer where that is asked: anything else
    makes it another one, about which nobody else was asked again."""

    def says(data: bytes) -> bool:
        try:
            found = parse_review(data, path)
        except ConfigError:
            return False
        return found == review if reviewed else replace(found, reviewer=None) == replace(review, reviewer=None)

    return says


def standing(workspace: Workspace, head: str) -> Iterator[Problem]:
    """Decisions that do not count any more are reported: what they covered blocks again by itself."""
    if not any(is_review(path) for path in workspace.tree(head).paths(ROOT)):
        return
    for row in list_reviews(workspace).rows:
        match row.standing:
            case Standing.EXPIRED:
                yield Problem(Level.REPORTED, row.path, "has expired", "review-expired")
            case Standing.STALE:
                text = "is about a finding that no record has any more"
                yield Problem(Level.REPORTED, row.path, text, "review-stale")
            case Standing.OTHER_METHOD:
                yield Problem(Level.REPORTED, row.path, "was made for another method", "review-other-method")
            case Standing.AWAITS_REVIEWER:
                yield Problem(Level.REPORTED, row.path, "awaits a reviewer", "review-awaits-reviewer")
