"""The small table on top of the report: what a reviewer knows without opening anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heldout.domain.branch import Branch, DatasetChange, SliceChange, What
from heldout.reports.answers import plural
from heldout.reports.branch.cells import code, plain
from heldout.reports.branch.words import change_text, held_count

_NAMED = 10
"""Datasets and other things that are named before the rest is counted."""


def overview(branch: Branch) -> list[list[str]]:
    """Rows of two cells, in Markdown."""
    rows = [["**Leaks**", _leaks(branch)], ["**Compared**", _compared(branch)]]
    if branch.datasets:
        rows.append(["**Datasets**", _some([_dataset(item) for item in branch.datasets], "<br>")])
    if versions := _versions(branch):
        rows.append(["**Versions**", _some(versions, "<br>")])
    slices = [_slice(item) for change in branch.datasets for item in change.slices]
    if slices:
        rows.append(["**Slices**", _some(slices, ", ")])
    return [*rows, ["**Waiting for people**", _some(_waiting(branch), "<br>") or "no"]]


def _some(items: Sequence[str], between: str) -> str:
    rest = [f"and {len(items) - _NAMED:,} more"] if len(items) > _NAMED else []
    return between.join([*items[:_NAMED], *rest])


def _leaks(branch: Branch) -> str:
    found = branch.findings
    counts = (
        (held_count(found.open(found.new)), "new"),
        (held_count(found.resolved), "resolved"),
        (held_count(found.open(found.remaining)), "from before"),
        (held_count(item.contamination for item in found.accepted), "accepted by people"),
    )
    said = ", ".join(f"{count:,} {word}" for count, word in counts if count)
    if said:
        return f"held-out examples given away: {said}"
    return "none known so far" if branch.gaps else "none, before or now"


def _compared(branch: Branch) -> str:
    if any(item.broken for item in branch.datasets):
        return "not all of it can be read"
    if branch.gaps:
        return f"not completely: {plural(len(branch.gaps), 'piece of evidence is', 'pieces of evidence are')} missing"
    if not (branch.datasets or branch.versions):
        return "nothing to compare"
    return "completely: within itself and with every frozen version"


def _dataset(change: DatasetChange) -> str:
    name = code(change.name)
    if change.broken:
        return f"{name} cannot be read"
    if change.rows is None:
        return f"{name} {change.what.value}" + (": which examples is not known here" if change.untold else "")
    held = {*change.holdout_before, *change.holdout_after}
    whole = change.rows.diff is None
    splits = []
    for split, row in change.rows.by_split.items():
        words = [plural(sum(row.values()), "example")] if whole else _row_words(row)
        if words:
            splits.append(f"{', '.join(words)} in {code(split)}{' (held out)' if split in held else ''}")
    return (
        f"{name} {change.what.value}: {'; '.join(splits[:6]) or 'the same examples'}{'; …' if len(splits) > 6 else ''}"
    )


def _row_words(row: Mapping[str, int]) -> list[str]:
    names = ("added", "removed", "changed", "moved_in", "moved_out")
    return [f"{row[name]:,} {name.replace('_', ' ')}" for name in names if row[name]]


def _versions(branch: Branch) -> list[str]:
    rows = [f"{code(str(row.version.name))} is new and {row.answer.verdict.value}" for row in branch.versions]
    rows += [f"{code(str(item.version))} is retired" for item in branch.retired]
    outdated = [name for item in branch.datasets for name, _ in item.outdates]
    return rows + [f"{code(str(name))} would become contaminated" for name in outdated]


def _slice(item: SliceChange) -> str:
    words = {What.ADDED: "new", What.CHANGED: "redefined", What.REMOVED: "removed", None: "with other members"}
    counts = [f"{counted.tally.matched:,}" for counted in item.counts if counted is not None]
    return f"{code(item.name)} {words[item.what]}" + (f" ({' → '.join(counts)} examples)" if counts else "")


def _waiting(branch: Branch) -> list[str]:
    rows = [
        f"held-out examples of {code(item.change.dataset)} change ({change_text(item)}): {plain(item.lacks or '')}"
        for item in branch.unapproved
    ]
    if branch.awaited:
        count = plural(len(branch.awaited), "decision about a finding", "decisions about findings")
        rows.append(f"a second person for {count}")
    return rows
