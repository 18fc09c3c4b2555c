"""What `heldout check` found in files, for any form."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.checked import Checked, Place
from heldout.domain.finding import Finding, Kind, Severity, Side
from heldout.domain.reporting import Item, Items, Level, Location, Outcome, Part, Report, Weight, item_id
from heldout.domain.splitting.conflicts import KIND
from heldout.reports.adapters.conflicts import conflict_item
from heldout.reports.adapters.findings import WEIGHTS
from heldout.reports.adapters.places import Rebased, parsed_place
from heldout.reports.adapters.rules import rules
from heldout.reports.adapters.words import Named, sentence
from heldout.reports.check import check_verdict, next_step, side_name, sides_of

_LEVELS = {Severity.BLOCK: Level.ERROR, Severity.REVIEW: Level.WARNING, Severity.NOTE: Level.NOTE}


def check_report(checked: Checked, limit: int | None, rebased: Rebased, *, with_text: bool) -> Report:
    """Worst first. A skipped row is an item of its own: it was compared with nothing, so it is unknown."""
    listed = checked.findings if limit is None else checked.findings[:limit]

    def items() -> Iterator[Item]:
        yield from (_item(checked, finding, rebased, with_text=with_text) for finding in listed)
        yield from (_skipped(text, rebased) for text in checked.skipped)
        if checked.conflicts is not None:
            found = checked.conflicts.found if limit is None else checked.conflicts.found[:limit]
            yield from (
                conflict_item(item, lambda side: parsed_place(side.place, rebased), with_text=with_text)
                for item in found
            )

    kinds = [kind for kind in Kind if any(kind in finding.kinds for finding in checked.findings)]
    conflicts = 0 if checked.conflicts is None else len(checked.conflicts.found)
    named = [*kinds, *(["bad-row"] if checked.skipped else []), *([KIND] if conflicts else [])]
    outcome = Outcome.UNKNOWN if checked.skipped else Outcome.CLEAN
    return Report(
        "check",
        " ".join(file.path for file in checked.files[:4]) + (" ..." if len(checked.files) > 4 else ""),
        Outcome.FOUND if checked.blocking else outcome,
        tuple(check_verdict(checked)),
        len(checked.findings) + len(checked.skipped) + conflicts,
        Items(items),
        rules(named),
        (
            *((kind.value, sum(kind in finding.kinds for finding in checked.findings)) for kind in kinds),
            ("rows skipped", len(checked.skipped)),
            ("label conflicts", conflicts),
        ),
        next=(next_step(checked),),
    )


def _item(checked: Checked, finding: Finding, rebased: Rebased, *, with_text: bool) -> Item:
    """Stands where the held-out side does, which is the one to act on; else where the first of the two does."""
    sides = sides_of(checked, finding)
    held = next((side for side in sides if side.held_out_in), sides[0])
    parts = tuple(_part(checked, side, rebased, with_text=with_text) for side in sides)
    return Item(
        id=finding.id,
        rule=finding.kind.value,
        weight=WEIGHTS[finding.severity],
        level=_LEVELS[finding.severity],
        message=sentence(finding, sides[0], *(_named(checked, side) for side in sides)),
        location=_location(checked.place(held), rebased),
        parts=parts,
        also=tuple(kind.value for kind in finding.also),
        score=finding.similarity,
        contaminates=(held.split,) if finding.holdout_contamination else (),
    )


def _named(checked: Checked, side: Side) -> Named:
    return Named(side_name(checked, side), bool(side.held_out_in))


def _part(checked: Checked, side: Side, rebased: Rebased, *, with_text: bool) -> Part:
    text = checked.texts[side.input] if with_text else None
    place = _location(checked.place(side), rebased)
    return Part(side.split, side.key, None, side.input, place, (), bool(side.held_out_in), text)


def _location(place: Place, rebased: Rebased) -> Location:
    number = {"row": place.number} if place.in_rows else {"line": place.number}
    return Location(rebased(place.file), **number)


def _skipped(text: str, rebased: Rebased) -> Item:
    """`text` is the reader's sentence, which begins with the place."""
    location = parsed_place(text, rebased)
    message = f"a row was skipped and compared with nothing: {text}"
    return Item(item_id("bad-row", text), "bad-row", Weight.UNKNOWN, Level.ERROR, message, location)
