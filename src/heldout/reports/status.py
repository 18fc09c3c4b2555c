"""Where datasets stand, in a few lines each, ending with the one sensible next step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from heldout.domain.answer import Answer, GapKind, Verdict
from heldout.domain.standing import Change, DatasetStanding, VersionStanding

SHOWN = 5
"""Versions listed, the newest first, before the text form says how many more there are."""

_CHANGE = {
    Change.UNCHANGED: "working copy: as in HEAD",
    Change.CHANGED: "working copy: changed since HEAD",
    Change.NEW: "working copy: new, not in HEAD",
    Change.REMOVED: "working copy: removed",
    Change.BROKEN: "working copy: cannot be read",
}
_SWEEP = "heldout scan --all --commit"


def status_lines(standings: Sequence[DatasetStanding], *, steps: bool = True) -> list[str]:
    """`steps` False leaves the next step of each dataset out, for where one step is told for all."""
    if not standings:
        return ["no dataset yet"]
    return [line for standing in standings for line in _dataset_lines(standing, steps=steps)]


def _dataset_lines(standing: DatasetStanding, *, steps: bool) -> list[str]:
    lines = [standing.name, f"  {_CHANGE[standing.change]}"]
    if standing.problem:
        lines.append(f"    {standing.problem}")
    lines += [f"    {path} was edited and DVC has not seen it" for path in standing.edited]
    if standing.head is not None and not standing.head_is_frozen:
        lines.append(f"  HEAD: {_head_text(standing.head, recorded=standing.recorded)}")
    newest = standing.versions[::-1]
    lines += [f"  {item.version.name.number}: {version_text(item)}" for item in newest[:SHOWN]]
    if len(newest) > SHOWN:
        lines.append(f"  and {len(newest) - SHOWN} older versions (heldout versions {standing.name})")
    if not newest:
        lines.append("  no version yet")
    step = next_step(standing) if steps else None
    return [*lines, f"  next: {step}"] if step else lines


def version_text(item: VersionStanding) -> str:
    return "retired" if item.retired else answer_text(item.answer)


def answer_text(answer: Answer) -> str:
    """The verdict and what it rests on, in one line."""
    if answer.contaminated:
        return f"contaminated, {answer.wrong_briefly}"
    if answer.complete:
        return str(Verdict.CLEAN)
    more = f" (and {len(answer.gaps) - 1} more)" if len(answer.gaps) > 1 else ""
    return f"unknown, {answer.gaps[0].text}{more}"


def _head_text(answer: Answer, *, recorded: bool) -> str:
    if not recorded:
        return "no scan record yet"
    if answer.contaminated:
        return f"recorded, {answer_text(answer)}"
    gap = next((gap for gap in answer.gaps if gap.kind is not GapKind.NOT_COMPARED), None)
    return f"recorded, but {gap.text}" if gap else "recorded, nothing found against its holdout"


def next_step(standing: DatasetStanding) -> str | None:
    """The first thing that stands between this dataset and a clean frozen version; None where nothing does."""
    name = standing.name
    if standing.change is Change.BROKEN:
        return "correct it as the message says"
    if standing.edited:
        return f"heldout add {name} {' '.join(standing.edited)}"
    if standing.change in (Change.NEW, Change.CHANGED, Change.REMOVED):
        return f"git add datasets/{name} && git commit"
    if standing.head is None:
        return None
    if not standing.recorded:
        return f"heldout scan {name}@HEAD --commit"
    latest = standing.latest
    current = latest is not None and latest.version.source == standing.head.source
    subject = str(latest.version.name) if current and latest else f"{name}@HEAD"
    if standing.head.contaminated:
        if current and latest and latest.retired:
            return None
        exposed = standing.head.only_exposed
        return f"heldout exposures {subject}" if exposed else f"heldout findings {subject} --holdout-only"
    return _step_to_clean(standing.head, name, frozen=current)


def _step_to_clean(answer: Answer, name: str, *, frozen: bool) -> str | None:
    kinds = {gap.kind for gap in answer.gaps}
    if GapKind.SHALLOW in kinds:
        return "git fetch --unshallow --tags"
    if GapKind.NO_HOLDOUT in kinds and not frozen:
        return f"declare its holdout in datasets/{name}/dataset.yaml, or heldout freeze {name} if it is for training"
    if not frozen:
        return f"heldout freeze {name}"
    return _SWEEP if kinds & {GapKind.NOT_SCANNED, GapKind.NOT_COMPARED} else None


def status_json(standings: Iterable[DatasetStanding]) -> dict[str, Any]:
    return {
        "format": "heldout/status@1",
        "datasets": [
            {
                "name": item.name,
                "working_copy": item.change.value,
                "problem": item.problem,
                "edited": list(item.edited),
                "recorded": item.recorded,
                "head": None if item.head is None else _answer_json(item.head),
                "versions": [
                    {
                        "version": str(held.version.name),
                        "commit": held.version.commit,
                        "retired": held.retired,
                        **_answer_json(held.answer),
                    }
                    for held in item.versions
                ],
                "next": next_step(item),
            }
            for item in standings
        ],
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    return {
        "source": answer.source,
        "verdict": answer.verdict.value,
        "contaminated": answer.contaminated,
        "complete": answer.complete,
        "summary": answer_text(answer),
    }
