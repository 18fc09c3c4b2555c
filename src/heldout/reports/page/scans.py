"""Scan records for the page (B45): subject, status, what was compared, exact, near, holdout contamination."""

from __future__ import annotations

from typing import Any

from heldout.domain.listing import Names, ScanListing, ScanRow

_OTHERS = ("moved", "containment", "intra_split", "source_crosses_split", "group_crosses_split")


def scan_rows(listing: ScanListing) -> list[dict[str, Any]]:
    return [_row(row, listing.names) for row in listing.rows]


def _row(row: ScanRow, names: Names) -> dict[str, Any]:
    record = row.record
    compared = [names.label(item.source) + ("" if item.complete else " (in part)") for item in record.compared]
    counts = {name: record.counts.get(name, 0) for name in _OTHERS}
    return {
        "id": record.id,
        "dataset": record.dataset,
        "source": record.source,
        "subject": names.label(record.source, record.dataset),
        "status": row.status.value,
        "incomplete": sorted(set(record.incomplete)),
        "method": record.method_id,
        "examples": record.examples.total,
        "compared": compared,
        "exact": record.counts.get("exact", 0),
        "near": record.counts.get("near", 0),
        "others": sum(counts.values()),
        "others_text": ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count),
        "contaminations": record.contaminations,
    }
