"""The gate's answer, as text and as JSON (`heldout/gate@1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout.domain.answer import Accepted, Answer, Contamination, Gap, GapKind, Verdict
from heldout.domain.coverage import Retirement
from heldout.domain.kind import CORPUS, EXPOSURE, Kind
from heldout.domain.names import VersionName
from heldout.reports.answers import plural
from heldout.reports.deciding.decision import review_json
from heldout.reports.findings import finding_json, overlap_line, side_json
from heldout.reports.rows import Rows

SHOWN = 5
"""Findings, and gaps, listed before the text form says how many more there are."""


def gate_lines(
    subject: str, answer: Answer, retired: Sequence[Retirement], as_of: Sequence[tuple[str, str]]
) -> list[str]:
    lines = [f"{subject}: {answer.verdict}"]
    if answer.contaminated:
        lines += contamination_lines(answer.findings)
    if answer.gaps:
        lines.append("  not known:" if answer.contaminated else "  unknown is not clean:")
        lines += [f"    {text}" for text in gap_texts(answer.gaps)]
    lines += [f"  next: {step}" for step in next_steps(subject, answer)]
    lines += accepted_lines(answer.accepted)
    lines += [f"  retired, not compared: {item.version} ({item.reason}; {item.by})" for item in retired]
    seen = ", ".join(f"{name} {commit[:10]}" for name, commit in as_of) or "no commit"
    return [*lines, f"  as of {seen}"]


def accepted_lines(accepted: Sequence[Accepted]) -> list[str]:
    """What people accepted: it does not block, and nobody shall overlook it."""
    lines = []
    for item in accepted:
        hit, review = item.contamination, item.review
        until = f", until {review.expires.isoformat()}" if review.expires else ""
        lines.append(f"  accepted: {overlap_line(hit.finding, hit.held, hit.other)}")
        lines.append(f"    {review.reason} ({review.by}, reviewed by {review.reviewer}{until})")
    return lines


def gap_texts(gaps: Sequence[Gap]) -> list[str]:
    """What is not known, the first few: a new version among two hundred lacks two hundred comparisons."""
    rest = len(gaps) - SHOWN
    return [gap.text for gap in gaps[:SHOWN]] + ([f"and {rest} more (--json lists them)"] if rest > 0 else [])


def contamination_lines(hits: Sequence[Contamination]) -> list[str]:
    """How many held-out examples are given away and by what, or are not as they were locked; then the first few."""
    changed = [hit for hit in hits if hit.finding.kind is Kind.LOCK_CHANGED]
    hits = [hit for hit in hits if hit.finding.kind is not Kind.LOCK_CHANGED]
    return (_given_lines(hits) if hits else []) + (_changed_lines(changed) if changed else [])


def _changed_lines(hits: Sequence[Contamination]) -> list[str]:
    what = "is not as it was locked" if len(hits) == 1 else "are not as they were locked"
    lines = [f"  {plural(len(hits), 'held-out example')} {what}"]
    lines += [f"    {overlap_line(hit.finding, hit.held, hit.other)}" for hit in hits[:SHOWN]]
    return lines + ([f"    and {len(hits) - SHOWN} more"] if len(hits) > SHOWN else [])


def _given_lines(hits: Sequence[Contamination]) -> list[str]:
    held = {hit.held.identity() for hit in hits}
    kinds = ", ".join(
        f"{sum(hit.finding.kind is kind for hit in hits)} {kind.value}"
        for kind in Kind
        if any(hit.finding.kind is kind for hit in hits)
    )
    noun = "example is" if len(held) == 1 else "examples are"
    lines = [f"  {len(held)} held-out {noun} given away ({kinds})"]
    lines += [f"    {overlap_line(hit.finding, hit.held, hit.other)}{_where(hit)}" for hit in hits[:SHOWN]]
    if len(hits) > SHOWN:
        lines.append(f"    and {len(hits) - SHOWN} more")
    return lines


def _where(hit: Contamination) -> str:
    """Which frozen versions hold the copy: taking it out of the working copy does not take it out of them."""
    return f"  in {_names(hit.exposed_by)}" if hit.exposed_by else ""


def _names(versions: Sequence[VersionName]) -> str:
    return ", ".join(map(str, versions[:3])) + (f" and {len(versions) - 3} more" if len(versions) > 3 else "")


def _not_the_other_side(exposing: Sequence[VersionName]) -> str:
    """A47: what a frozen version exposed stays exposed."""
    one = len(exposing) == 1
    return (
        f"not by removing the other copies: {_names(exposing)} {'is' if one else 'are'} frozen and "
        f"{'holds' if one else 'hold'} them. Where nothing was trained on {'it' if one else 'them'}: "
        f"heldout unfreeze {exposing[0]} while it is not pushed, or heldout retire {exposing[0]}"
    )


def next_steps(subject: str, answer: Answer) -> list[str]:
    """One or two commands that lead out of a contaminated or unknown state."""
    name = answer.dataset
    corpora = sorted({hit.other.dataset.removeprefix(CORPUS) for hit in answer.findings if _in_corpus(hit)})
    if corpora and all(map(_in_corpus, answer.findings)):
        return [f"heldout corpus show {corpora[0]}", _CORPUS_ADVICE]
    changed = [hit.finding.kind is Kind.LOCK_CHANGED for hit in answer.findings]
    if answer.contaminated and all(changed):
        return [_LOCK_ADVICE.format(name)]
    exposed = any(hit.other.dataset == EXPOSURE for hit in answer.findings)
    if answer.only_exposed:
        return [f"heldout exposures {subject}", _EXPOSED_ADVICE.format(name)]
    if answer.contaminated:
        steps = [f"heldout findings {subject} --holdout-only"]
        steps.append(f"move or remove the held-out copies in {name}, commit, then heldout freeze {name}")
        # What the subject itself gives away is for a next version to mend, whoever else holds the copy as well.
        elsewhere = [hit for hit in answer.findings if answer.source not in hit.other.open_in]
        exposing = sorted({version for hit in elsewhere for version in hit.exposed_by})
        if exposing:
            steps.append(_not_the_other_side(exposing))
        if exposed:
            steps.append(f"heldout exposures {subject} lists what was shown to something")
        if any(changed):
            steps.append("what changed since the lock: " + _LOCK_ADVICE.format(name))
        return steps
    return _out_of_unknown(subject, answer)


def _out_of_unknown(subject: str, answer: Answer) -> list[str]:
    name = answer.dataset
    if any(gap.kind is GapKind.SHALLOW for gap in answer.gaps):
        return ["git fetch --unshallow --tags"]
    if answer.verdict is Verdict.UNKNOWN and any(gap.kind in ("not_scanned", "not_compared") for gap in answer.gaps):
        return ["heldout scan --all, then commit the records"]
    if any(gap.kind is GapKind.CORPUS_NOT_SCANNED for gap in answer.gaps):
        return [f"heldout corpus scan PATH --name CORPUS --against {subject} --commit"]
    if any(gap.kind is GapKind.EXPOSURE_NOT_CHECKED for gap in answer.gaps):
        return [f"heldout exposures check {name} --commit"]
    if any(gap.kind is GapKind.LOCK_NOT_CHECKED for gap in answer.gaps):
        return ["heldout scan --all --commit"]
    torn = next((gap.other for gap in answer.gaps if gap.kind is GapKind.PARTLY_COMPARED), None)
    return [f"freeze a mended {torn.dataset}, then heldout retire {torn} --reason '...'"] if torn else []


def _in_corpus(hit: Contamination) -> bool:
    return hit.other.dataset.startswith(CORPUS)


_EXPOSED_ADVICE = (
    "give the exposed examples of {0} another split (they may train from now on), commit, then heldout freeze {0}; "
    "this version and its results stay as they are, and so does the log"
)

_LOCK_ADVICE = "take the change back; or, where it is meant: heldout split lock {0}, commit, then ask again"

_CORPUS_ADVICE = (
    "replace these held-out examples and freeze the next version; or take them out of the corpus, scan it again, and "
    "name that state of it in heldout.yaml (corpora.must_scan: [NAME@sha256:...])"
)


def gate_json(
    subject: str, answer: Answer, retired: Sequence[Retirement], as_of: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "format": "heldout/gate@1",
        "subject": subject,
        "dataset": answer.dataset,
        "source": answer.source,
        "verdict": answer.verdict.value,
        "contaminated": answer.contaminated,
        "complete": answer.complete,
        "findings": Rows(answer.findings, _hit_json),
        "accepted": [
            {
                **finding_json(item.contamination.finding),
                "held": side_json(item.contamination.held),
                "other": side_json(item.contamination.other),
                "review": review_json(item.review),
            }
            for item in answer.accepted
        ],
        "gaps": [_gap(gap) for gap in answer.gaps],
        "retired": [
            {"version": str(item.version), "source": item.source, "reason": item.reason, "by": item.by}
            for item in retired
        ],
        "as_of": dict(as_of),
    }


def _hit_json(hit: Contamination) -> dict[str, Any]:
    return {
        **finding_json(hit.finding),
        "held": side_json(hit.held),
        "other": side_json(hit.other),
        "exposed_by": [str(version) for version in hit.exposed_by],
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {"kind": gap.kind.value, "text": gap.text, "other": str(gap.other) if gap.other else None}
