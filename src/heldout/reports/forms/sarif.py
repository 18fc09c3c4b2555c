"""SARIF 2.1.0, the OASIS standard for findings of tools: code scanning on GitHub, viewers of editors, archives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from heldout.domain.reporting import Item, Location, Outcome, Part, Report, Rule
from heldout.reports.excerpts import printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SHOWN = 25_000
"""Results of one run that GitHub takes; a file with more is refused as a whole."""

_TOP = "%SRCROOT%"


def sarif(report: Report, version: str) -> Iterator[str]:
    """One run of the program of this version. Of too many results the worst are kept, and a notification says so."""
    worst = report.worst(SHOWN)
    numbers = {rule.id: number for number, rule in enumerate(report.rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "heldout",
                "semanticVersion": version,
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "automationDetails": {"id": f"heldout/{report.command.replace(' ', '-')}/{quote(report.subject)}".rstrip("/")},
        "invocations": [_invocation(report, len(worst))],
        "originalUriBaseIds": {_TOP: {"description": {"text": "The top of the repository, or the current folder."}}},
        "columnKind": "unicodeCodePoints",
        "properties": {"total": report.total, "shown": len(worst), **_counts(report)},
    }
    yield f'{{\n"$schema": {_text(SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n'
    yield from (f"{_text(key)}: {_text(value)},\n" for key, value in run.items())
    yield '"results": [\n'
    for place, item in enumerate(worst):
        yield _text(_result(item, numbers)) + ("\n" if place + 1 == len(worst) else ",\n")
    yield "]\n}]\n}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _counts(report: Report) -> dict[str, Any]:
    return {"counts": dict(report.counts)} if report.counts else {}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": f"{rule.title}."},
        "help": {"text": rule.help, "markdown": rule.help},
        "properties": {"tags": ["heldout", "data-leakage"]},
    }


def _invocation(report: Report, shown: int) -> dict[str, Any]:
    """The answer as notifications, so that a log without results still says what was asked and what came of it."""
    said = list(report.answer)
    if shown < report.total:
        said.append(f"{shown:,} of {report.total:,} results are in this log, the worst of them")
    level = "note" if report.outcome is Outcome.CLEAN else "warning"
    return {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            *({"level": level, "message": {"text": printable(text)}} for text in said),
            *({"level": "note", "message": {"text": printable(text)}} for text in report.notes),
        ],
    }


def _result(item: Item, numbers: dict[str, int]) -> dict[str, Any]:
    """`primaryLocationLineHash` is what GitHub tells alerts apart by; ours does not move with the line."""
    data: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": numbers[item.rule],
        "level": item.level.value,
        "message": {"text": _message(item)},
        "locations": [{"physicalLocation": _place(item.location)}],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{item.fingerprint[:16]}:1",
            "heldoutItem/v1": item.fingerprint,
        },
        "properties": _properties(item),
    }
    related = [part for part in item.parts if part.location not in (None, item.location)]
    if related:
        data["relatedLocations"] = [_related(number, part) for number, part in enumerate(related, 1)]
    if item.reason is not None:
        data["suppressions"] = [{"kind": "external", "status": "accepted", "justification": printable(item.reason)}]
    return data


def _message(item: Item) -> str:
    """Brackets open links in a message of SARIF's, so they are escaped; texts only where they were asked for."""
    said = [item.message, *(f"{part.label}: {part.text}" for part in item.parts if part.text is not None)]
    return "\n".join(printable(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") for text in said)


def _properties(item: Item) -> dict[str, Any]:
    data: dict[str, Any] = {"id": item.id, "weight": item.weight.value}
    if item.also:
        data["also"] = list(item.also)
    if item.score is not None:
        data["similarity"] = round(float(item.score), 4)
    if item.contaminates:
        data["contaminates"] = list(item.contaminates)
    return data


def _related(number: int, part: Part) -> dict[str, Any]:
    assert part.location is not None
    return {"id": number, "physicalLocation": _place(part.location), "message": {"text": printable(part.label)}}


def _place(location: Location) -> dict[str, Any]:
    """Relative to the repository's top; a file outside of it by its whole name."""
    if location.file.startswith("/"):
        artifact = {"uri": PurePosixPath(location.file).as_uri()}
    else:
        artifact = {"uri": quote(location.file, errors="surrogateescape"), "uriBaseId": _TOP}
    place: dict[str, Any] = {"artifactLocation": artifact}
    if location.line is not None:
        place["region"] = {"startLine": location.line}
    return place
