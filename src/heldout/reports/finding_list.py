"""A list of findings with the versions that contain them, as text and as JSON (`heldout/findings@1`; B46, B47)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout.domain.finding import Kind, Side
from heldout.domain.kind import is_no_dataset
from heldout.domain.listing import FindingListing, FindingRow, Names
from heldout.reports.answers import plural
from heldout.reports.findings import finding_json, overlap_line
from heldout.reports.rows import Rows

SHOWN = 20
"""Findings listed in the text form, unless a limit is given."""


def findings_lines(listing: FindingListing, limit: int | None = None) -> list[str]:
    subject = str(listing.subject) if listing.subject else "versions that take part, and HEAD"
    if not listing.recorded:
        return [f"{subject}: no scan record of this content, so nothing is known", f"  next: {_next_scan(listing)}"]
    lines = [f"{subject}: {_summary(listing)}"]
    if listing.edited:
        lines.append(f"  {', '.join(listing.edited)}: edited since; heldout scan {listing.subject} looks at the files")
    shown = listing.rows[: SHOWN if limit is None else limit]
    for row in shown:
        lines.append(f"  {overlap_line(row.finding)}")
        lines.append(f"    {_versions_line(row, listing.names)}")
    if len(listing.rows) > len(shown):
        lines.append(f"  and {len(listing.rows) - len(shown):,} more (--limit {len(listing.rows)} shows all)")
    if shown and not is_no_dataset(shown[0].finding.b.dataset):
        about = f" {listing.subject}" if listing.subject else ""
        lines.append(f"  next: heldout findings show {shown[0].finding.id}{about}")
    return lines


def _next_scan(listing: FindingListing) -> str:
    if listing.subject is None:
        return "heldout scan --all --commit"
    if listing.subject.revision is None:
        return f"heldout scan {listing.subject} (for advice; a commit is recorded)"
    return f"heldout scan {listing.subject} --commit"


def _summary(listing: FindingListing) -> str:
    rows = listing.rows
    count = plural(len(rows), "finding")
    if len(rows) != listing.total:
        count += f" of {listing.total:,}"
    if not rows:
        return count
    kinds = ", ".join(
        f"{sum(kind in row.finding.kinds for row in rows):,} {kind.value}"
        for kind in Kind
        if any(kind in row.finding.kinds for row in rows)
    )
    given = sum(row.finding.holdout_contamination for row in rows)
    return f"{count} ({kinds}); {given:,} contaminate a holdout"


def _versions_line(row: FindingRow, names: Names) -> str:
    finding = row.finding
    parts = [f"A in {_labels(finding.a, names)}"]
    if not is_no_dataset(finding.b.dataset):
        parts.append(f"B in {_labels(finding.b, names)}")
    given = ", ".join(names.label(source) for source in row.contaminates)
    if given:
        parts.append(f"contaminates {given}")
    else:
        parts.append(finding.severity.value)
    return " · ".join(parts)


def _labels(side: Side, names: Names) -> str:
    return ", ".join(version_labels(side.versions, names, side.dataset)) or "no version"


def version_labels(sources: Sequence[str], names: Names, dataset: str) -> list[str]:
    """Frozen versions by number, then how much content no tag freezes."""
    named = sorted((source for source in sources if names.named(source)), key=names.named)
    labels = [names.label(source, dataset) for source in named]
    loose = [source for source in sources if not names.named(source)]
    if len(loose) > 1:
        labels.append(f"{len(loose)} untagged commits")
    return labels + ([names.label(loose[0])] if len(loose) == 1 else [])


def findings_json(listing: FindingListing, limit: int | None = None) -> dict[str, Any]:
    return {
        "format": "heldout/findings@1",
        "subject": None if listing.subject is None else str(listing.subject),
        "source": listing.source,
        "recorded": listing.recorded,
        "edited": list(listing.edited),
        "total": listing.total,
        "matching": len(listing.rows),
        "limit": limit,
        "findings": Rows(listing.rows[:limit], lambda row: row_json(row, listing.names)),
    }


def row_json(row: FindingRow, names: Names) -> dict[str, Any]:
    """A finding; each side lists the versions that contain it, by name where a tag names them."""
    data = finding_json(row.finding)
    for label, side in (("a", row.finding.a), ("b", row.finding.b)):
        data[label]["versions"] = [_version_json(source, names) for source in side.versions]
    data["contaminates"] = [_version_json(source, names) for source in row.contaminates]
    return data


def _version_json(source: str, names: Names) -> dict[str, Any]:
    return {
        "source": source,
        "versions": [str(name) for name in names.named(source)],
        "retired": source in names.retired,
    }
