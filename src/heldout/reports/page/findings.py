"""Findings for the page: short rows for a list of many, and one finding with both texts as marked words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from heldout.domain.canonical import canonical_json
from heldout.domain.deciding.review_listing import ReviewRow
from heldout.domain.example import Example
from heldout.domain.finding import Finding, Side
from heldout.domain.listing import FindingRow, Names
from heldout.domain.text import normalise, text_of
from heldout.reports.advice import advice
from heldout.reports.deciding.review import standing_words
from heldout.reports.finding_list import version_labels
from heldout.reports.word_diff import printable, word_diff

_MOST_SHOWN = 20_000
"""Characters of a text on the page; longer ones are cut, and say so."""

_AROUND = 60
"""Code points shown on either side of a shared piece."""


def short_row(row: FindingRow, finding_id: str, decision: str, family: int) -> dict[str, Any]:
    """A line of the list: no text, no digest. `family` is how many rows are about the same example or cluster."""
    finding = row.finding
    return {
        "id": finding_id,
        "kinds": [kind.value for kind in finding.kinds],
        "severity": finding.severity.value,
        "holdout": finding.holdout_contamination,
        "similarity": _similarity(finding),
        "a": _short_side(finding.a),
        "b": _short_side(finding.b),
        "family": family,
        "cluster": finding.cluster,
        "decision": decision,
    }


def _short_side(side: Side) -> dict[str, Any]:
    return {"dataset": side.dataset, "split": side.split, "key": side.key, "held": bool(side.held_out_in)}


def _similarity(finding: Finding) -> float | None:
    """Rounded down: 0.9996 is not 1."""
    if finding.similarity is None:
        return None
    return int(finding.similarity * 1000) / 1000


def detail(
    row: FindingRow,
    finding_id: str,
    names: Names,
    frozen: Collection[str],
    examples: tuple[Example, Example] | None,
    review: ReviewRow | None,
    family: int = 1,
) -> dict[str, Any]:
    """Everything about one finding. Without examples its texts are left out: then nothing here is held-out text."""
    finding = row.finding
    data: dict[str, Any] = {
        "id": finding_id,
        "kinds": [kind.value for kind in finding.kinds],
        "severity": finding.severity.value,
        "holdout": finding.holdout_contamination,
        "similarity": _similarity(finding),
        "fraction": _fraction(finding),
        "cluster": finding.cluster,
        "family": family,
        "contaminates": [names.label(source) for source in row.contaminates],
        "a": _side(finding.a, names),
        "b": _side(finding.b, names),
        "advice": advice(finding, names, frozen),
        "review": None if review is None else decision(review),
    }
    if examples is not None:
        _add_texts(data, finding, *examples)
    return data


def _fraction(finding: Finding) -> str | None:
    if finding.similarity is None or finding.similarity == 1:
        return None
    return f"{finding.similarity.numerator}/{finding.similarity.denominator}"


def _side(side: Side, names: Names) -> dict[str, Any]:
    return {
        **_short_side(side),
        "input": side.input,
        "sometimes": bool(side.held_out_in and side.open_in),
        "versions": version_labels(side.versions, names, side.dataset),
    }


def _add_texts(data: dict[str, Any], finding: Finding, a: Example, b: Example) -> None:
    texts = [printable(_text(example)) for example in (a, b)]
    words = word_diff(*(text[:_MOST_SHOWN] for text in texts))
    for label, example, text, tokens in zip("ab", (a, b), texts, words, strict=True):
        data[label]["words"] = _runs(tokens)
        data[label]["cut"] = max(len(text) - _MOST_SHOWN, 0)
        data[label]["expected"] = None if example.expected is None else _brief(example.expected)
    data["same_text"] = texts[0] == texts[1]
    data["shared"] = _shared(finding, a, b)


def _runs(words: Any) -> list[list[Any]]:
    """Words as [text, differs], neighbours of one kind put together."""
    runs: list[list[Any]] = []
    for word in words:
        if runs and runs[-1][1] == word.differs:
            runs[-1][0] += word.text
        else:
            runs.append([word.text, word.differs])
    return runs


def _text(example: Example) -> str:
    return text_of(example.input) if example.has_input else f"(kept outside, {example.payload})"


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else canonical_json(value).decode()  # type: ignore[arg-type]
    line = printable(text).replace("\n", " ")
    return line if len(line) <= 200 else line[:199] + "…"


def _shared(finding: Finding, a: Example, b: Example) -> list[dict[str, Any]]:
    """Literal overlaps as [before, shared, after] of the normalised text."""
    if not (a.has_input and b.has_input):
        return []
    found = []
    if (inside := finding.containment) is not None:
        short, longer = (a, b) if inside.short == "a" else (b, a)
        size = len(normalise(_text(short)))
        where = "at word boundaries" if inside.word_aligned else "not at word boundaries"
        text = f"{inside.short.upper()} stands whole in the other, {inside.position}, {where}"
        found.append({"what": text, "piece": _piece(normalise(_text(longer)), inside.offset, size)})
    elif (span := finding.span) is not None and span.length:
        text = f"longest shared piece: {span.length:,} characters of the normalised text"
        found.append({"what": text, "piece": _piece(normalise(_text(a)), span.a, span.length)})
    return found


def _piece(text: str, start: int, length: int) -> list[str]:
    low, end = max(start - _AROUND, 0), start + length
    high = min(end + _AROUND, len(text))
    before = ("…" if low else "") + text[low:start]
    return [printable(part) for part in (before, text[start:end], text[end:high] + ("…" if high < len(text) else ""))]


def decision(row: ReviewRow) -> dict[str, Any]:
    """Of a file that cannot be read, what a decision says is None."""
    review = row.review
    return {
        "path": row.path,
        "standing": row.standing.value,
        "words": standing_words(row.standing),
        "problem": row.problem,
        "about": review.id if review else None,
        "family": review.is_cluster if review else False,
        "decision": review.decision.value if review else None,
        "reason": review.reason if review else None,
        "by": review.by if review else None,
        "reviewer": review.reviewer if review else None,
        "expires": review.expires.isoformat() if review and review.expires else None,
    }


def facets(found: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {name: dict(counts) for name, counts in found.items()}
