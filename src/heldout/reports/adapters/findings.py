"""What `heldout findings` lists, for any form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.listing import FindingListing, FindingRow, Names
from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Part, Report, Weight, item_id
from heldout.reports.adapters.rules import rules
from heldout.reports.adapters.words import Named, sentence
from heldout.reports.finding_list import findings_lines, version_labels

WEIGHTS = {Severity.BLOCK: Weight.BLOCK, Severity.REVIEW: Weight.REVIEW, Severity.NOTE: Weight.NOTE}
_LEVELS = {Severity.BLOCK: Level.WARNING, Severity.REVIEW: Level.WARNING, Severity.NOTE: Level.NOTE}


def findings_report(
    listing: FindingListing, limit: int | None, locate: Callable[[Finding], Location], nowhere: Location
) -> Report:
    """`nowhere` is where to point when there is no record at all, which is unknown and not nothing."""
    subject = str(listing.subject) if listing.subject else ""
    first, *_ = findings_lines(listing, 0)
    if not listing.recorded:
        step = findings_lines(listing)[1].removeprefix("  next: ")
        gap = unknown_item("not-scanned", subject or "this repository", "no scan record of this content", nowhere)
        return Report("findings", subject, Outcome.UNKNOWN, (first,), 1, [gap], rules([gap.rule]), next=(step,))
    kinds = [kind for kind in Kind if any(kind in row.finding.kinds for row in listing.rows)]
    given = sum(row.finding.holdout_contamination for row in listing.rows)
    report = Report(
        "findings",
        subject,
        Outcome.FOUND if any(row.contaminates for row in listing.rows) else Outcome.CLEAN,
        (first,),
        len(listing.rows),
        Items(lambda: (_row_item(row, listing.names, locate, named=not subject) for row in listing.rows)),
        rules(kinds),
        (
            *((kind.value, sum(kind in row.finding.kinds for row in listing.rows)) for kind in kinds),
            ("contaminate a holdout", given),
        ),
    )
    kept = report if limit is None else replace(report, items=report.worst(limit))
    first_item = next(iter(kept.items), None)
    shown = () if first_item is None else (f"heldout findings show {first_item.id} {subject}".rstrip(),)
    return replace(kept, next=shown)


def _row_item(row: FindingRow, names: Names, locate: Callable[[Finding], Location], *, named: bool) -> Item:
    """An error is what gives a holdout away that takes part; other blocking kinds are for a person to look at."""
    finding = row.finding
    parts = tuple(_part(side, names, finding, named=named) for side in (finding.a, finding.b))
    gives = tuple(_holdout(finding, source, names) for source in row.contaminates)
    level = Level.ERROR if row.contaminates else _LEVELS[finding.severity]
    return _item(finding, parts, level, locate(finding), gives)


def _part(side: Side, names: Names, finding: Finding, *, named: bool) -> Part:
    versions = tuple(version_labels(side.versions, names, side.dataset))
    return part_of(side, finding, versions, named=named)


def part_of(side: Side, finding: Finding, versions: tuple[str, ...] = (), *, named: bool = False) -> Part:
    """The dataset is named where the context does not tell it."""
    across = named or finding.a.dataset != finding.b.dataset
    return Part(
        side.split, side.key, side.dataset if across else None, side.input, None, versions, bool(side.held_out_in)
    )


def _item(
    finding: Finding, parts: tuple[Part, ...], level: Level, location: Location, contaminates: tuple[str, ...]
) -> Item:
    return Item(
        id=finding.id,
        rule=finding.kind.value,
        weight=WEIGHTS[finding.severity],
        level=level,
        message=told(finding, finding.a, parts) + _gives(contaminates),
        location=location,
        parts=parts,
        also=tuple(kind.value for kind in finding.also),
        score=finding.similarity,
        contaminates=contaminates,
    )


def told(finding: Finding, first: Side, parts: Sequence[Part]) -> str:
    """A sentence about the two sides, `first` being the side of the first part."""
    a, b = (Named(part.label, part.held_out) for part in parts)
    return sentence(finding, first, a, b)


def _holdout(finding: Finding, source: str, names: Names) -> str:
    """A version's name says its dataset; content without one needs it said."""
    dataset = next(side.dataset for side in (finding.a, finding.b) if source in side.held_out_in)
    label = names.label(source)
    return label if names.named(source) else f"{dataset} ({label})"


def _gives(versions: tuple[str, ...]) -> str:
    shown = ", ".join(versions[:3]) + (f" and {len(versions) - 3} more" if len(versions) > 3 else "")
    return f"; gives away the holdout of {shown}" if versions else ""


def unknown_item(rule: str, subject: str, text: str, location: Location, level: Level = Level.ERROR) -> Item:
    return Item(item_id(rule, subject, text), rule, Weight.UNKNOWN, level, f"{subject}: {text}", location)
