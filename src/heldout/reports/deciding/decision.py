"""A decision as JSON, for every report that shows one."""

from __future__ import annotations

from typing import Any

from heldout.domain.deciding.review import Review


def review_json(review: Review) -> dict[str, Any]:
    return {
        "cluster" if review.is_cluster else "finding": review.id,
        "decision": review.decision.value,
        "reason": review.reason,
        "by": review.by,
        "reviewer": review.reviewer,
        "expires": review.expires.isoformat() if review.expires else None,
        "method": review.method,
    }
