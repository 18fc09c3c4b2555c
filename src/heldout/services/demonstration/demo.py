"""Tell the demo: run each command of the story for real, and stop where it goes otherwise than told."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from heldout.domain.story import Step, StepDone, Telling
from heldout.services.demonstration.stage import Stage, set_up
from heldout.services.demonstration.story import CHAPTERS


class Audience(Protocol):
    """Who watches. `output` comes line by line while a command runs; `end` closes a step."""

    def opening(self, folder: str) -> None: ...

    def chapter(self, number: int, title: str) -> None: ...

    def command(self, step: Step) -> None: ...

    def output(self, line: str) -> None: ...

    def end(self, step: Step, status: int) -> None: ...


def tell(folder: Path | None, audience: Audience) -> Telling:
    """Raises UsageError (slug folder-not-empty); RepositoryError (slug git-missing)."""
    done: list[StepDone] = []
    stage = set_up(folder)
    audience.opening(str(stage.folder))
    for number, chapter in enumerate(CHAPTERS, 1):
        audience.chapter(number, chapter.title)
        for step in chapter.steps:
            done.append(_perform(stage, chapter.title, step, audience))
            if not done[-1].as_told:
                return Telling(str(stage.folder), tuple(done))
    stage.tidy()
    return Telling(str(stage.folder), tuple(done))


def _perform(stage: Stage, chapter: str, step: Step, audience: Audience) -> StepDone:
    printed: list[str] = []

    def on_line(line: str) -> None:
        printed.append(line)
        audience.output(line)

    audience.command(step)
    status = stage.run(step.command, on_line)
    audience.end(step, status)
    text = "\n".join(printed)
    lacking = tuple(wanted for wanted in step.shows if wanted not in text)
    return StepDone(chapter, step, status, lacking, next(filter(_is_defect, printed), None))


def _is_defect(line: str) -> bool:
    return line.startswith(("heldout: defect in", "heldout: this is a defect"))
