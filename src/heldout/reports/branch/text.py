"""The report of a branch for a terminal: short, since every part has a command that shows all of it."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.branch import Branch, DatasetChange
from heldout.reports.answers import columns, plural
from heldout.reports.branch.words import (
    TITLE,
    change_text,
    gap_rows,
    held_count,
    holdout_text,
    rows_text,
    verdict_sentences,
)
from heldout.reports.excerpts import printable
from heldout.reports.findings import overlap_line
from heldout.reports.slicing.slices import count_text

SHOWN = 5


def branch_lines(branch: Branch, limit: int | None = None) -> list[str]:
    shown = SHOWN if limit is None else limit
    first, *rest = verdict_sentences(branch)
    lines = [f"{TITLE[branch.verdict]}. {first}".replace("`", "")]
    lines += [f"  {text}".replace("`", "") for text in rest]
    for change in branch.datasets:
        lines += _dataset(change)
    lines += [f"new version {row.version.name}: {row.answer.verdict.value}" for row in branch.versions]
    lines += [f"retired {item.version}: {printable(item.reason)}" for item in branch.retired]
    lines += _findings(branch, shown)
    gaps = gap_rows(branch.gaps)
    lines += ["not known:"] if gaps else []
    lines += [f"  {name}: {text}" for name, text in gaps[:shown]]
    lines += [f"  and {len(gaps) - shown} more"] if len(gaps) > shown else []
    lines += [f"awaits an approval: {item.change.dataset} ({item.lacks})" for item in branch.unapproved]
    lines += [f"awaits a reviewer: {item.row.path}" for item in branch.awaited]
    since = f"{plural(branch.commits, 'commit')} since {branch.base[:10]} of {branch.base_name}"
    return [*lines, f"{since}, up to {branch.head[:10]}"]


def _dataset(change: DatasetChange) -> Iterator[str]:
    rows = "" if change.rows is None else f": {rows_text(change.rows)}"
    yield f"{change.name} {change.what.value}{rows}"
    if change.broken:
        yield f"  cannot be read: {printable(change.broken)}"
    if (text := holdout_text(change)) is not None:
        yield f"  {text}"
    if change.rows is not None and not change.rows.is_empty:
        used = [name for name in ("added", "removed", "changed", "moved_in", "moved_out") if change.rows.total(name)]
        held = {*change.holdout_before, *change.holdout_after}
        table = [["", *(name.replace("_", " ") for name in used)]]
        for split, row in change.rows.by_split.items():
            label = f"{split} (held out)" if split in held else split
            table.append([label, *(f"{row.get(name, 0):,}" for name in used)])
        yield from columns(table, "    ")
    for item in change.slices:
        what = item.what.value if item.what else "other members"
        counts = [count_text(counted) for counted in item.counts if counted is not None]
        yield f"  slice {item.name} {what}" + (f": {' -> '.join(counts)}" if counts else "")
    if change.governed is not None:
        yield f"  held-out examples: {change_text(change.governed)}"
    for name, count in change.outdates:
        yield f"  contaminates {name} once it is frozen: {plural(count, 'held-out example')}"
    for why in change.untold:
        yield f"  {printable(why)}"


def _findings(branch: Branch, shown: int) -> Iterator[str]:
    found = branch.findings
    for word, hits in (
        ("newly given away", found.open(found.new)),
        ("given away as before", found.open(found.remaining)),
        ("no longer given away", found.resolved),
    ):
        if hits:
            yield f"{word}: {plural(held_count(hits), 'held-out example')}"
            yield from (f"  {overlap_line(hit.finding, hit.held, hit.other)}" for hit in hits[:shown])
            if len(hits) > shown:
                yield f"  and {len(hits) - shown:,} more"
