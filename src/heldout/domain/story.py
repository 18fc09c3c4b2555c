"""A story told with commands: what is typed and why, what has to come of it, and what came of it.

The demo is such a story. Because every step says what it expects, telling it is also a test of the installation.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One command as a person types it. It has to end with `status` and to print every text of `shows`.

    `why` is a sentence for the audience. Of the lines that name a finding, as many as `findings` are shown.
    `tells_status` makes the exit code part of what is shown, even where it is 0.
    """

    why: str
    command: str
    status: int = 0
    shows: tuple[str, ...] = ()
    findings: int = 3
    tells_status: bool = False


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StepDone:
    """What came of a step; `lacking` are the texts that it did not print, `defect` is one that it reported.

    A hook that fails lets Git go on, so neither the status nor the wanted texts would tell of a defect in one.
    """

    chapter: str
    step: Step
    status: int
    lacking: tuple[str, ...] = ()
    defect: str | None = None

    @property
    def as_told(self) -> bool:
        return self.complaint() is None

    def complaint(self) -> str | None:
        """What went otherwise than the story says, in words."""
        if self.status != self.step.status:
            return f"it ended with {self.status} and should have ended with {self.step.status}"
        if self.lacking:
            return "it should have printed " + " and ".join(repr(text) for text in self.lacking)
        return f"it reported {self.defect!r}" if self.defect else None


@dataclass(frozen=True, slots=True)
class Telling:
    """A story as far as it came: it stops at the first step that goes otherwise."""

    folder: str
    steps: tuple[StepDone, ...]

    @property
    def broken(self) -> StepDone | None:
        return next((step for step in self.steps if not step.as_told), None)
