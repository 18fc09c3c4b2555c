"""Which value a case has for a slice of its run: told from what the run's row says of it (O4 to O10)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from heldout.domain.canonical import canonical_json
from heldout.domain.example import JSON
from heldout.domain.results.declared import NONE_VALUE, Kind, Part
from heldout.domain.results.run import Rag

Teller: TypeAlias = "Callable[[Any, JSON], str | None]"
"""From a row, and what is relevant for its case, to a value; None where the row does not have what the slice needs."""

TRAJECTORY = "agent_trajectory/v1"


def value_text(value: JSON) -> str:
    """A44: a text as it is, other values as their canonical JSON."""
    return value if isinstance(value, str) else canonical_json(value).decode()


def teller(part: Part, rag: Rag) -> Teller:
    if part.kind is Kind.TRAJECTORY_LENGTH:
        labels = part.labels()
        return lambda row, _: None if (steps := _steps(row)) is None else labels[part.bin_of(len(steps))]
    if part.kind is Kind.CONFIDENCE:
        labels = part.labels()
        return lambda row, _: None if row.confidence is None else labels[part.bin_of(row.confidence)]
    if part.kind is Kind.RELEVANT_POSITION:
        return lambda row, relevant: _position(row, relevant, rag.top_k)
    if part.kind is Kind.CONTEXT_TRUNCATED:
        return lambda row, _: _truncated(row, rag.token_budget)
    return {Kind.FIRST_TOOL: _first_tool, Kind.REPEATED_ACTION: _repeated, Kind.ROUTE: _route}[part.kind]


def _steps(row: Any) -> list[dict[str, JSON]] | None:
    found = row.trajectory
    if found is None or found.get("schema") != TRAJECTORY or not isinstance(found.get("steps"), list):
        return None
    steps: list[dict[str, JSON]] = found["steps"]
    return steps if all(isinstance(step, dict) for step in steps) else None


def _first_tool(row: Any, _: JSON) -> str | None:
    steps = _steps(row)
    if steps is None:
        return None
    return next((tool for step in steps if isinstance(tool := step.get("tool"), str)), NONE_VALUE)


def _repeated(row: Any, _: JSON) -> str | None:
    """An identical call is the same tool with the same arguments, as canonical JSON, anywhere in the trajectory."""
    steps = _steps(row)
    if steps is None:
        return None
    calls = [
        (step["tool"], canonical_json(step.get("arguments"))) for step in steps if isinstance(step.get("tool"), str)
    ]
    return "true" if len(set(calls)) < len(calls) else "false"


def _route(row: Any, _: JSON) -> str | None:
    """Agents in the order in which they took control; one that goes on is named once."""
    if row.route is not None:
        return str(row.route)
    agents: list[str] = []
    for step in _steps(row) or ():
        agent = step.get("agent")
        if isinstance(agent, str) and agents[-1:] != [agent]:
            agents.append(agent)
    return ">".join(agents) or None


def _position(row: Any, relevant: JSON, top_k: int | None) -> str | None:
    """Where the first relevant passage stands among those retrieved, which are listed best first.

    A case to which no passage is relevant has no such place: it is not one whose passage was not retrieved.
    """
    retrieved = (row.retrieval or {}).get("retrieved")
    wanted = row.relevant if relevant is None else relevant
    if top_k is None or not isinstance(retrieved, list) or wanted is None or wanted == []:
        return None
    names: Collection[JSON] = wanted if isinstance(wanted, list) else [wanted]
    rank = next((rank for rank, item in enumerate(retrieved, 1) if item in names), None)
    if rank is None:
        return "not_retrieved"
    return "top_k" if rank <= top_k else "beyond_top_k"


def _truncated(row: Any, budget: int | None) -> str | None:
    """Whether the token budget dropped passages: true or false, a number of them, or a list."""
    dropped = (row.retrieval or {}).get("dropped")
    count = len(dropped) if isinstance(dropped, list) else dropped
    if budget is None or not isinstance(count, int) or count < 0:
        return None
    return "true" if count else "false"
