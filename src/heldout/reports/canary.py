"""Canaries as text and as JSON."""

from __future__ import annotations

import html
import json
from typing import Any

from heldout.domain.exposing.canary import Canary, Searched, Sighting
from heldout.reports.answers import plural


def made_lines(canary: Canary, path: str, commit: str | None) -> list[str]:
    sentence = canary.sentence
    end = f"committed as {commit[:10]}" if commit else f"next: git add {path} and commit"
    return [
        f"the canary of {canary.name}: {canary.text}",
        f"  recorded in {path}; {end}",
        "  put it into every file and page that shows held-out examples:",
        f"    csv, parquet   a column named canary, in every row: {canary.text}",
        f"    jsonl, json    a field in every row: {json.dumps('canary')}: {json.dumps(canary.text)}",
        f"    txt, Markdown  a line of its own: {sentence}",
        f"    web pages      <!-- {html.escape(sentence)} -->",
        f"  then look for it where models are trained: heldout canary scan FILE... --against {canary.name}",
    ]


def made_json(canary: Canary, path: str, commit: str | None) -> dict[str, Any]:
    return {
        "format": "heldout/canary-new@1",
        "dataset": canary.name,
        "canary": canary.text,
        "sentence": canary.sentence,
        "path": path,
        "commit": commit,
    }


def searched_lines(found: Searched, looked_for: int) -> list[str]:
    lines = []
    if found.counts:
        total = sum(found.counts.values())
        files = len({file for file, _ in found.counts})
        lines.append(f"canaries found: {plural(total, 'place')} in {plural(files, 'file')}")
        lines += [f"  {_place(item)}: {item.canary.name}" for item in found.sightings]
        rest = total - len(found.sightings)
        lines += [f"  and {rest:,} more (--json counts them by file)"] if rest else []
        lines.append("  next: whoever trained on these files has seen the benchmark; heldout expose NAME logs that")
    else:
        what = plural(looked_for, "canary", "canaries")
        lines.append(f"none of {what} occurs in {plural(found.files, 'file')} ({found.size:,} bytes)")
    lines += [f"  not searched: {name}: {why}" for name, why in found.left_out]
    return lines


def _place(item: Sighting) -> str:
    if item.offset is None:
        return f"{item.file}, row {item.line}, column {item.column}"
    return f"{item.file}, line {item.line} (byte {item.offset:,})"


def searched_json(found: Searched, looked_for: tuple[Canary, ...]) -> dict[str, Any]:
    return {
        "format": "heldout/canary-scan@1",
        "canaries": [{"name": canary.name, "canary": canary.text} for canary in looked_for],
        "files": found.files,
        "bytes": found.size,
        "found": bool(found.counts),
        "counts": [{"file": file, "name": name, "count": count} for (file, name), count in found.counts.items()],
        "sightings": [
            {
                "file": item.file,
                "name": item.canary.name,
                "line" if item.offset is not None else "row": item.line,
                **({"offset": item.offset} if item.offset is not None else {"column": item.column}),
            }
            for item in found.sightings
        ],
        "not_searched": [{"file": name, "reason": why} for name, why in found.left_out],
    }
