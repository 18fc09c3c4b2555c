"""What changed between two states, as text and as JSON (`heldout/diff@1`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.domain.diff import Diff, Pair
from heldout.domain.members import Member
from heldout.domain.names import VersionNumber
from heldout.domain.versioning import Part
from heldout.reports.answers import columns, plural, short

SHOWN = 10
"""Examples listed of each kind in the text form, unless a limit is given."""

_WHY: dict[Part, str] = {
    "major": "a holdout example changed or left, so results before and after are not comparable",
    "minor": "examples were added or changed",
    "patch": "no example was added or changed",
}
_HEADS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved_in": "moved in",
    "moved_out": "moved out",
    "relabelled": "relabelled",
    "unchanged": "unchanged",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One side of a comparison: its name, digests and number of examples."""

    subject: str
    commit: str | None
    source: str
    content: str
    examples: int


@dataclass(frozen=True, slots=True)
class DiffReport:
    """Everything a comparison has to show. `limit` bounds each list of examples; None is all of them in JSON."""

    dataset: str
    before: Compared
    after: Compared
    diff: Diff
    holdout: tuple[str, ...]
    part: Part
    suggested: VersionNumber | None
    limit: int | None = None

    @property
    def differs(self) -> bool:
        """A working copy has the source of its pointers, so edited files show in the examples only."""
        return not self.diff.is_empty or self.before.source != self.after.source


def diff_lines(report: DiffReport) -> list[str]:
    lines = [f"{report.before.subject} -> {report.after.subject}"]
    if report.diff.is_empty:
        lines.append(f"  the same {plural(report.after.examples, 'example')} (content {short(report.after.content)})")
        if report.before.source != report.after.source:
            lines.append("  the files or dataset.yaml differ all the same")
    else:
        counts = report.diff.counts()
        lines.append("  " + ", ".join(f"{count:,} {name}" for name, count in counts.items()))
        lines += _table(report)
        for name, items in _lists(report.diff):
            lines += _list_lines(name, items, SHOWN if report.limit is None else report.limit)
    if report.differs:
        lines.append(f"  {report.part.upper()}: {_WHY[report.part]}")
    if report.differs and report.suggested is not None:
        lines.append(f"  next: heldout freeze {report.dataset} (proposes {report.suggested})")
    return lines


def _table(report: DiffReport) -> list[str]:
    rows = report.diff.by_split()
    used = [name for name in _HEADS if any(row[name] for row in rows.values())]
    cells = [("", *(_HEADS[name] for name in used))]
    for split, row in rows.items():
        label = f"{split} (holdout)" if split in report.holdout else split
        cells.append((label, *(f"{row[name]:,}" for name in used)))
    return columns(cells, "    ")


def _lists(diff: Diff) -> Iterator[tuple[str, list[str]]]:
    yield "added", [_label(member) for member in diff.added]
    yield "removed", [_label(member) for member in diff.removed]
    yield "changed", [f"{_label(pair.after)} ({_what(pair)})" for pair in diff.changed]
    yield "moved", [_moved(pair) for pair in diff.moved]


def _list_lines(name: str, items: Sequence[str], limit: int) -> list[str]:
    if not items or not limit:
        return []
    more = [f"    and {len(items) - limit:,} more"] if len(items) > limit else []
    return [f"  {name}:", *(f"    {item}" for item in items[:limit]), *more]


def _label(member: Member) -> str:
    return f"{member.split}/{member.key}"


def _moved(pair: Pair) -> str:
    what = f" ({_what(pair)})" if pair.edited else ""
    return f"{_label(pair.before)} -> {pair.after.split}{what}"


def _what(pair: Pair) -> str:
    """Which parts of an example differ, in words."""
    parts = []
    if pair.before.input != pair.after.input:
        parts.append("input")
    if pair.before.expected != pair.after.expected:
        parts.append("relabelled" if pair.relabelled else "expected")
    return ", ".join(parts) or "metadata or tags"


def diff_json(report: DiffReport) -> dict[str, Any]:
    found = report.diff
    return {
        "format": "heldout/diff@1",
        "dataset": report.dataset,
        "a": _side_json(report.before),
        "b": _side_json(report.after),
        "same_content": found.is_empty,
        "counts": found.counts(),
        "by_split": found.by_split(),
        "holdout": list(report.holdout),
        "added": _cut(found.added, _member_json, report.limit),
        "removed": _cut(found.removed, _member_json, report.limit),
        "changed": _cut(found.changed, _pair_json, report.limit),
        "moved": _cut(found.moved, _pair_json, report.limit),
        "relabelled": _cut(found.relabelled, _pair_json, report.limit),
        "limit": report.limit,
        "part": report.part,
        "suggested": None if report.suggested is None else f"{report.dataset}@{report.suggested}",
    }


def _cut(items: Sequence[Any], render: Callable[[Any], dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    return [render(item) for item in items[:limit]]


def _side_json(side: Compared) -> dict[str, Any]:
    return {
        "subject": side.subject,
        "commit": side.commit,
        "source": side.source,
        "content": side.content,
        "examples": side.examples,
    }


def _member_json(member: Member) -> dict[str, Any]:
    return {"split": member.split, "key": member.key, "input": member.input, "example": member.example}


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "key": pair.after.key,
        "from": _member_json(pair.before),
        "to": _member_json(pair.after),
        "input_changed": pair.before.input != pair.after.input,
        "expected_changed": pair.before.expected != pair.after.expected,
        "relabelled": pair.relabelled,
    }
