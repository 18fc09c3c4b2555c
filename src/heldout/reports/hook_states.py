"""What `heldout hooks` says: what was done, and how each hook stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout.domain.standing import HookStanding, Step, StepState

_NEXT = "next: heldout hooks install"


def steps_lines(steps: Sequence[Step]) -> list[str]:
    return [f"{step.text} already" if step.state is StepState.ALREADY else step.text for step in steps]


def steps_json(steps: Sequence[Step]) -> dict[str, Any]:
    return {
        "format": "heldout/hooks-install@1",
        "steps": [{"state": step.state.value, "text": step.text} for step in steps],
    }


def states_lines(states: Sequence[HookStanding]) -> list[str]:
    width = max(len(state.name) for state in states)
    lines = []
    for state in states:
        where = f" in {state.path}" if state.state in ("moved", "replaced", "without its interpreter") else ""
        behind = f", behind it {', '.join(state.chained)}" if state.chained else ""
        lines.append(f"{state.name:<{width}}  {state.state}{where}{behind}")
    return lines if all(state.good for state in states) else [*lines, _NEXT]


def states_json(states: Sequence[HookStanding]) -> dict[str, Any]:
    return {
        "format": "heldout/hooks-status@1",
        "good": all(state.good for state in states),
        "hooks": [
            {"name": state.name, "state": state.state, "path": state.path, "chained": list(state.chained)}
            for state in states
        ],
    }


def removed_lines(changes: Sequence[tuple[str, str]]) -> list[str]:
    if not changes:
        return ["no hook of Heldout's is installed"]
    return [*(f"{path}: {what}" for path, what in changes), "commits, tags and pushes are not checked here any more"]


def removed_json(changes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        "format": "heldout/hooks-uninstall@1",
        "changes": [{"path": path, "what": what} for path, what in changes],
    }
