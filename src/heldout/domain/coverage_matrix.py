"""Coverage as a picture: which frozen version was compared with which, and how much each gives away of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.coverage import Knowledge, Version
from heldout.domain.names import VersionName


class Met(StrEnum):
    """How far two versions were compared. `SCANNED` and `SCANNED_IN_PART` are a version with itself, across splits."""

    COMPARED = "compared"
    IN_PART = "in_part"
    MISSING = "missing"
    SAME = "same"
    SCANNED = "scanned"
    SCANNED_IN_PART = "scanned_in_part"
    UNSCANNED = "unscanned"


@dataclass(frozen=True, slots=True)
class Cell:
    """`given_away` counts held-out examples of the row's version that the column's version holds outside a holdout."""

    met: Met
    given_away: int = 0


@dataclass(frozen=True, slots=True)
class CoverageMatrix:
    """Versions that take part, by name; `cells[row][column]`. `left_out` are older ones for which there was no room."""

    versions: tuple[Version, ...]
    cells: tuple[tuple[Cell, ...], ...]
    left_out: int = 0


def coverage_matrix(knowledge: Knowledge, most: int = 40) -> CoverageMatrix:
    """The newest `most` versions that take part, those of each dataset in turn."""
    versions = _newest(sorted(knowledge.taking_part, key=lambda version: version.name), most)
    return CoverageMatrix(
        tuple(versions),
        tuple(tuple(_row(knowledge, version, versions)) for version in versions),
        len(knowledge.taking_part) - len(versions),
    )


def _newest(versions: Sequence[Version], most: int) -> list[Version]:
    """Of every dataset the same number, newest first, until there are `most`; in the order that was given."""
    age: defaultdict[str, int] = defaultdict(int)
    ranked = []
    for version in reversed(versions):
        ranked.append((age[version.dataset], version))
        age[version.dataset] += 1
    kept = {version.name for _, version in sorted(ranked, key=lambda item: item[0])[:most]}
    return [version for version in versions if version.name in kept]


def _row(knowledge: Knowledge, version: Version, columns: Sequence[Version]) -> list[Cell]:
    given: defaultdict[VersionName, set[object]] = defaultdict(set)
    for hit in knowledge.contaminations(version.source):
        for name in hit.exposed_by:
            given[name].add(hit.held.identity())
        if version.source in hit.other.open_in:
            given[version.name].add(hit.held.identity())
    return [Cell(_met(knowledge, version, other), len(given[other.name])) for other in columns]


def _met(knowledge: Knowledge, first: Version, second: Version) -> Met:
    if first.name == second.name:
        if not knowledge.scans_of(first.source):
            return Met.UNSCANNED
        return Met.SCANNED if knowledge.complete_scans_of(first.source) else Met.SCANNED_IN_PART
    if first.source == second.source:
        return Met.SAME
    if knowledge.compared(first.source, second.source):
        return Met.COMPARED
    return Met.IN_PART if knowledge.met(first.source, second.source) else Met.MISSING
