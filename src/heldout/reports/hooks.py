"""What hooks print: short, and ending in the one command that leads on."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.answer import GapKind
from heldout.domain.outcomes import HookOutcome, PushProblem, PushVerdict, Refusal
from heldout.reports.gate import contamination_lines, gap_texts, next_steps
from heldout.reports.scan import scan_lines
from heldout.reports.splitting.prompts import excerpt_lines

PREFIX = "heldout: "
_OF_HISTORY = {
    Refusal.MISNAMED: "is another tag's object under this name; whoever made or signed it spoke of another version",
    Refusal.RECORD_LOST: "would change or take away what the remote has recorded; records are only ever added",
}


def hook_lines(outcome: HookOutcome) -> list[str]:
    lines = []
    for scan in outcome.scans:
        lines += scan_lines(scan)
        if scan.record.contaminations:
            name = scan.record.dataset
            lines.append(f"{name}: recorded with this change; read it with heldout findings {name}@HEAD")
    lines += outcome.notes
    lines += excerpt_lines(outcome.prompts.excerpts, outcome.prompts.not_here)
    if outcome.refused:
        lines.append("nothing was committed: heldout.yaml says prompts.block")
    return [PREFIX + line for line in lines]


def push_lines(verdict: PushVerdict) -> list[str]:
    """Problems in the order of the pushed refs, warnings before what was refused, so that the refusal is read last."""
    told: set[str] = set()
    lines: list[str] = []
    for problem in sorted(verdict.problems, key=lambda item: not item.warning):
        lines += _problem(problem, told)
    if verdict.refused:
        lines.append("nothing was pushed")
    return [PREFIX + line for line in lines]


def _problem(problem: PushProblem, told: set[str]) -> Iterator[str]:
    """`told` are the contents whose findings were listed already: a branch and its tag share them."""
    word = "warning" if problem.warning else "refused"
    subject = problem.subject
    if problem.refusal is Refusal.MOVED:
        yield f"{word}: {subject} is another version on the remote; a frozen version never moves"
        yield "  next: git fetch --tags --force to take the remote's, and freeze yours under the next number"
        return
    if problem.refusal is Refusal.DELETED:
        yield f"{word}: {subject} would be deleted on the remote; others may have results on it"
        yield f"  next: heldout retire {subject} --reason '...'"
        return
    if problem.refusal is Refusal.MALFORMED:
        yield f"{word}: {subject} is no version: use <name>@v<MAJOR>.<MINOR>.<PATCH>"
        return
    if problem.refusal in _OF_HISTORY:
        yield f"{word}: {subject} {_OF_HISTORY[problem.refusal]}"
        yield from (f"  {line}" for line in problem.details)
        return
    yield from _leak(problem, word, told)


def _leak(problem: PushProblem, word: str, told: set[str]) -> Iterator[str]:
    subject, answer = problem.subject, problem.answer
    if problem.refusal is Refusal.GIVES_AWAY:
        yield f"{word}: {subject} gives away the holdout of another dataset"
        for version, hits in problem.gives_away:
            yield f"  of {version}:"
            yield from (f"  {line}" for line in contamination_lines(hits))
        yield "  next: remove these examples, commit, and freeze again"
        return
    if problem.refusal is Refusal.NOT_COVERED:
        yield f"{word}: nobody knows yet whether {subject} is clean"
        gaps = answer.gaps if answer else ()
        yield from (f"    {text}" for text in gap_texts(gaps))
        if answer is not None and problem.warning:
            yield f"  next: heldout scan {answer.dataset}@HEAD --commit, then push again"
        elif answer is None or any(gap.kind in (GapKind.NOT_SCANNED, GapKind.NOT_COMPARED) for gap in gaps):
            yield "  next: heldout scan --all --commit, then push again"
        return
    known = answer is not None and answer.source in told
    yield f"{word}: {subject} is contaminated{', by the same findings' if known else ''}"
    if answer is not None and not known:
        told.add(answer.source)
        yield from contamination_lines(answer.findings)
        name = f"{answer.dataset}@HEAD" if problem.refusal is Refusal.PROTECTED_BRANCH else subject
        yield from (f"  next: {step}" for step in next_steps(name, answer))
    if problem.refusal is Refusal.CONTAMINATED:
        yield f"  or take the version back: heldout unfreeze {subject} --reason '...'"
    elif problem.warning:
        yield "  a topic branch may be pushed, so that reviewers see the findings"
