"""Label conflicts, for any form."""

from __future__ import annotations

from collections.abc import Callable

from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Part, Report, Weight
from heldout.domain.splitting.conflicts import KIND, Conflict, Conflicts, Labelled
from heldout.reports.adapters.rules import rules
from heldout.reports.adapters.words import alike_by
from heldout.reports.answers import plural

Locate = Callable[[Labelled], Location]


def conflicts_report(found: Conflicts, subject: str, limit: int | None, locate: Locate) -> Report:
    listed = found.found if limit is None else found.found[:limit]
    more = "at least " * found.at_least
    said = f"label conflicts: {found.exact:,} pairs with equal inputs, {more}{found.near:,} with nearly equal ones"
    return Report(
        "conflicts",
        subject,
        Outcome.CLEAN,
        (said if found.found else f"label conflicts: none among {plural(found.examples, 'example')}",),
        len(found.found),
        Items(lambda: (conflict_item(item, locate) for item in listed)),
        rules([KIND] if found.found else []),
        (("pairs with equal inputs", found.exact), ("pairs with nearly equal inputs", found.near)),
        next=("read both examples; relabel one, or take it out",) if found.found else (),
    )


def conflict_item(item: Conflict, locate: Locate, *, with_text: bool = False) -> Item:
    """An expected output may be a held-out answer: it is told only where texts are."""
    same = "the same input" if item.exact else f"nearly the same input ({alike_by(item.similarity)})"
    labels = f": {item.a.label} / {item.b.label}" if with_text else ""
    parts = tuple(_part(side, locate) for side in (item.a, item.b))
    return Item(
        id=item.id,
        rule=KIND,
        weight=Weight.REVIEW,
        level=Level.WARNING,
        message=f"{item.a.place} and {item.b.place} have {same} and different expected outputs{labels}",
        location=locate(item.a),
        parts=parts,
        score=item.similarity,
    )


def _part(item: Labelled, locate: Locate) -> Part:
    return Part(item.side.split, item.side.key, None, item.side.input, locate(item), (), bool(item.side.held_out_in))
