"""What a branch does to slices: other definitions, and other members."""

from __future__ import annotations

from heldout.domain.branch import SliceChange, What
from heldout.domain.slicing.views import Change, Chosen, Counted
from heldout.errors import HeldoutError
from heldout.services.branching.ends import Ends
from heldout.services.progress import Progress
from heldout.services.slicing.counting import change, count
from heldout.services.slicing.use import read_slices
from heldout.storage.catalog import DatasetState


def changed_slices(
    ends: Ends, old: DatasetState | None, new: DatasetState, progress: Progress
) -> tuple[tuple[SliceChange, ...], tuple[str, ...]]:
    """Slices whose definition, mark or count is another, by name; and what cannot be told here, in sentences."""
    untold: list[str] = []
    before = {} if old is None else _slices(ends, old, ends.base, untold)
    after = _slices(ends, new, ends.head, untold)
    if old is not None and old.source == new.source:
        before, after = _without_same(before, after)
    old_counts = {} if old is None else _counts(ends, old, ends.base, before, progress, untold)
    new_counts = _counts(ends, new, ends.head, after, progress, untold)
    found = []
    for name in sorted({*before, *after}):
        first, second = before.get(name), after.get(name)
        counts = (old_counts.get(name), new_counts.get(name))
        what = _what(first, second)
        if what is None and _same_mark(first, second) and counts[0] == counts[1]:
            continue
        members = None
        if first is not None and second is not None and what is What.CHANGED and name in new_counts:
            members = _members(ends, new, first, second, progress, untold)
        found.append(SliceChange(name, what, first, second, counts, members))
    return tuple(found), tuple(dict.fromkeys(untold))


Slices = dict[str, Chosen]


def _slices(ends: Ends, state: DatasetState, commit: str, untold: list[str]) -> Slices:
    try:
        items = read_slices(ends.workspace.tree(commit), state.name)
    except HeldoutError as error:
        untold.append(f"its slices cannot be read at {commit[:10]}: {error}")
        return {}
    return {item.name: Chosen.current(state.name, item) for item in items}


def _without_same(before: Slices, after: Slices) -> tuple[Slices, Slices]:
    """Over the same examples, a slice that is defined as it was has the members it had."""
    same = {
        name
        for name, first in before.items()
        if name in after and first.definition == after[name].definition and _same_mark(first, after[name])
    }
    return tuple({name: item for name, item in side.items() if name not in same} for side in (before, after))  # type: ignore[return-value]


def _what(before: Chosen | None, after: Chosen | None) -> What | None:
    if before is None or after is None:
        return What.ADDED if before is None else What.REMOVED
    return None if before.definition == after.definition else What.CHANGED


def _same_mark(before: Chosen | None, after: Chosen | None) -> bool:
    return before is not None and after is not None and before.item.required == after.item.required


def _counts(
    ends: Ends, state: DatasetState, commit: str, slices: Slices, progress: Progress, untold: list[str]
) -> dict[str, Counted]:
    definitions = [item.definition for item in slices.values()]
    try:
        found = count(ends.workspace, ends.located(state, commit), definitions, progress)
    except HeldoutError as error:
        untold.append(f"how many examples its slices have at {commit[:10]} cannot be told here: {error}")
        return {}
    return dict(zip(slices, found, strict=True))


def _members(
    ends: Ends, state: DatasetState, before: Chosen, after: Chosen, progress: Progress, untold: list[str]
) -> Change | None:
    try:
        return change(ends.workspace, ends.located(state, ends.head), before, after, progress)
    except HeldoutError as error:
        untold.append(f"who enters and leaves its slices cannot be told here: {error}")
        return None
