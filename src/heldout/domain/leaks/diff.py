"""Two reports of one set of splits: which findings are new, which are gone (E43).

A finding is its kind and its two records. Its score or digest may change between reports, as when a record is edited
and stays near: that is the same finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.domain.leaks.leak import LeakKind


@dataclass(frozen=True, slots=True)
class LeakSnapshot:
    """A report that was kept. `findings` are lines by identity, for each detector that ran; `settings` by name."""

    findings: Mapping[LeakKind, Mapping[str, str]]
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LeakDiff:
    """`new` and `removed` are (kind, line) in the order of the reports; `changed` names settings: (name, old, new)."""

    new: tuple[tuple[LeakKind, str], ...]
    removed: tuple[tuple[LeakKind, str], ...]
    unchanged: int
    changed: tuple[tuple[str, str, str], ...]


def diff_reports(old: LeakSnapshot, new: LeakSnapshot) -> LeakDiff:
    """Both must come from the same detectors: a detector that did not run found nothing, which says nothing."""
    settings = sorted({*old.settings, *new.settings})
    values = [(name, old.settings.get(name, ""), new.settings.get(name, "")) for name in settings]
    return LeakDiff(
        new=_only_in(new, old),
        removed=_only_in(old, new),
        unchanged=sum(len(found.keys() & new.findings[kind].keys()) for kind, found in old.findings.items()),
        changed=tuple(value for value in values if value[1] != value[2]),
    )


def _only_in(one: LeakSnapshot, other: LeakSnapshot) -> tuple[tuple[LeakKind, str], ...]:
    return tuple(
        (kind, line)
        for kind in LeakKind
        for identity, line in one.findings.get(kind, {}).items()
        if identity not in other.findings.get(kind, {})
    )
