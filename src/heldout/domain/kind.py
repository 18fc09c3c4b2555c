"""Kinds of findings and how grave they are, apart from findings: an answer without any never imports those."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How two examples overlap. The first four are found by this method; later methods add kinds of their own."""

    EXACT = "exact"
    NEAR = "near"
    MOVED = "moved"
    CONTAINMENT = "containment"
    INTRA_SPLIT = "intra_split"


class Severity(StrEnum):
    BLOCK = "block"
    REVIEW = "review"
    NOTE = "note"


CONTAMINATING = frozenset({Kind.EXACT, Kind.NEAR, Kind.MOVED})
"""Kinds that contaminate a holdout when exactly one side is in one (design: kinds table)."""

CORPUS = "corpus "
"""Opens the name of a corpus where findings name a dataset: no dataset's name has a space in it."""
