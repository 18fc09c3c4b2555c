"""How alike the pairs are that were found: a histogram that shows whether a threshold cuts through a hill."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from heldout.domain.kind import Kind
from heldout.domain.listing import FindingListing, FindingRow
from heldout.reports.answers import plural
from heldout.reports.pictures.model import Mark, Picture, Shape, Tone

_STEP = Fraction(1, 20)
_EQUAL = "equal"
_BLOCKS, _OTHER = "gives a holdout away", "gives none away"


def similarities(listing: FindingListing) -> Picture:
    """Near pairs in bins of 0.05, each with its lower edge (the last with both), and equal texts in a bar of theirs."""
    counts: Counter[tuple[str, str]] = Counter()
    without = 0
    for row in listing.rows:
        name = _bin(row)
        if name is None:
            without += 1
        else:
            counts[name, _BLOCKS if row.contaminates else _OTHER] += 1
    bins = _bins({name for name, _ in counts})
    marks = tuple(
        Mark(name, state, counts[name, state], state, _sentence(name, state, counts[name, state]))
        for name in bins
        for state in (_BLOCKS, _OTHER)
        if counts[name, state]
    )
    subject = str(listing.subject) if listing.subject else "all versions"
    return Picture(
        "similarity", Shape.BARS, f"Similarity of the pairs found: {subject}", "pairs", bins, (_BLOCKS, _OTHER), marks,
        ((_BLOCKS, Tone.BAD), (_OTHER, Tone.PLAIN)), "similarity", "pairs", tuple(_notes(listing, without, marks)),
    )  # fmt: skip


def _bin(row: FindingRow) -> str | None:
    similarity = row.finding.similarity
    if row.finding.a.input == row.finding.b.input or Kind.EXACT in row.finding.kinds:
        return _EQUAL
    return None if similarity is None else _name(min(similarity // _STEP, 1 // _STEP - 1))


def _name(number: int) -> str:
    return f"{float(number * _STEP):.2f}–{float((number + 1) * _STEP):.2f}"


def _bins(used: set[str]) -> tuple[str, ...]:
    """From the lowest bin with a pair up to 1, so that a gap is seen as one."""
    every = [_name(number) for number in range(1 // _STEP)]
    first = next((place for place, name in enumerate(every) if name in used), len(every))
    return (*every[first:], *((_EQUAL,) if _EQUAL in used else ()))


def _sentence(name: str, state: str, count: int) -> str:
    alike = "with equal texts" if name == _EQUAL else f"with a similarity of {name}"
    verb = ("gives", "give") if state == _BLOCKS else ("gives no", "give no")
    end = "a holdout away" if state == _BLOCKS else "holdout away"
    return f"{plural(count, 'pair')} {alike} {verb[count != 1]} {end}."


def _notes(listing: FindingListing, without: int, marks: tuple[Mark, ...]) -> list[str]:
    notes = []
    if not listing.recorded:
        notes.append("Nobody scanned it: that nothing is shown says nothing.")
    elif not marks:
        notes.append("No pairs with a similarity were found.")
    if without:
        notes.append(f"{plural(without, 'finding')} of other kinds {'has' if without == 1 else 'have'} no similarity.")
    return notes
