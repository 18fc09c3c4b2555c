"""What `heldout add` proposes and what it did. Names and numbers only: no text of an example."""

from __future__ import annotations

from typing import Any

from heldout.domain.dataset import Fields, JoinedField
from heldout.domain.intake import Arrival, Intake
from heldout.errors import DataError

SHOWN = 5
"""Skipped rows listed before the text form says how many more there are."""


def add_lines(intake: Intake) -> list[str]:
    name = intake.spec.name
    if not intake.created and not intake.described and all(item.how is Arrival.SAME for item in intake.files):
        return [f"{name} is up to date: {total(intake)}", *proposal_lines(intake)]
    verb, order = ("added", "Add") if intake.created else ("updated", "Update")
    following = f'git add datasets/{name} && git commit -m "{order} {name}"'
    described = (
        [f"  {'wrote' if intake.created else 'extended'} datasets/{name}/dataset.yaml"] if intake.described else []
    )
    return [f"{verb} {name}: {total(intake)}", *proposal_lines(intake), *described, f"next: {following}"]


def proposal_lines(intake: Intake) -> list[str]:
    """How the files are read: the same before and after they are tracked."""
    lines = [f"  {item.how.value}: {item.given} -> {item.path}" for item in intake.files]
    lines.append("  rows: " + ", ".join(f"{split} {count:,}" for split, count in intake.by_split.items()))
    lines += [f"  the declared split {split!r} has no row" for split in intake.empty_splits]
    lines.append("  fields: " + ", ".join(f"{part} = {path}" for part, path in used(intake.spec.fields).items()))
    lines += [f"    {reason}" for reason in intake.reasons]
    lines += skipped_lines(intake.skipped)
    return [*lines, *holdout_lines(intake)]


def holdout_lines(intake: Intake) -> list[str]:
    if intake.held_out:
        why = "" if intake.spec.holdout else " (by name)"
        return [f"  held out: {', '.join(intake.held_out)}{why}"]
    name = intake.spec.name
    return [
        "  NO HOLDOUT IS DECLARED: `heldout gate` will answer unknown for every version of this dataset.",
        f"  If a split is held out, say so in datasets/{name}/dataset.yaml before you commit:",
        f"      holdout: [SPLIT]   with one of: {', '.join(intake.by_split)}",
    ]


def skipped_lines(skipped: tuple[DataError, ...]) -> list[str]:
    if not skipped:
        return []
    count = "1 row was" if len(skipped) == 1 else f"{len(skipped)} rows were"
    lines = [f"  {count} skipped, so no version of this can be called clean:"]
    lines += [f"    {error}" for error in skipped[:SHOWN]]
    return lines + ([f"    and {len(skipped) - SHOWN} more"] if len(skipped) > SHOWN else [])


def used(fields: Fields) -> dict[str, str]:
    """Path by part; a part without a mapping is the row's own field of that name."""
    source = fields.input
    result = {"input": source.path if isinstance(source, JoinedField) else source or "input"}
    for part in ("expected", "key", "split"):
        if (path := getattr(fields, part)) is not None:
            result[part] = path
    for key, place in fields.metadata.items():
        result[f"metadata.{key}"] = place if isinstance(place, str) else place.field
    return result


def total(intake: Intake) -> str:
    count = sum(intake.by_split.values())
    return f"{count:,} example{'s' * (count != 1)} in {len(intake.by_split)} split{'s' * (len(intake.by_split) != 1)}"


def add_json(intake: Intake, source: str) -> dict[str, Any]:
    return {
        "format": "heldout/add@1",
        "dataset": intake.spec.name,
        "created": intake.created,
        "source": source,
        "files": [{"path": item.path, "given": item.given, "how": item.how.value} for item in intake.files],
        "splits": dict(intake.by_split),
        "empty_splits": list(intake.empty_splits),
        "fields": used(intake.spec.fields),
        "reasons": list(intake.reasons),
        "holdout": list(intake.held_out),
        "rows_skipped": [
            {**error.location(), "error": error.slug, "reason": error.message} for error in intake.skipped
        ],
        "next": [f"git add datasets/{intake.spec.name}", "git commit"],
    }
