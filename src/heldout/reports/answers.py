"""An answer in a few words, for lists where the gate's whole answer has no room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldout.domain.answer import Answer

SHORT = 12
"""Hex digits of a digest on a screen (A3)."""


def reason(answer: Answer) -> str:
    """Why it is not clean; empty when it is."""
    if answer.contaminated:
        return answer.wrong_briefly
    if not answer.gaps:
        return ""
    more = f", and {len(answer.gaps) - 1} more reasons" if len(answer.gaps) > 1 else ""
    return answer.gaps[0].text + more


def short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:SHORT]


def columns(rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Rows as lines with aligned cells; the last cell of a row is not padded."""
    table = [tuple(row) for row in rows]
    if not table:
        return []
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in table
    ]


def plural(count: int, noun: str, several: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"
