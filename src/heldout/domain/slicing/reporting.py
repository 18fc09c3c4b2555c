"""Does a result report every required slice on its own (B25, B27)?

A result names its slices under `slices`: a list of `{name, number, digest, ...}`, or a mapping by name. `passed`, where
it has it for the whole and for a slice, lets the check see an average that hides a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from heldout.domain.example import JSON
from heldout.domain.slicing.views import Required


@dataclass(frozen=True, slots=True)
class Unreported:
    """Why a result is refused; `slug` is stable."""

    slug: str
    text: str


def unreported(required: Iterable[Required], result: Mapping[str, JSON]) -> list[Unreported]:
    """One for each required slice that the result leaves out, measured by another definition, or hides."""
    entries = _entries(result)
    problems = []
    for item in required:
        found = entries.get(item.name, [])
        if not found:
            problems.append(Unreported("slice-not-reported", f"the required slice {item.name} is not reported"))
        for entry in found:
            problems += _entry(item, entry, whole=result.get("passed"))
    return problems


def _entry(item: Required, entry: Mapping[str, JSON], whole: JSON) -> Iterable[Unreported]:
    digest, number = entry.get("digest"), entry.get("number")
    if not isinstance(digest, str) or isinstance(number, bool) or not isinstance(number, int):
        text = f"the result for slice {item.name} does not say which definition it used (number and digest)"
        yield Unreported("slice-not-reported", text)
    elif digest != item.digest:
        text = (
            f"slice {item.name} was measured by definition #{number} {digest}, required is #{item.number} {item.digest}"
        )
        yield Unreported("slice-of-other-definition", text)
    if whole is True and entry.get("passed") is False:
        text = f"the result passes as a whole although the required slice {item.name} failed"
        yield Unreported("failed-slice-hidden", text)


def _entries(result: Mapping[str, JSON]) -> dict[str, list[Mapping[str, JSON]]]:
    """Entries by slice; whatever else a result holds is not ours."""
    slices = result.get("slices")
    pairs: list[tuple[JSON, JSON]] = []
    if isinstance(slices, Mapping):
        pairs = list(slices.items())
    elif isinstance(slices, list | tuple):
        pairs = [(entry.get("name"), entry) for entry in slices if isinstance(entry, Mapping)]
    found: dict[str, list[Mapping[str, JSON]]] = {}
    for name, entry in pairs:
        if isinstance(name, str) and isinstance(entry, Mapping):
            found.setdefault(name, []).append(entry)
    return found
