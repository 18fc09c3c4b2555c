"""A verification as text and JSON."""

from __future__ import annotations

from typing import Any

from heldout.domain.outcomes import PushVerdict
from heldout.domain.verification import Check, Level
from heldout.reports.hooks import PREFIX, push_lines


def verify_lines(check: Check) -> list[str]:
    lines = [
        f"{problem.level}: {problem.place}: {problem.text} [{problem.slug}]"
        for level in (Level.FAILED, Level.UNKNOWN, Level.REPORTED)
        for problem in check.problems
        if problem.level is level
    ]
    return [*lines, verdict_line(check)]


def verdict_line(check: Check) -> str:
    since = f"since {check.base[:10]}" if check.base else "everything"
    counts = f"{check.records} records checked, {check.replayed} made again ({since})"
    verdict = "failed" if check.has(Level.FAILED) else "unknown" if check.has(Level.UNKNOWN) else "verified"
    return f"{verdict}: {counts}"


def received_lines(verdict: PushVerdict, check: Check) -> list[str]:
    """What a server says to who pushes; nothing where all is well."""
    lines = [f"{PREFIX}{item.level}: {item.place}: {item.text} [{item.slug}]" for item in check.problems]
    if check.has(Level.UNKNOWN):
        lines.append(
            f"{PREFIX}for this server: heldout verify --data FOLDER gives it the data, --trust-records goes without"
        )
    said = push_lines(verdict)
    if lines and not verdict.refused:
        said.append(f"{PREFIX}nothing was pushed")
    return [*lines, *said]


def verify_json(check: Check) -> dict[str, Any]:
    return {
        "format": "heldout/verify@1",
        "head": check.head,
        "base": check.base,
        "records": check.records,
        "replayed": check.replayed,
        "failed": check.has(Level.FAILED),
        "unknown": check.has(Level.UNKNOWN),
        "problems": [
            {"level": item.level.value, "place": item.place, "text": item.text, "slug": item.slug}
            for item in check.problems
        ],
    }
