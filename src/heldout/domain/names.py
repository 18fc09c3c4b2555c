"""Names of datasets, versions and subjects.

A version is a Git tag in GTO's syntax, `<name>@v<MAJOR>.<MINOR>.<PATCH>`, so that GTO and DVC understand it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-/_]*[a-zA-Z0-9])?")
_VERSION = re.compile(r"v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
_GTO_MARK = re.compile(r"(?:deprecated|v\d+\.\d+\.\d+!)(?:#\d+)?", re.ASCII)
RESERVED = frozenset({"slices", "scans", "reviews"})
"""Folder names inside a dataset's folder; a dataset nested under one of them could not be told from its contents."""


def name_problem(name: str) -> str | None:
    """Why `name` cannot name a dataset, or None. The rule is GTO's for artifacts, plus ours on path components."""
    if not _NAME.fullmatch(name):
        return "use letters, digits, '-', '_' and '/', beginning and ending with a letter or digit"
    parts = name.split("/")
    if "" in parts:
        return "it has an empty path component"
    taken = RESERVED.intersection(part.lower() for part in parts)
    if taken:
        return f"{min(taken)!r} is a folder that every dataset has inside"
    return None


@dataclass(frozen=True, slots=True, order=True)
class VersionNumber:
    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: str) -> VersionNumber | None:
        match = _VERSION.fullmatch(text)
        return cls(*map(int, match.groups())) if match else None

    def __str__(self) -> str:
        return f"v{self.major}.{self.minor}.{self.patch}"


@dataclass(frozen=True, slots=True, order=True)
class VersionName:
    """A dataset and a number; its text is the tag's name."""

    dataset: str
    number: VersionNumber

    def __str__(self) -> str:
        return f"{self.dataset}@{self.number}"


def split_tag(tag: str) -> tuple[str, VersionNumber | None] | None:
    """The dataset and number that a tag's name claims; None for a tag that cannot be a version of anything.

    A number of None is a malformed version: it matters only where the dataset exists. GTO's own marks on an artifact
    (`name@deprecated`, `name@v1.0.0!`) are no versions and pass.
    """
    name, at, version = tag.rpartition("@")
    if not at or name_problem(name) or _GTO_MARK.fullmatch(version):
        return None
    return name, VersionNumber.parse(version)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a command is about: a dataset's working copy (`revision` None), a frozen version, or any commit."""

    dataset: str
    revision: str | None = None

    @classmethod
    def parse(cls, text: str) -> Subject:
        name, at, revision = text.partition("@")
        return cls(name, revision if at else None)

    @property
    def version(self) -> VersionName | None:
        number = VersionNumber.parse(self.revision) if self.revision else None
        return VersionName(self.dataset, number) if number else None

    def __str__(self) -> str:
        return self.dataset if self.revision is None else f"{self.dataset}@{self.revision}"
