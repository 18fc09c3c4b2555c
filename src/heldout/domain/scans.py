"""Scan records as they are known, and looked up in."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.domain.evidence import Evidence
from heldout.domain.record import ScanRecord

if TYPE_CHECKING:  # an answer without findings never imports them
    from heldout.domain.finding import Finding  # noqa: F401 (ruff sees no type in the base below)


class Scan(Evidence[ScanRecord, "Finding"]):
    """A record of a scan."""


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
