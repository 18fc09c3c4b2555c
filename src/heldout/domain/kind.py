"""Kinds of findings and how grave they are, apart from findings: an answer without any never imports those."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How two examples overlap. `SOURCE_CROSSES_SPLIT` is found where dataset.yaml declares `fields.source_id`,
    `GROUP_CROSSES_SPLIT` where it declares `groups`. `EXPOSED` is in no record: people log it."""

    EXACT = "exact"
    NEAR = "near"
    MOVED = "moved"
    CONTAINMENT = "containment"
    INTRA_SPLIT = "intra_split"
    SOURCE_CROSSES_SPLIT = "source_crosses_split"
    EXPOSED = "exposed"
    GROUP_CROSSES_SPLIT = "group_crosses_split"


class Severity(StrEnum):
    BLOCK = "block"
    REVIEW = "review"
    NOTE = "note"


ALWAYS_COUNTED = (Kind.EXACT, Kind.NEAR, Kind.MOVED, Kind.CONTAINMENT, Kind.INTRA_SPLIT)
"""Every record counts these, none found or not; it counts other kinds where it found some."""

CONTAMINATING = frozenset(
    {Kind.EXACT, Kind.NEAR, Kind.MOVED, Kind.SOURCE_CROSSES_SPLIT, Kind.GROUP_CROSSES_SPLIT, Kind.EXPOSED}
)
"""Kinds that contaminate a holdout when exactly one side is in one (design: kinds table)."""

CORPUS = "corpus "
"""Opens the name of a corpus where findings name a dataset: no dataset's name has a space in it."""

EXPOSURE = "exposure log"
"""Stands for the log of exposures where findings name a dataset: no dataset's name has a space in it."""
