"""Changes of holdouts, as text and JSON (`heldout/changes@1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heldout.domain.deciding.governed import GovernedChange

SHOWN = 10

Row = tuple[GovernedChange, Sequence[str], Sequence[str], str | None]
"""(change, its authors, who approved it, what is lacking)."""


def change_lines(base: str, rows: Sequence[Row], unread: Sequence[tuple[str, str]], limit: int | None) -> list[str]:
    lines = []
    for change, authors, approved, lacks in rows:
        counts = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in change.counts().items() if count)
        lines.append(f"{change.dataset}: held-out examples since {base[:10]}: {counts}  [change {change.id}]")
        shown = change.touched[: SHOWN if limit is None else limit]
        lines += [f"  {item.what.value.replace('_', ' '):9} {item.split}/{item.key}" for item in shown]
        if len(shown) < len(change.touched):
            lines.append(f"  and {len(change.touched) - len(shown)} more")
        lines.append(f"  made by {', '.join(authors) or 'nobody yet'}")
        if approved:
            lines.append(f"  approved by {', '.join(approved)}")
        if lacks is not None:
            lines.append(f"  {lacks}: heldout changes approve {change.dataset} --reason '...'")
    lines += [f"{name}: cannot be told here: {why}" for name, why in unread]
    return lines or [f"no held-out example changed since {base[:10]}"]


def changes_json(base: str, head: str | None, rows: Sequence[Row], unread: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        "format": "heldout/changes@1",
        "base": base,
        "head": head,
        "changes": [
            {
                "dataset": change.dataset,
                "change": change.digest,
                "counts": change.counts(),
                "touched": [
                    {
                        "what": item.what.value,
                        "split": item.split,
                        "key": item.key,
                        "before": item.before or None,
                        "after": item.after or None,
                    }
                    for item in change.touched
                ],
                "authors": list(authors),
                "approved_by": list(approved),
                "lacks": lacks,
            }
            for change, authors, approved, lacks in rows
        ],
        "unread": [{"dataset": name, "reason": why} for name, why in unread],
    }
