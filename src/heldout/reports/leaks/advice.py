"""What to do about each class of finding (E36), and what a run does not say (E37)."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.leaks.leak import LeakKind, LeakSettings
from heldout.domain.leaks.leaks import Leaks

ACTIONS = {
    LeakKind.EXACT: "remove the record from the evaluation split",
    LeakKind.NEAR: "inspect the pair, then remove the record or keep it with a note",
    LeakKind.CONTAINMENT: "remove the item, or exclude the passage that holds it",
    LeakKind.INTRA_SPLIT: "deduplicate the split before its size is reported",
}


def action_notes(leaks: Leaks) -> Iterator[str]:
    """One line for each class that has findings, and one for texts that only the exact rule could judge."""
    for kind in leaks.kinds:
        if count := leaks.count(kind):
            pairs = "1 pair" if count == 1 else f"{count:,} pairs"
            yield f"{kind.value.replace('_', '-')}, {pairs}: {ACTIONS[kind]}"
    if leaks.no_text:
        records = "1 record is" if leaks.no_text == 1 else f"{leaks.no_text:,} records are"
        yield f"{records} empty after normalisation; such records equal each other and are near nothing"
    if LeakKind.NEAR in leaks.kinds:
        yield method_note(leaks.settings)


def method_note(settings: LeakSettings) -> str:
    """How sure it is that a near pair was found (A22), or how far an estimate may be off."""
    if settings.estimate:
        error = settings.num_perm**-0.5
        return f"near: decided on estimates, whose error is about {error:.2f} (1/sqrt({settings.num_perm}))"
    if (bands := settings.bands) is not None:
        chance = f"{bands.probability(float(settings.threshold)):.7f}".rstrip("0")
        shape = f"{bands.bands} bands of {bands.rows}" if bands.rows > 1 else f"{bands.bands} single minima"
        return f"near: {shape} find a pair at the threshold with probability {chance}; --exact-join misses none"
    forced = "" if settings.exact_join else f"; {settings.num_perm} minima are too few for bands at this threshold"
    return f"near: exact join, every pair is found{forced}"
