"""What every form says in the same words."""

from __future__ import annotations

from heldout.domain.answer import Verdict
from heldout.domain.describing.description import Description
from heldout.reports.answers import plural, reason


def leakage(about: Description) -> str:
    """The answer in a sentence that stands by itself, for whoever reads a card and has not seen the project."""
    verdict = about.answer.verdict
    if not about.held_out:
        return f"Leakage: {about.subject} has no held-out split."
    if verdict is Verdict.CLEAN:
        return f"Leakage: {about.subject} was compared with every known version, and no held-out example is given away."
    if verdict is Verdict.CONTAMINATED:
        return f"Leakage: {about.subject} is contaminated: {about.answer.wrong}."
    why = reason(about.answer)
    return f"Leakage: nobody knows whether the held-out examples of {about.subject} are given away: {why}."


def splits(about: Description) -> str:
    return ", ".join(
        f"{name} ({plural(count, 'example')}{', held out' if name in about.held_out else ''})"
        for name, count in about.by_split.items()
    )


def summary(about: Description) -> str:
    return about.text or f"{plural(about.examples, 'example')} in {plural(len(about.by_split), 'split')}"
