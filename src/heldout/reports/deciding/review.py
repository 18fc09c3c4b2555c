"""Decisions as text and JSON: what was written just now, and how all of them stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.domain.deciding.review import Review
from heldout.domain.deciding.review_listing import ReviewListing, ReviewRow, Standing
from heldout.domain.finding import Finding
from heldout.reports.deciding.decision import review_json
from heldout.reports.findings import overlap_line

_WORDS = {
    Standing.ACCEPTED: "accepted",
    Standing.AWAITS_REVIEWER: "awaits a reviewer: it gives a holdout away, so somebody else has to agree",
    Standing.NOT_AGREED: "not agreed yet: it counts once it is committed on HEAD or a protected branch",
    Standing.EXPIRED: "expired: it blocks again",
    Standing.OTHER_METHOD: "made for another method: it blocks again",
    Standing.REOPENED: "reopened",
    Standing.STALE: "stale: no record has such a finding any more",
    Standing.MALFORMED: "not readable, so it decides nothing",
}


def standing_words(standing: Standing) -> str:
    """What a standing means, for people."""
    return _WORDS[standing]


def decided_lines(review: Review, path: str, *, awaits_reviewer: bool, commit: str | None) -> list[str]:
    what = f"{'cluster' if review.is_cluster else 'finding'} {review.id}"
    lines = [f"{what}: {review.decision.value} ({review.reason})"]
    lines.append(f"  written to {path}" + (f", committed as {commit[:10]}" if commit else ""))
    if awaits_reviewer:
        flag = " --family" if review.is_cluster else ""
        lines.append(f"  it gives a holdout away: somebody else runs heldout review approve ID{flag}")
    if commit is None:
        lines.append(f"  next: git add {path} and commit; it counts from then on")
    return lines


def decided_json(review: Review, path: str, *, awaits_reviewer: bool, commit: str | None) -> dict[str, Any]:
    return {
        "format": "heldout/review-decision@1",
        **review_json(review),
        "path": path,
        "awaits_reviewer": awaits_reviewer,
        "commit": commit,
    }


def review_lines(listing: ReviewListing) -> list[str]:
    lines = []
    for row in listing.rows:
        lines += _row_lines(row)
    if not listing.rows:
        lines.append("nobody has decided on a finding yet")
    if listing.undecided:
        what = "finding gives" if listing.undecided == 1 else "findings give"
        lines.append(f"{listing.undecided} {what} a holdout away, without a decision")
        lines.append("  next: heldout findings --holdout-only")
    return lines


def _row_lines(row: ReviewRow) -> list[str]:
    if row.review is None:
        return [f"{row.path}: {_WORDS[row.standing]}", f"  {row.problem}"]
    review = row.review
    lines = [f"{'cluster ' if review.is_cluster else ''}{review.id}  {_WORDS[row.standing]}"]
    if row.finding is not None:
        lines.append(f"  {_line(row.finding)}")
    until = f", until {review.expires.isoformat()}" if review.expires else ""
    agreed = f", reviewed by {review.reviewer}" if review.reviewer else ""
    return [*lines, f"  {review.reason} ({review.by}{agreed}{until})"]


def _line(finding: Finding) -> str:
    return overlap_line(finding, finding.a, finding.b)


def reviews_json(listing: ReviewListing) -> Mapping[str, Any]:
    return {
        "format": "heldout/reviews@1",
        "reviews": [
            {
                "path": row.path,
                "standing": row.standing.value,
                "problem": row.problem,
                **(review_json(row.review) if row.review else {}),
            }
            for row in listing.rows
        ],
        "undecided": listing.undecided,
    }
