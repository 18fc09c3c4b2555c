"""The folded parts about people: what was decided, by whom, and who is still waited for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldout.domain.answer import Accepted
from heldout.domain.branch import Branch, DecisionRow
from heldout.domain.deciding.review_listing import Standing
from heldout.reports.answers import plural
from heldout.reports.branch.cells import code, plain, table
from heldout.reports.branch.parts import Part, more
from heldout.reports.branch.words import change_text, name_of, other_place


def change_parts(branch: Branch, limit: int) -> Iterator[Part]:
    rows = [item.governed for item in branch.datasets if item.governed is not None]
    if not rows:
        return
    cells = []
    for item in rows[:limit]:
        stands = (
            plain(item.lacks)
            if item.lacks
            else "nothing is missing"
            if item.approved_by
            else "no approval is asked for"
        )
        by = ", ".join(plain(name_of(person)) for person in item.approved_by) or "nobody"
        made = ", ".join(plain(name_of(person)) for person in item.authors)
        cells.append([code(item.change.dataset), change_text(item), made, by, stands])
    lines = table(["dataset", "held-out examples", "made by", "approved by", "missing"], cells)
    if branch.unapproved:
        name = branch.unapproved[0].change.dataset
        lines += [
            "",
            f'Who agrees runs, in a clone of this branch: `heldout changes approve {name} --reason "..." --commit`',
        ]
    yield Part(f"Changes of held-out examples: {plural(len(rows), 'dataset')}", lines)


_STANDING = {
    Standing.ACCEPTED: "counts",
    Standing.AWAITS_REVIEWER: "needs a second person",
    Standing.NOT_AGREED: "counts once it is on the protected branch",
    Standing.EXPIRED: "expired: it blocks again",
    Standing.OTHER_METHOD: "made for another method: it blocks again",
    Standing.REOPENED: "taken back: it blocks again",
    Standing.STALE: "about a finding that is gone",
    Standing.MALFORMED: "cannot be read: decides nothing",
}


def decision_parts(decisions: Sequence[DecisionRow], limit: int) -> Iterator[Part]:
    shown = [item for item in decisions if item.new or item.row.standing is not Standing.ACCEPTED]
    if not shown:
        return
    cells = []
    for item in shown[:limit]:
        review = item.row.review
        name = review.id if review else item.row.path
        reason = plain(review.reason) if review else plain(item.row.problem or "")
        by = plain(name_of(review.by)) if review else ""
        cells.append([code(name), _STANDING[item.row.standing], reason, by, "yes" if item.new else ""])
    lines = table(["finding", "how it stands", "reason", "by", "new here"], cells)
    lines += more(len(shown), limit, "heldout review list")
    if any(item.row.standing is Standing.AWAITS_REVIEWER for item in shown):
        lines += ["", "Who agrees runs: `heldout review approve FINDING --commit`"]
    yield Part(f"Decisions about findings: {plural(len(shown), 'decision')}", lines)


def accepted_parts(accepted: Sequence[Accepted], limit: int) -> Iterator[Part]:
    if not accepted:
        return
    cells = [
        [
            code(item.contamination.held.label()),
            code(other_place(item.contamination)),
            plain(item.review.reason),
            ", ".join(plain(name_of(person)) for person in (item.review.by, item.review.reviewer) if person),
            item.review.expires.isoformat() if item.review.expires else "no end",
        ]
        for item in accepted[:limit]
    ]
    lines = table(["held-out example", "given away by", "why it is accepted", "by whom", "until"], cells)
    lines += more(len(accepted), limit, "heldout review list")
    yield Part(f"Accepted by people: {plural(len(accepted), 'finding')}", lines)
