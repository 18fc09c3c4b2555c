"""Who is in a slice: members, previews, differences and suggestions, as text and JSON. No text unless asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.language import render_condition
from heldout.domain.slicing.views import Address, Change, Chosen, Membership, Shown, Suggestion, Suggestions
from heldout.reports.answers import columns, plural
from heldout.reports.excerpts import printable
from heldout.reports.slicing.slices import count_text, counted_json, definition_lines, sample_notes, unevaluable_note

_WIDTH = 200
"""Characters of a text in a preview."""

SHOWN = 10
"""Examples that a difference lists of each kind in its text form."""


def members_lines(found: Membership) -> Iterator[str]:
    """One example a line, split and key with a tab between: for other programs as much as for people."""
    for split, key in found.members:
        yield f"{_safe(split)}\t{_safe(key)}"


def members_notes(found: Membership) -> Iterator[str]:
    yield count_text(found.counted)
    yield from unevaluable_note(found.counted)
    yield from sample_notes(found.counted.drawn)


def members_json(chosen: Chosen, found: Membership) -> dict[str, Any]:
    return {
        "format": "heldout/slice-members@1",
        "subject": found.subject,
        "name": chosen.item.name,
        "number": chosen.number,
        "digest": chosen.digest,
        **counted_json(found.counted),
        "members": _addresses(found.members),
    }


def preview_lines(definition: Definition, found: Membership) -> list[str]:
    lines = [f"{found.subject}: {count_text(found.counted)}", *definition_lines(definition)]
    lines += [f"  {note}" for note in (*unevaluable_note(found.counted), *sample_notes(found.counted.drawn))]
    if found.examples:
        more = len(found.members) - len(found.examples)
        lines.append("  for instance:" if more > 0 else "  the examples:")
        lines += [f"    {_shown(example)}" for example in found.examples]
    lines.append(f"  digest {definition.digest}; nothing was saved")
    return lines


def _shown(example: Shown) -> str:
    name = f"{_safe(example.split)}/{_safe(example.key)}"
    if example.text is None:
        return name
    text = printable(example.text)
    return f"{name}  {text if len(text) <= _WIDTH else text[: _WIDTH - 1] + '…'}"


def preview_json(definition: Definition, found: Membership) -> dict[str, Any]:
    return {
        "format": "heldout/slice-preview@1",
        "subject": found.subject,
        "digest": definition.digest,
        "definition": definition.to_json(),
        **counted_json(found.counted),
        "examples": [
            {"split": item.split, "key": item.key, **({} if item.text is None else {"text": item.text})}
            for item in found.examples
        ],
    }


def change_lines(change: Change) -> list[str]:
    lines = [f"{change.before} -> {change.after}, over {change.subject}"]
    lines += columns(
        [(change.before, count_text(change.counts[0])), (change.after, count_text(change.counts[1]))], indent="  "
    )
    lines.append(f"  {change.stayed:,} stay, {len(change.entered):,} enter, {len(change.left):,} leave")
    for what, found in (("enter", change.entered), ("leave", change.left)):
        lines += _listed(what, found)
    for counted in change.counts:
        lines += [f"  {note}" for note in unevaluable_note(counted)]
    return lines


def _listed(what: str, found: Sequence[Address]) -> Iterator[str]:
    if found:
        yield f"  {what}:"
        yield from (f"    {_safe(split)}/{_safe(key)}" for split, key in found[:SHOWN])
        if len(found) > SHOWN:
            yield f"    and {len(found) - SHOWN:,} more (--json lists them)"


def change_json(change: Change, before: Chosen, after: Chosen) -> dict[str, Any]:
    return {
        "format": "heldout/slice-diff@1",
        "subject": change.subject,
        "before": {"name": before.item.name, "number": before.number, "digest": before.digest},
        "after": {"name": after.item.name, "number": after.number, "digest": after.digest},
        "counts": {"before": counted_json(change.counts[0]), "after": counted_json(change.counts[1])},
        "stayed": change.stayed,
        "entered": _addresses(change.entered),
        "left": _addresses(change.left),
    }


def suggest_lines(found: Suggestions, limit: int) -> list[str]:
    head = f"{found.subject}: {plural(len(found.found), 'value')} with at least {plural(found.support, 'example')}"
    lines = [f"{head}, of {found.total:,}"]
    rows = [("condition", "examples", "in a slice")]
    rows += [(render_condition(item.condition), f"{item.examples:,}", _covered(item)) for item in found.found[:limit]]
    lines += columns(rows) if found.found else []
    if len(found.found) > limit:
        lines.append(f"  and {len(found.found) - limit:,} more (--limit, --json)")
    for subject, count in found.rare.items():
        lines.append(f"  {subject}: {plural(count, 'value')} with fewer examples, not listed")
    for key in found.scattered:
        lines.append(f"  metadata.{key}: too many different values to be a slice each")
    bare = [item for item in found.found if not item.covered]
    if bare:
        dataset = found.subject.partition("@")[0]
        lines.append(f"  {plural(len(bare), 'value is', 'values are')} in no slice at all")
        condition = render_condition(bare[0].condition).replace("'", "'\\''")
        lines.append(f"  next: heldout slice new {dataset} NAME --where '{condition}'")
    elif not found.found and (found.rare or found.scattered):
        lines.append("  no value has that many examples; next: --support N with a smaller number")
    elif not found.found:
        lines.append("  there are no tags or metadata to slice by: map them under `fields` in dataset.yaml")
    return lines


def _covered(item: Suggestion) -> str:
    if not item.covered:
        return "none"
    return "all" if item.covered == item.examples else f"{item.covered:,}"


def suggest_json(found: Suggestions) -> dict[str, Any]:
    return {
        "format": "heldout/slice-suggest@1",
        "subject": found.subject,
        "total": found.total,
        "support": found.support,
        "slices": list(found.slices),
        "suggestions": [
            {
                "where": render_condition(item.condition),
                "condition": item.condition.to_json(),
                "examples": item.examples,
                "covered": item.covered,
            }
            for item in found.found
        ],
        "rare": dict(found.rare),
        "scattered": list(found.scattered),
    }


def _addresses(found: Iterable[Address]) -> list[dict[str, str]]:
    return [{"split": split, "key": key} for split, key in found]


def _safe(text: str) -> str:
    """A name on one line of a terminal."""
    return printable(text) if not text.isprintable() else text
