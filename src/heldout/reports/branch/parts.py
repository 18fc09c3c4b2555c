"""A folded part of the report, and how a list in it says that there is more."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.reports.branch.cells import folded


@dataclass(frozen=True, slots=True)
class Part:
    """A folded part; `title` is HTML."""

    title: str
    lines: list[str]

    def markdown(self) -> list[str]:
        return folded(self.title, self.lines)


def more(count: int, limit: int, command: str) -> list[str]:
    return ["", f"… and {count - limit:,} more: `{command}`"] if count > limit else []
