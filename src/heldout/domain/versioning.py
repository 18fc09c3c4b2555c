"""The next version number, from what changed (design: MAJOR, MINOR, PATCH say whether results stay comparable)."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from heldout.domain.diff import Diff
from heldout.domain.names import VersionNumber

Part = Literal["major", "minor", "patch"]
FIRST = VersionNumber(1, 0, 0)


def bump(diff: Diff, holdout: Container[str], holdout_after: Container[str] | None = None) -> Part:
    """Which part of the number a change calls for.

    major: a holdout member changed or left, by its data or because its split is no longer declared a holdout, so
    results before and after are about different questions. minor: examples were added or changed, or moved or declared
    into a holdout. patch: the rest, such as fewer training examples or other words in dataset.yaml.

    `holdout` are the names of the splits held out before; `holdout_after` those after, by default the same.
    """
    after = holdout if holdout_after is None else holdout_after
    touched = [pair.before for pair in (*diff.changed, *diff.moved)]
    if any(member.split in holdout for member in (*diff.removed, *touched)):
        return "major"
    if any(split in holdout and split not in after for split in diff.unchanged):
        return "major"
    if diff.added or touched or any(split in after and split not in holdout for split in diff.unchanged):
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
