"""Scan records as they are known: read with their findings where these are asked for, and looked up in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.domain.record import ScanRecord

if TYPE_CHECKING:
    from heldout.domain.finding import Finding


class Scan:
    """A record and, loaded only when needed, its findings."""

    def __init__(self, record: ScanRecord, load_findings: Callable[[], tuple[Finding, ...]]) -> None:
        self.record = record
        self._load = load_findings

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return self._load()


class Scans(tuple[Scan, ...]):
    """Records, and what is looked up in them again and again: kept with them, whatever is known besides changes."""

    @cached_property
    def by_source(self) -> dict[str, list[Scan]]:
        groups: defaultdict[str, list[Scan]] = defaultdict(list)
        for scan in self:
            groups[scan.record.source].append(scan)
        return dict(groups)

    @cached_property
    def pairs(self) -> dict[tuple[str, str], bool]:
        """(scanned, compared) versions of every record, and whether one of the records saw all examples of both."""
        pairs: dict[tuple[str, str], bool] = {}
        for scan in self:
            for item in scan.record.compared:
                pair = (scan.record.source, item.source)
                pairs[pair] = pairs.get(pair, False) or (scan.record.self_complete and item.complete)
        return pairs
