"""One finding with both texts, as text and as JSON (`heldout/finding@1`). For a screen: no file is written with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from heldout.domain.canonical import canonical_json
from heldout.domain.example import Example
from heldout.domain.finding import Finding, Side
from heldout.domain.listing import FindingRow, Names
from heldout.domain.text import normalise, text_of
from heldout.reports.advice import advice
from heldout.reports.finding_list import row_json, version_labels
from heldout.reports.word_diff import highlighted, printable, side_by_side, word_diff

_AROUND = 40
"""Code points shown on either side of a containment or shared span."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What the lines are written for: cells of width, and whether colour may be used."""

    width: int = 100
    colour: bool = False


def finding_lines(
    row: FindingRow, a: Example, b: Example, names: Names, frozen: Collection[str], screen: Screen
) -> list[str]:
    finding = row.finding
    lines = [_head(finding)]
    for letter, side, example in (("A", finding.a, a), ("B", finding.b, b)):
        lines.append(f"  {letter}  {side.dataset}: {side.label()}{_state(side)}")
        lines.append(f"     in {', '.join(version_labels(side.versions, names, side.dataset))}")
        if example.expected is not None:
            lines.append(f"     expected {_brief(example.expected)}")
    lines.append("")
    lines += _texts(a, b, screen)
    lines += ["", *(f"  {line}" for line in _shared(finding, a, b, screen))]
    given = [names.label(source) for source in row.contaminates]
    if given:
        lines.append(f"  contaminates {', '.join(given)}")
    return lines + [f"  {line}" for line in advice(finding, names, frozen)]


def _head(finding: Finding) -> str:
    kinds = " + ".join(kind.value for kind in finding.kinds)
    score = ""
    if finding.similarity is not None and finding.similarity != 1:
        fraction = f"{finding.similarity.numerator}/{finding.similarity.denominator}"
        score = f", similarity {fraction} = {float(finding.similarity):.4f}"
    family = f", one of the family {finding.cluster}" if finding.cluster else ""
    return f"{finding.id}: {kinds} ({finding.severity.value}){score}{family}"


def _state(side: Side) -> str:
    if side.held_out_in and side.open_in:
        return " (held out in some versions only)"
    return " (held out)" if side.held_out_in else ""


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value).decode()  # type: ignore[arg-type]
    line = printable(text).replace("\n", " ")
    return line if len(line) <= 60 else line[:57] + "..."


def _texts(a: Example, b: Example, screen: Screen) -> list[str]:
    texts = (printable(_text(a)), printable(_text(b)))
    if texts[0] == texts[1]:
        return ["  Both read:", *(f"  {line}" for line in texts[0].split("\n"))]
    return side_by_side(("A", "B"), word_diff(*texts), screen.width, colour=screen.colour)


def _text(example: Example) -> str:
    """What the comparison read: a text as it is, of anything else its strings and numbers."""
    return text_of(example.input) if example.has_input else f"(kept outside, {example.payload})"


def _shared(finding: Finding, a: Example, b: Example, screen: Screen) -> list[str]:
    """The literal overlap, in the normalised text that offsets are of; nothing where a text cannot be read here."""
    if not (a.has_input and b.has_input):
        return []
    lines, size = [], 0
    if (inside := finding.containment) is not None:
        short, longer = (a, b) if inside.short == "a" else (b, a)
        size = len(normalise(_text(short)))
        words = "at word boundaries" if inside.word_aligned else "not at word boundaries"
        where = f"{inside.short.upper()} stands whole in the other ({inside.position}, {words}):"
        lines += [where, f"  {_excerpt(normalise(_text(longer)), inside.offset, size, screen)}"]
    whole = finding.containment is not None and finding.span is not None and finding.span.length == size
    if (span := finding.span) is not None and span.length and not whole:
        piece = _excerpt(normalise(_text(a)), span.a, span.length, screen)
        lines += [f"longest shared piece, {span.length} characters of the normalised text of A:", f"  {piece}"]
    return lines


def _excerpt(text: str, start: int, length: int, screen: Screen) -> str:
    low = max(start - _AROUND, 0)
    high = min(start + length + _AROUND, len(text))
    body = highlighted(text[low:high], start - low, length, colour=screen.colour)
    return ("…" if low else "") + body + ("…" if high < len(text) else "")


def finding_show_json(row: FindingRow, a: Example, b: Example, names: Names, frozen: Collection[str]) -> dict[str, Any]:
    """With both inputs: whoever asks for this object gets held-out text."""
    data = {"format": "heldout/finding@1", **row_json(row, names)}
    for label, example in (("a", a), ("b", b)):
        data[label]["text"] = _text(example)
        data[label]["expected"] = example.expected
    data["advice"] = advice(row.finding, names, frozen)
    return data
