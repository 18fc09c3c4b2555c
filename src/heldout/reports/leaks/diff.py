"""New and removed findings of two reports, one a line, with + and - as in any diff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldout.domain.leaks.diff import LeakDiff


def leak_diff_lines(diff: LeakDiff) -> Iterator[str]:
    yield "EvalLeak report diff"
    yield from (f"settings changed: {name}: {old or 'none'} -> {new or 'none'}" for name, old, new in diff.changed)
    yield f"new findings: {len(diff.new)}"
    yield from (f"+ {kind.value} {line}" for kind, line in diff.new)
    yield f"removed findings: {len(diff.removed)}"
    yield from (f"- {kind.value} {line}" for kind, line in diff.removed)
    yield f"unchanged findings: {diff.unchanged}"


def leak_diff_json(diff: LeakDiff) -> dict[str, Any]:
    return {
        "format": "heldout/leak-diff@1",
        "settings_changed": [{"name": name, "old": old, "new": new} for name, old, new in diff.changed],
        "new": [{"kind": kind.value, "line": line} for kind, line in diff.new],
        "removed": [{"kind": kind.value, "line": line} for kind, line in diff.removed],
        "unchanged": diff.unchanged,
    }
