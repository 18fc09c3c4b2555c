"""The next version number, from what changed (design: MAJOR, MINOR, PATCH say whether results stay comparable)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from heldout.domain.diff import Diff
from heldout.domain.names import VersionNumber

Part = Literal["major", "minor", "patch"]
IsHoldout = Callable[[str], bool]
"""Whether a split of that name is held out: `DatasetSpec.is_holdout` of one state."""

FIRST = VersionNumber(1, 0, 0)


def bump(diff: Diff, holdout: IsHoldout, holdout_after: IsHoldout | None = None) -> Part:
    """Which part of the number a change calls for.

    major: a holdout member changed or left, by its data or because its split is no longer declared a holdout, so
    results before and after are about different questions. minor: examples were added or changed, or moved or declared
    into a holdout. patch: the rest, such as fewer training examples or other words in dataset.yaml.

    `holdout` is the declaration before; `holdout_after` the one after, by default the same.
    """
    after = holdout_after or holdout
    touched = [pair.before for pair in (*diff.changed, *diff.moved)]
    if any(holdout(member.split) for member in (*diff.removed, *touched)):
        return "major"
    if any(holdout(split) and not after(split) for split in diff.unchanged):
        return "major"
    if diff.added or touched or any(after(split) and not holdout(split) for split in diff.unchanged):
        return "minor"
    return "patch"


def next_number(latest: VersionNumber | None, part: Part) -> VersionNumber:
    """The number after the latest one; the first version of a dataset is v1.0.0."""
    if latest is None:
        return FIRST
    if part == "major":
        return VersionNumber(latest.major + 1, 0, 0)
    if part == "minor":
        return VersionNumber(latest.major, latest.minor + 1, 0)
    return VersionNumber(latest.major, latest.minor, latest.patch + 1)
