"""What `heldout init` did, and what `heldout doctor` found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from heldout.domain.standing import Check, CheckState, Step, StepState

_STEP = {StepState.DONE: "+", StepState.ALREADY: "=", StepState.LEFT: "-"}
_CHECK = {CheckState.GOOD: "ok  ", CheckState.ADVICE: "note", CheckState.PROBLEM: "FIX "}


def init_lines(top: str, steps: Iterable[Step], following: Sequence[str]) -> list[str]:
    lines = [f"Heldout in {top}"]
    for step in steps:
        suffix = " already" if step.state is StepState.ALREADY else ""
        lines.append(f"  {_STEP[step.state]} {step.text}{suffix}")
    return [*lines, *next_lines(following)]


def init_json(top: str, steps: Iterable[Step], following: Sequence[str]) -> dict[str, Any]:
    return {
        "format": "heldout/init@1",
        "repository": top,
        "steps": [{"state": step.state.value, "text": step.text} for step in steps],
        "next": list(following),
    }


def after_init(uncommitted: Sequence[str], *, has_datasets: bool) -> list[str]:
    """Commands to run next."""
    following = []
    if uncommitted:
        following.append(f'git add {" ".join(uncommitted)} && git commit -m "Set up Heldout"')
    following.append("heldout status" if has_datasets else "heldout add NAME train.csv test.csv --holdout test")
    return following


def next_lines(following: Sequence[str]) -> list[str]:
    return [f"{'next:' if index == 0 else 'then:'} {step}" for index, step in enumerate(following)]


def doctor_lines(checks: Sequence[Check]) -> list[str]:
    lines = []
    for check in checks:
        lines.append(f"{_CHECK[check.state]}  {check.name}: {check.text}")
        if check.fix:
            lines.append(f"      -> {check.fix}")
    problems = sum(check.state is CheckState.PROBLEM for check in checks)
    if not problems:
        return [*lines, "all good"]
    return [*lines, f"{problems} thing{'s' * (problems != 1)} to fix"]


def doctor_json(checks: Sequence[Check]) -> dict[str, Any]:
    return {
        "format": "heldout/doctor@1",
        "good": all(check.state is not CheckState.PROBLEM for check in checks),
        "checks": [
            {"name": check.name, "state": check.state.value, "text": check.text, "fix": check.fix} for check in checks
        ],
    }
