"""The folded parts about data: which examples changed, and what happened to slices."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from heldout.domain.branch import DatasetChange, SliceChange, What
from heldout.domain.diff import Pair
from heldout.domain.slicing.definition import Definition
from heldout.reports.branch.cells import code, plain, table
from heldout.reports.branch.parts import Part, more
from heldout.reports.branch.words import holdout_text
from heldout.reports.marking import element, fenced
from heldout.reports.slicing.slices import count_text, definition_lines


def example_parts(change: DatasetChange, limit: int) -> Iterator[Part]:
    lines: list[str] = [f"- {plain(text)}" for text in ([change.broken] if change.broken else change.untold)]
    if (text := holdout_text(change, code)) is not None:
        lines.append(f"- Declared otherwise: {text}.")
    if change.rows is not None:
        lines += ([""] if lines else []) + _split_table(change)
        lines += _what_changed(change, limit)
    if lines:
        yield Part(f"Examples of <code>{element(change.name)}</code>", lines)


_COLUMNS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved_in": "moved in",
    "moved_out": "moved out",
    "relabelled": "with another answer",
    "unchanged": "unchanged",
}


def _split_table(change: DatasetChange) -> list[str]:
    assert change.rows is not None
    splits = change.rows.by_split
    used = [name for name in _COLUMNS if any(row.get(name) for row in splits.values())]
    held = {*change.holdout_before, *change.holdout_after}
    rows = [
        [code(split) + (" (held out)" if split in held else ""), *(f"{row.get(name, 0):,}" for name in used)]
        for split, row in splits.items()
    ]
    return table(["split", *(_COLUMNS[name] for name in used)], rows, range(1, len(used) + 1))


def _what_changed(change: DatasetChange, limit: int) -> list[str]:
    """The examples by split and key, and what the change means for results."""
    assert change.rows is not None
    found, lines = change.rows.diff, []
    if found is not None and not found.is_empty:
        lists = {
            "added": [code(f"{member.split}/{member.key}") for member in found.added],
            "removed": [code(f"{member.split}/{member.key}") for member in found.removed],
            "changed": [f"{code(f'{pair.after.split}/{pair.after.key}')} ({_parts(pair)})" for pair in found.changed],
            "moved": [
                f"{code(f'{pair.before.split}/{pair.before.key}')} → {code(pair.after.split)}" for pair in found.moved
            ],
        }
        lines.append("")
        limit = min(limit, 20)
        for name, items in lists.items():
            if items:
                rest = f" and {len(items) - limit:,} more" if len(items) > limit else ""
                lines.append(f"- {name}: {', '.join(items[:limit])}{rest}")
    if change.rows.part is not None:
        number = (
            f" The next version would be {code(f'{change.name}@{change.rows.suggested}')}."
            if change.rows.suggested
            else ""
        )
        lines += ["", f"{_WORTH[change.rows.part]}{number}"]
    return lines


_WORTH = {
    "major": "A held-out example changed or left, so results from before and after cannot be compared.",
    "minor": "Results from before and after can be compared on the held-out examples that both have.",
    "patch": "No example was added or changed: results stay comparable.",
}


def _parts(pair: Pair) -> str:
    found = ["question"] if pair.before.input != pair.after.input else []
    found += ["answer"] if pair.before.expected != pair.after.expected else []
    return " and ".join(found) or "metadata"


def slice_parts(change: DatasetChange, limit: int) -> Iterator[Part]:
    if not change.slices:
        return
    rows = []
    for item in change.slices:
        what = _SLICE_WORDS[item.what]
        chosen = item.after or item.before
        assert chosen is not None
        mark = _mark(item)
        rows.append([code(item.name), what + mark, *(_counted(item, side) for side in (0, 1)), _came(item)])
    heads = ["slice", "what", "examples before", "examples now", "by the new definition"]
    if not any(row[4] for row in rows):
        heads, rows = heads[:4], [row[:4] for row in rows]
    lines = [*table(heads, rows[:limit]), *more(len(rows), limit, f"heldout slice list {change.name}")]
    for item in change.slices[:limit]:
        if item.what in (What.CHANGED, What.ADDED):
            lines += ["", f"{code(item.name)}:", "", *fenced(_definition_diff(item), "diff")]
    yield Part(f"Slices of <code>{element(change.name)}</code>: {_slice_count(change)}", lines)


_SLICE_WORDS = {
    What.ADDED: "new",
    What.CHANGED: "redefined",
    What.REMOVED: "removed",
    None: "other members",
}


def _slice_count(change: DatasetChange) -> str:
    redefined = sum(item.what is What.CHANGED for item in change.slices)
    words = [(sum(item.what is What.ADDED for item in change.slices), "new"), (redefined, "redefined")]
    words += [(sum(item.what is What.REMOVED for item in change.slices), "removed")]
    words += [(sum(item.what is None for item in change.slices), "with other members")]
    return ", ".join(f"{count} {word}" for count, word in words if count)


def _mark(item: SliceChange) -> str:
    before = item.before is not None and item.before.item.required
    after = item.after is not None and item.after.item.required
    if item.before and item.after and before != after:
        return ", now required" if after else ", no longer required"
    return ", required" if after else ""


def _counted(item: SliceChange, side: int) -> str:
    counted = item.counts[side]
    chosen = (item.before, item.after)[side]
    if chosen is None:
        return "–"
    return "not known here" if counted is None else count_text(counted)


def _came(item: SliceChange) -> str:
    found = item.members
    return "" if found is None else f"{len(found.entered):,} enter, {len(found.left):,} leave, {found.stayed:,} stay"


def _definition_diff(item: SliceChange) -> list[str]:
    old, new = (_definition(side.definition if side else None) for side in (item.before, item.after))
    return [line for line in difflib.ndiff(old, new) if not line.startswith("?")]


def _definition(definition: Definition | None) -> list[str]:
    return [] if definition is None else definition_lines(definition, indent="")
