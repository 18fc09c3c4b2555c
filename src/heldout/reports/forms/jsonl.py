"""One JSON object a line, an item each (`heldout/item@1`): for jq, a data frame, a log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from heldout.domain.reporting import Item, Location, Part, Report

FORMAT = "heldout/item@1"


def jsonl(report: Report) -> Iterator[str]:
    for item in report.items:
        yield json.dumps(item_json(item), ensure_ascii=False, separators=(",", ":")) + "\n"


def item_json(item: Item) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "id": item.id,
        "rule": item.rule,
        "also": list(item.also),
        "weight": item.weight.value,
        "level": item.level.value,
        "message": item.message,
        "location": location_json(item.location),
        "similarity": None if item.score is None else round(float(item.score), 4),
        "contaminates": list(item.contaminates),
        "accepted_because": item.reason,
        "sides": [part_json(part) for part in item.parts],
        "fingerprint": item.fingerprint,
    }


def part_json(part: Part) -> dict[str, Any]:
    """The text is a key of its own only where it was asked for."""
    data: dict[str, Any] = {
        "dataset": part.dataset,
        "split": part.split,
        "key": part.key,
        "input": part.input,
        "held_out": part.held_out,
        "versions": list(part.versions),
        "location": None if part.location is None else location_json(part.location),
    }
    return data if part.text is None else {**data, "text": part.text}


def location_json(location: Location) -> dict[str, Any]:
    return {"file": location.file, "line": location.line, "row": location.row}
