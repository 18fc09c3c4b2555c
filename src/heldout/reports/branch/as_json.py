"""The report of a branch as JSON (`heldout/branch-report@1`)."""

from __future__ import annotations

from typing import Any

from heldout.domain.answer import Answer, Contamination, Gap
from heldout.domain.branch import Branch, DatasetChange, DecisionRow, SliceChange
from heldout.domain.coverage import Retirement
from heldout.domain.deciding.governed import ChangeStanding
from heldout.domain.deciding.review import SideName
from heldout.domain.listing import VersionRow
from heldout.domain.slicing.views import Chosen, Counted
from heldout.reports.branch.words import held_count, verdict_sentences
from heldout.reports.deciding.decision import review_json
from heldout.reports.findings import finding_json, side_json
from heldout.reports.rows import Rows
from heldout.reports.slicing.slices import counted_json


def branch_json(branch: Branch) -> dict[str, Any]:
    found = branch.findings
    return {
        "format": "heldout/branch-report@1",
        "base": branch.base,
        "base_name": branch.base_name,
        "head": branch.head,
        "commits": branch.commits,
        "verdict": branch.verdict.value,
        "summary": " ".join(verdict_sentences(branch)).replace("`", ""),
        "given_away": {
            "new": held_count(found.open(found.new)),
            "resolved": held_count(found.resolved),
            "remaining": held_count(found.open(found.remaining)),
        },
        "datasets": [_dataset(item) for item in branch.datasets],
        "versions": [_version(row) for row in branch.versions],
        "retired": [_retired(item) for item in branch.retired],
        "findings": {
            "new": Rows(found.new, lambda hit: _hit(hit, branch)),
            "resolved": Rows(found.resolved, lambda hit: _hit(hit, branch)),
            "remaining": Rows(found.remaining, lambda hit: _hit(hit, branch)),
            "accepted": [
                {**_hit(item.contamination, branch), "review": review_json(item.review)} for item in found.accepted
            ],
            "others_new": Rows(found.others_new, finding_json),
            "others_resolved": Rows(found.others_resolved, finding_json),
        },
        "decisions": [_decision(item) for item in branch.decisions],
        "gaps": [{"of": name, **_gap(gap)} for name, gap in branch.gaps],
        "awaits": {
            "approvals": [item.change.dataset for item in branch.unapproved],
            "reviewers": [item.row.path for item in branch.awaited],
        },
    }


def _dataset(change: DatasetChange) -> dict[str, Any]:
    rows = change.rows
    return {
        "name": change.name,
        "what": change.what.value,
        "before": _answer(change.before),
        "after": _answer(change.after),
        "holdout_before": list(change.holdout_before),
        "holdout_after": list(change.holdout_after),
        "rows": None
        if rows is None
        else {
            "by_split": {split: dict(row) for split, row in rows.by_split.items()},
            "part": rows.part,
            "suggested": f"{change.name}@{rows.suggested}" if rows.suggested else None,
        },
        "slices": [_slice(item) for item in change.slices],
        "governed": None if change.governed is None else _governed(change.governed),
        "outdates": [{"version": str(name), "held_out_examples": count} for name, count in change.outdates],
        "untold": list(change.untold),
        "broken": change.broken,
    }


def _answer(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {
        "source": answer.source,
        "verdict": answer.verdict.value,
        "contaminated": answer.contaminated,
        "complete": answer.complete,
    }


def _slice(item: SliceChange) -> dict[str, Any]:
    members = item.members
    return {
        "name": item.name,
        "what": item.what.value if item.what else None,
        "before": _definition(item.before, item.counts[0]),
        "after": _definition(item.after, item.counts[1]),
        "members": None
        if members is None
        else {
            "entered": [{"split": split, "key": key} for split, key in members.entered],
            "left": [{"split": split, "key": key} for split, key in members.left],
            "stayed": members.stayed,
        },
    }


def _definition(chosen: Chosen | None, counted: Counted | None) -> dict[str, Any] | None:
    if chosen is None:
        return None
    return {
        "number": chosen.number,
        "digest": chosen.digest,
        "required": chosen.item.required,
        "definition": chosen.definition.to_json(),
        **({} if counted is None else counted_json(counted)),
    }


def _governed(standing: ChangeStanding) -> dict[str, Any]:
    return {
        "change": standing.change.digest,
        "counts": standing.change.counts(),
        "authors": list(standing.authors),
        "approved_by": list(standing.approved_by),
        "lacks": standing.lacks,
    }


def _version(row: VersionRow) -> dict[str, Any]:
    return {"name": str(row.version.name), "commit": row.version.commit, **(_answer(row.answer) or {})}


def _retired(item: Retirement) -> dict[str, Any]:
    return {"version": str(item.version), "source": item.source, "reason": item.reason, "by": item.by}


def _hit(hit: Contamination, branch: Branch) -> dict[str, Any]:
    return {
        **finding_json(hit.finding),
        "held": _side(hit.held.identity(), side_json(hit.held), branch),
        "other": _side(hit.other.identity(), side_json(hit.other), branch),
        "exposed_by": [str(version) for version in hit.exposed_by],
    }


def _side(name: SideName, data: dict[str, Any], branch: Branch) -> dict[str, Any]:
    return {**data, "text": branch.texts[name]} if name in branch.texts else data


def _decision(item: DecisionRow) -> dict[str, Any]:
    row = item.row
    return {
        "path": row.path,
        "standing": row.standing.value,
        "new": item.new,
        "problem": row.problem,
        **({} if row.review is None else review_json(row.review)),
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {"kind": gap.kind.value, "text": gap.text, "other": str(gap.other) if gap.other else None}
