"""Overlap: versions against versions, or the splits of one version against each other and those of other datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from heldout.domain.coverage_matrix import Cell, CoverageMatrix, Met
from heldout.domain.finding import Side
from heldout.domain.listing import FindingListing, FindingRow, Shown
from heldout.reports.answers import plural
from heldout.reports.pictures.model import Mark, Picture, Shape, Tone

_GIVEN = "gives held-out examples away"
_NONE = "compared, none given away"
_UNKNOWN = "not compared in full"
_STATES = ((_GIVEN, Tone.BAD), (_NONE, Tone.GOOD), (_UNKNOWN, Tone.UNKNOWN))
_KNOWN = frozenset({Met.COMPARED, Met.SAME, Met.SCANNED})


def version_overlap(found: CoverageMatrix) -> Picture:
    """Rows are the holdouts of versions, columns the versions that may give their examples away."""
    names = tuple(str(version.name) for version in found.versions)
    marks = [
        _version_mark(row, column, cell)
        for row, cells in zip(names, found.cells, strict=True)
        for column, cell in zip(names, cells, strict=True)
    ]
    notes = [] if names else ["There is no frozen version yet."]
    if found.left_out:
        notes.append(f"{plural(found.left_out, 'older version')} left out.")
    return Picture(
        "overlap", Shape.MATRIX, "Held-out examples given away, version by version", "held-out examples given away",
        names, names, tuple(marks), _STATES, "holdout of", "given away by", tuple(notes),
    )  # fmt: skip


def _version_mark(row: str, column: str, cell: Cell) -> Mark:
    if cell.given_away:
        what = plural(cell.given_away, "held-out example")
        verb = "is" if cell.given_away == 1 else "are"
        by = "its own other splits" if row == column else column
        return Mark(row, column, cell.given_away, _GIVEN, f"{what} of {row} {verb} given away by {by}.")
    if cell.met in _KNOWN:
        return Mark(row, column, 0, _NONE, "")
    if row == column:
        return Mark(row, column, None, _UNKNOWN, f"{row} was not scanned in full.")
    return Mark(row, column, None, _UNKNOWN, f"{row} and {column} were not compared in full.")


_BLOCKS = "gives a holdout away"
_OTHER = "overlaps, no holdout given away"
_FREE = "no overlap found"
_NOT_KNOWN = "not scanned in full"


def split_overlap(shown: Shown, listing: FindingListing) -> Picture:
    """Rows are the splits of one state, columns all splits they overlap with; numbers count examples of the row."""
    source, dataset = shown.source, shown.subject.dataset
    by_cell = _by_cell(listing.rows, source, dataset)
    sizes: Mapping[str, int] = shown.record.examples.by_split if shown.record else {}
    own = sorted({*sizes, *shown.spec.holdout_names(), *(row for row, _ in by_cell)})
    others = sorted({column for _, column in by_cell} - set(own))
    known = shown.record is not None and shown.record.self_complete
    marks = [_split_mark(row, column, by_cell, known=known) for row in own for column in (*own, *others)]
    held = sorted(shown.spec.holdout_names())
    notes = [f"Held out: {', '.join(held)}."] if held else ["No split is held out."]
    if not known:
        notes.append("There is no complete scan record of it: a cell without a finding says nothing.")
    return Picture(
        "overlap", Shape.MATRIX, f"Overlap of the splits of {shown.subject}", "examples of the row's split",
        tuple(own), (*own, *others), tuple(marks),
        ((_BLOCKS, Tone.BAD), (_OTHER, Tone.PLAIN), (_FREE, Tone.GOOD), (_NOT_KNOWN, Tone.UNKNOWN)),
        "examples of", "found again in", tuple(notes),
    )  # fmt: skip


_Cells = dict[tuple[str, str], tuple[set[str], bool]]


def _by_cell(rows: Sequence[FindingRow], source: str, dataset: str) -> _Cells:
    """(split, other split) to the keys of the first that are found in the second, and whether that blocks."""
    keys: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    blocks: set[tuple[str, str]] = set()
    for row in rows:
        a, b = row.finding.a, row.finding.b
        for one, other in ((a, b), (b, a)):
            if source in one.versions and one.dataset == dataset:
                cell = (one.split, _place(other, source, dataset))
                keys[cell].add(one.key)
                if row.contaminates:
                    blocks.add(cell)
    return {cell: (found, cell in blocks) for cell, found in keys.items()}


def _place(side: Side, source: str, dataset: str) -> str:
    if side.dataset != dataset:
        return f"{side.dataset}: {side.split}" if side.split else side.dataset
    return side.split if source in side.versions else f"{side.split} (other versions)"


def _split_mark(row: str, column: str, cells: _Cells, *, known: bool) -> Mark:
    found, blocks = cells.get((row, column), (set(), False))
    if found:
        verb = "is" if len(found) == 1 else "are"
        where = "more than once in it" if row == column else f"found again in {column}"
        text = f"{plural(len(found), 'example')} of {row} {verb} {where}."
        return Mark(row, column, len(found), _BLOCKS if blocks else _OTHER, text)
    return Mark(row, column, 0, _FREE, "") if known else Mark(row, column, None, _NOT_KNOWN, "")
