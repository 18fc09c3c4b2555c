"""Scan records, as text and as JSON (`heldout/scans@1`): subject, status, compared, findings (B45)."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from heldout.domain.listing import Names, ScanListing, ScanRow, ScanStatus
from heldout.domain.record import ScanRecord
from heldout.reports.answers import columns

_HEADS = ("", "scan", "status", "examples", "compared", "exact", "near", "moved", "containment", "contaminations")
_COUNTS = ("exact", "near", "moved", "containment", "holdout_contamination")


def scans_lines(listing: ScanListing, dataset: str | None = None) -> list[str]:
    if not listing.rows and not listing.damaged:
        return [f"no scan record of {dataset or 'any dataset'} is committed yet", "  next: heldout scan --all --commit"]
    lines = []
    for name, group in groupby(listing.rows, key=lambda row: row.record.dataset):
        rows = list(group)
        lines += [name, *columns([_HEADS, *(_cells(row, listing.names) for row in rows)])]
        lines += [
            f"  {row.record.id} is incomplete: {reason}"
            for row in rows
            for reason in sorted(set(row.record.incomplete))
        ]
    if any(row.status is ScanStatus.OTHER_METHOD for row in listing.rows):
        lines.append("  records of another method count for nothing; accept_methods in heldout.yaml can change that")
    lines += [f"  {name}: a record cannot be trusted: {what}" for name, what in listing.damaged]
    worst = next((row.record for row in reversed(listing.rows) if row.record.contaminations), None)
    if worst is not None:
        lines.append(f"  next: heldout findings {_subject(worst, listing.names)} --holdout-only")
    return lines


def _cells(row: ScanRow, names: Names) -> tuple[str, ...]:
    record = row.record
    counts = (f"{record.counts.get(name, 0):,}" for name in _COUNTS)
    status = row.status.value
    total = f"{record.examples.total:,}"
    return (names.label(record.source, record.dataset), record.id, status, total, str(len(record.compared)), *counts)


def _subject(record: ScanRecord, names: Names) -> str:
    return next((str(name) for name in names.named(record.source) if name.dataset == record.dataset), record.dataset)


def scans_json(listing: ScanListing) -> dict[str, Any]:
    return {
        "format": "heldout/scans@1",
        "scans": [_row_json(row, listing.names) for row in listing.rows],
        "damaged": [{"dataset": name, "reason": what} for name, what in listing.damaged],
    }


def _row_json(row: ScanRow, names: Names) -> dict[str, Any]:
    record = row.record
    return {
        "id": record.id,
        "dataset": record.dataset,
        "versions": [str(name) for name in names.named(record.source)],
        "source": record.source,
        "content": record.content,
        "status": row.status.value,
        "incomplete": list(record.incomplete),
        "method": {"id": record.method_id, "digest": record.method_digest},
        "examples": record.examples.total,
        "compared": [
            {
                "dataset": item.dataset,
                "source": item.source,
                "versions": [str(name) for name in names.named(item.source)],
                "complete": item.complete,
            }
            for item in record.compared
        ],
        "counts": dict(record.counts),
        "holdout_contamination": record.contaminations,
    }
