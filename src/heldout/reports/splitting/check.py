"""What `heldout split` prints: text for people, and the split check's own JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.splitting.case import DEVELOPMENT, DIGEST_ID, HELD_OUT, Case
from heldout.domain.splitting.check import Decision, Rule, SplitCheck, SplitFinding
from heldout.domain.splitting.lock import DatasetLock, Lock

_NEXT = {
    Rule.DUPLICATE: "drop one of the two, or move both to one side",
    Rule.NEAR: "read both: would an answer to the one answer the other? Then move both to one side",
    Rule.SOURCE: "move a case and all that were made from it to one side: heldout split assign",
    Rule.EXCERPT: "take the example out of the prompt, or out of the held-out cases",
    Rule.LOCK: "take the change back; or, where it is meant, lock anew: heldout split lock",
}


def split_check_lines(check: SplitCheck) -> Iterator[str]:
    counts = _counts(check)
    yield (
        f"{check.cases.name} version {check.cases.version}: {counts[DEVELOPMENT]} development cases, "
        f"{counts[HELD_OUT]} held out"
    )
    for finding in check.findings:
        yield f"{finding.rule.decision.value}: {finding.rule.value}: {sentence_of_finding(finding)}"
    yield f"decision: {check.decision.value}"
    yield from (f"next, {step}" for step in next_steps_of(check))
    if check.decision is Decision.PASS:
        yield "next: lock it, so that a later edit is seen: heldout split lock"


def next_steps_of(check: SplitCheck) -> Iterator[str]:
    for rule in Rule:
        if any(finding.rule is rule for finding in check.findings):
            yield f"{rule.value}: {_NEXT[rule]}"


def split_check_json(check: SplitCheck) -> dict[str, Any]:
    """The split check's published shape (C19), with no key beside it."""
    return {
        "dataset": check.cases.name,
        "version": check.cases.version,
        "cases": _counts(check),
        "decision": check.decision.value,
        "findings": [_finding(finding) for finding in check.findings],
    }


def split_lock_lines(lock: Lock, target: str) -> Iterator[str]:
    yield f"{lock.dataset_name}: {len(lock.held_out)} held-out cases locked in {target}"
    yield f"next: heldout split check CASES --lock {target}"


def split_lock_json(lock: Lock, target: str) -> dict[str, Any]:
    return {
        "format": "heldout/split-lock-written@1",
        "dataset": lock.dataset_name,
        "lock": target,
        "digest": DIGEST_ID,
        "held_out": dict(lock.held_out),
    }


def dataset_lock_lines(lock: DatasetLock, path: str) -> Iterator[str]:
    count = sum(map(len, lock.held_out.values()))
    yield f"{lock.dataset}: {count} held-out examples locked in {path}"
    yield f"next: git add {path}, and commit it"


def dataset_lock_json(lock: DatasetLock, path: str) -> dict[str, Any]:
    held_out = {split: dict(keys) for split, keys in lock.held_out.items()}
    return {"format": "heldout/split-lock@1", "dataset": lock.dataset, "lock": path, "held_out": held_out}


def split_assign_lines(
    name: str, parts: dict[str, tuple[Case, ...]], groups: tuple[int, int], target: str | None
) -> Iterator[str]:
    yield f"{name}: {groups[0]} of {groups[1]} groups held out"
    for split, cases in parts.items():
        yield f"{split}: {len(cases)} cases"
        yield from (f"  {case.id}{'' if case.source_id is None else f' (from {case.source_id})'}" for case in cases)
    yield "nothing was written; to write a case file: -o FILE" if target is None else f"written to {target}"


def split_assign_json(
    name: str, parts: dict[str, tuple[Case, ...]], groups: tuple[int, int], settings: dict[str, Any]
) -> dict[str, Any]:
    return {
        "format": "heldout/split-assign@1",
        "dataset": name,
        **settings,
        "groups": {"held_out": groups[0], "total": groups[1]},
        "cases": {split: [case.id for case in cases] for split, cases in parts.items()},
    }


def _counts(check: SplitCheck) -> dict[str, int]:
    return {split: len(check.cases.of_split(split)) for split in (DEVELOPMENT, HELD_OUT)}


def _finding(finding: SplitFinding) -> dict[str, Any]:
    details: dict[str, Any] = dict(finding.details)
    if finding.similarity is not None:
        details["similarity"] = float(round(finding.similarity, 4))
    return {"rule": finding.rule.value, "decision": finding.rule.decision.value, "details": details}


def sentence_of_finding(finding: SplitFinding) -> str:
    details = dict(finding.details)
    match finding.rule:
        case Rule.DUPLICATE:
            return f"{details['development']} == {details['held_out']}"
        case Rule.NEAR:
            assert finding.similarity is not None
            return f"{details['development']} ~ {details['held_out']} (similarity {float(finding.similarity):.4f})"
        case Rule.SOURCE:
            return f"{details['case']} was made from {details['source']}, on the other side"
        case Rule.EXCERPT:
            where = f" in {details['prompt']}" if "prompt" in details else ""
            return f'{details["case"]}{where}: "{details["excerpt"]}"'
        case Rule.LOCK:
            return f"{details['case']} was {details['reason']}"
