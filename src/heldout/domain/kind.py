"""Kinds of findings and how grave they are, apart from findings: an answer without any never imports those."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """How two examples overlap. `SOURCE_CROSSES_SPLIT` is found where dataset.yaml declares `fields.source_id`,
    `GROUP_CROSSES_SPLIT` where it declares `groups`. Records hold the kinds up to there. `EXPOSED` is what people log;
    `LOCK_CHANGED` is found by holding content against its lock. The rest is found when somebody asks."""

    EXACT = "exact"
    NEAR = "near"
    MOVED = "moved"
    CONTAINMENT = "containment"
    INTRA_SPLIT = "intra_split"
    SOURCE_CROSSES_SPLIT = "source_crosses_split"
    EXPOSED = "exposed"
    GROUP_CROSSES_SPLIT = "group_crosses_split"
    LOCK_CHANGED = "lock_changed"
    LABEL_CONFLICT = "label_conflict"
    PROMPT_EXCERPT = "prompt_excerpt"
    SEMANTIC = "semantic"


class Severity(StrEnum):
    BLOCK = "block"
    REVIEW = "review"
    NOTE = "note"


ALWAYS_COUNTED = (Kind.EXACT, Kind.NEAR, Kind.MOVED, Kind.CONTAINMENT, Kind.INTRA_SPLIT)
"""Every record counts these, none found or not; it counts other kinds where it found some."""

CONTAMINATING = frozenset(
    {
        Kind.EXACT,
        Kind.NEAR,
        Kind.MOVED,
        Kind.SOURCE_CROSSES_SPLIT,
        Kind.GROUP_CROSSES_SPLIT,
        Kind.EXPOSED,
        Kind.LOCK_CHANGED,
    }
)
"""Kinds that contaminate a holdout when exactly one side is in one (design: kinds table)."""

CORPUS = "corpus "
"""Opens the name of a corpus where findings name a dataset: no dataset's name has a space in it."""

EXPOSURE = "exposure log"
"""Stands for the log of exposures where findings name a dataset: no dataset's name has a space in it."""

LOCK = "split lock"
"""Stands for the lock of a split where findings name a dataset: no dataset's name has a space in it."""

PROMPT = "prompt file"
"""Stands for a prompt where findings name a dataset."""


def is_no_dataset(name: str) -> bool:
    """Whether a side of a finding stands for a corpus, a log, a lock or a prompt: there is no example of it to read."""
    return name in (EXPOSURE, LOCK, PROMPT) or name.startswith(CORPUS)
