"""Splits that hold out in one version of a dataset and are open in another, where no finding can say so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heldout.domain.answer import Gap, GapKind

if TYPE_CHECKING:
    from heldout.domain.coverage import Knowledge

_UNUSED = "if nothing was trained on that: heldout retire {0} --reason '...' (or unfreeze it while it is not pushed)"


def redeclared(known: Knowledge, dataset: str, source: str) -> Iterator[Gap]:
    """Splits held out here that another version of the dataset left open: one example under one key is a revision
    (A28), so no finding names it, and yet who used that version's open splits has seen what is held out here."""
    own = known.scans_of(source)
    held = own[0].record.holdout_splits if own else ()
    for other in known.taking_part:
        if other.dataset != dataset or other.source == source or other.holdout is None:
            continue
        theirs = known.scans_of(other.source)
        open_there = [
            split
            for split in held
            if split not in other.holdout and not (theirs and split not in theirs[0].record.examples.by_split)
        ]
        if open_there:
            what = f"its holdout {', '.join(open_there)} was not held out in {other.name}"
            yield Gap(GapKind.REDECLARED, f"{what}; {_UNUSED.format(other.name)}", other.name)
