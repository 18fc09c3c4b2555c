"""What `heldout clean` prints, as text and as JSON (`heldout/clean@1`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.splitting.cleaning import Cleaned


def clean_lines(cleaned: Cleaned) -> Iterator[str]:
    total, rows = len(cleaned.removed), sum(cleaned.rows.values())
    kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in cleaned.by_kind().items())
    which = "held-out rows" if cleaned.from_holdout else "rows outside the holdout"
    yield f"{total:,} of {rows:,} {which} left{f': {kinds}' if kinds else ''}"
    width = max(len(file.path) for file in cleaned.files)
    for file in cleaned.files:
        gone = f"{file.removed:,} left" if file.removed else "every row kept"
        yield f"  {file.path:<{width}}  {file.kept:>9,} rows, {gone}"
    yield f"what left, and why: {cleaned.listed}"
    if cleaned.remaining:
        yield f"not clean: a check of the written files finds {cleaned.remaining:,} pairs across the holdout"
        yield "next: heldout check on these files shows them"
    else:
        yield f"clean: checked again, {' and '.join(cleaned.holdout)} shares no exact, near or moved example"
        if cleaned.from_holdout:
            yield "next: the holdout changed, so scores on it do not compare with earlier ones: give it a new version"
        else:
            yield f"next: train on what is in {cleaned.listed.rpartition('/')[0] or '.'}"


def clean_json(cleaned: Cleaned) -> dict[str, Any]:
    return {
        "format": "heldout/clean@1",
        "holdout": list(cleaned.holdout),
        "from": "holdout" if cleaned.from_holdout else "train",
        "files": [
            {"source": file.source, "path": file.path, "kept": file.kept, "removed": file.removed}
            for file in cleaned.files
        ],
        "removed_total": len(cleaned.removed),
        "removed": cleaned.by_kind(),
        "removed_by_split": cleaned.by_split(),
        "list": cleaned.listed,
        "clean": not cleaned.remaining,
        "remaining": cleaned.remaining,
    }
