"""A record of something, and what it found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

Record = TypeVar("Record")
Found = TypeVar("Found")


class Evidence(Generic[Record, Found]):
    """A record and, loaded only when needed, its findings: they can be a million."""

    def __init__(self, record: Record, load_findings: Callable[[], tuple[Found, ...]]) -> None:
        self.record = record
        self._load = load_findings

    @cached_property
    def findings(self) -> tuple[Found, ...]:
        return self._load()
