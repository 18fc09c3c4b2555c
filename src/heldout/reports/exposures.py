"""Exposures as text and as JSON. Examples are named by split and key; their text is never in here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.domain.exposing.exposure import Exposure, How, MemberName
from heldout.reports.answers import columns, plural

SHOWN = 5
"""Examples named before the text form says how many more there are."""

Unchecked = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Listed:
    """One dataset's log. `held` are the examples that the subject still holds out; None where nobody has looked."""

    dataset: str
    lines: Sequence[Exposure]
    uncommitted: Sequence[Exposure]
    held: frozenset[MemberName] | None
    problem: str | None


def logged_lines(dataset: str, line: Exposure, path: str, unchecked: Unchecked, commit: str | None) -> list[str]:
    count = plural(len(line.members), "example")
    lines = [f"{count} of {dataset} logged as exposed ({line.how}) on {line.day.isoformat()}"]
    lines += [f"  {name}" for name in _names(line.members)]
    lines += _unchecked_lines(unchecked)
    if commit:
        lines.append(f"  line {line.number} of {path}, committed as {commit[:10]}")
    else:
        lines.append(f"  line {line.number} of {path}; next: git add {path.rpartition('/')[0]} and commit")
    return lines


def logged_json(dataset: str, line: Exposure, path: str, unchecked: Unchecked, commit: str | None) -> dict[str, Any]:
    return {
        "format": "heldout/expose@1",
        "dataset": dataset,
        "path": path,
        "line": line.as_json(),
        "unchecked": _unchecked_json(unchecked),
        "commit": commit,
    }


def exposures_lines(subject: str | None, logs: Sequence[Listed], spoiling: Collection[How]) -> Iterator[str]:
    if not any(log.lines or log.uncommitted or log.problem for log in logs):
        yield f"nothing is logged as exposed{f' of {subject}' if subject else ''}"
        return
    for log in logs:
        yield f"{log.dataset}: {plural(len(log.lines) + len(log.uncommitted), 'line')}"
        rows = [_row(line, spoiling, fresh=False) for line in log.lines]
        rows += [_row(line, spoiling, fresh=True) for line in log.uncommitted]
        yield from columns(rows)
        if log.problem:
            yield f"  {log.problem}"
        if subject and log.held is not None:
            names = ", ".join(_names(sorted(log.held)))
            yield f"  {subject} still holds out {plural(len(log.held), 'example')} of these{names and f': {names}'}"
            if log.held:
                yield "  next: give them another split in the next version, commit, and freeze it"
        elif subject and log.lines:
            yield f"  nobody has looked what {subject} holds out of these: heldout exposures check {log.dataset}"


def _row(line: Exposure, spoiling: Collection[How], *, fresh: bool) -> tuple[str, ...]:
    names = ", ".join(_names(line.members))
    marks = [*([] if line.how in spoiling else ["does not count"]), *(["not committed"] if fresh else [])]
    end = f"  ({', '.join(marks)})" if marks else ""
    who = f"{line.by}: {line.note}  [{names}]{end}"
    return (f"{line.number}", line.day.isoformat(), line.how.value, plural(len(line.members), "example"), who)


def _names(members: Sequence[MemberName]) -> list[str]:
    names = [f"{split}/{key}" for split, key, _ in members[:SHOWN]]
    return [*names, f"and {len(members) - SHOWN} more"] if len(members) > SHOWN else names


def exposures_json(subject: str | None, logs: Sequence[Listed], spoiling: Collection[How]) -> dict[str, Any]:
    return {
        "format": "heldout/exposures@1",
        "subject": subject,
        "contaminates": sorted(spoiling),
        "datasets": [
            {
                "dataset": log.dataset,
                "lines": [
                    *({**line.as_json(), "committed": True} for line in log.lines),
                    *({**line.as_json(), "committed": False} for line in log.uncommitted),
                ],
                "held": None if log.held is None else [list(member) for member in sorted(log.held)],
                "problem": log.problem,
            }
            for log in logs
        ],
    }


def checked_lines(checks: int, unchecked: Unchecked, commit: str | None) -> list[str]:
    if not checks and not unchecked:
        return ["every version was looked at already"]
    end = f"; committed as {commit[:10]}" if commit else "; next: git add datasets and commit" if checks else ""
    return [f"{plural(checks, 'check')} made{end}", *_unchecked_lines(unchecked)]


def checked_json(checks: int, unchecked: Unchecked, commit: str | None) -> dict[str, Any]:
    return {
        "format": "heldout/exposures-check@1",
        "checks": checks,
        "unchecked": _unchecked_json(unchecked),
        "commit": commit,
    }


def _unchecked_lines(unchecked: Unchecked) -> list[str]:
    return [f"  {name} could not be looked at, so it is unknown: {why}" for name, why in unchecked]


def _unchecked_json(unchecked: Unchecked) -> list[dict[str, str]]:
    return [{"subject": name, "reason": why} for name, why in unchecked]
